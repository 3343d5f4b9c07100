import { type HttpSettings, maxHeadBytes } from '../settings.ts';

/** What has passed through a connection so far, in bytes; a socket has it. */
export interface Traffic {
  readonly bytesRead: number;
  /** What has been written, also what the system has not taken yet, which is `writableLength`. */
  readonly bytesWritten: number;
  readonly writableLength: number;
  /** Whether the client has ended its side. */
  readonly readableEnded: boolean;
}

/** A send buffer can grow to this size, in bytes (Linux's default of tcp_wmem). */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;

/** The kernel reports room only when so much of the buffer is free. Until then, none is seen. */
const UNSEEN_SHARE = 1 / 3;

/** So many bytes of a header section belong to the memory of a connection itself. */
const FREE_HEAD_BYTES = 2 * 1024;

/** The memory that a byte takes, with the strings and places of a field's name and value. */
const MEMORY_PER_BYTE = 2;

/**
 * What shows by how many bytes have passed: whether a client sends and reads, for which polling
 * saves the timers of every response, and how much of a header section waits for its end.
 */
export class TrafficWatch {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  #read = 0;
  #taken = 0;
  #unreadSince: number;
  /** Since when the client has neither sent nor read anything, as of the last look. */
  quietSince: number;
  /** How much had been read with the last piece of content, and with what was parsed last. */
  #contentReadAt = 0;
  #parsedAt = 0;
  /** How much of what was read is no beginning of a header section, in bytes. */
  #otherBytes = 0;

  constructor(traffic: Traffic, settings: HttpSettings, now: number) {
    this.#traffic = traffic;
    this.#settings = settings;
    this.#unreadSince = now;
    this.quietSince = now;
  }

  /**
   * Looks at what has changed since the last call.
   * @returns `stalled` if the client has not read what it is sent for too long; if it has read
   * everything, `silent` if it has ended its side and nothing has shown for a while that it still
   * reads, and `idle` if nothing has been sent or read for too long
   */
  look(now: number): 'stalled' | 'silent' | 'idle' | undefined {
    const { writableLength, bytesWritten, bytesRead, readableEnded } = this.#traffic;
    const taken = bytesWritten - writableLength;
    if (taken !== this.#taken || writableLength === 0) this.#unreadSince = now;
    if (taken !== this.#taken || bytesRead !== this.#read) this.quietSince = now;
    this.#taken = taken;
    this.#read = bytesRead;
    const { sendTimeout, slowestReader, endedTimeout, keepAliveTimeout } = this.#settings;
    const unseenBytes = Math.min(taken, SEND_BUFFER_BYTES) * UNSEEN_SHARE;
    const unseenMs = (1000 * unseenBytes) / slowestReader;
    if (now - this.#unreadSince > sendTimeout + unseenMs) return 'stalled';
    if (writableLength > 0) return undefined;
    const quietMs = now - this.quietSince;
    if (readableEnded && quietMs > endedTimeout) return 'silent';
    return quietMs > keepAliveTimeout ? 'idle' : undefined;
  }

  /**
   * The memory of the beginning of a header section, in bytes. `node:http` tells nothing of it
   * until it is complete: all that was read since the segment before the last one may be one.
   */
  get headBytes(): number {
    const read = this.#traffic.bytesRead - this.#otherBytes;
    const bytes = Math.min(read, maxHeadBytes(this.#settings));
    return bytes <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * bytes;
  }

  /** Whether content of the last request has come in the last segment. */
  get hasContentInSegment(): boolean {
    return this.#contentReadAt === this.#traffic.bytesRead;
  }

  /** A header section is complete. The segment that completes it may hold more. */
  takeHead(): void {
    this.#contentReadAt = 0;
    const { bytesRead } = this.#traffic;
    if (bytesRead > this.#parsedAt) this.#otherBytes = this.#parsedAt;
    this.#parsedAt = bytesRead;
  }

  /** A piece of content of so many bytes has arrived. */
  takeContent(bytes: number): void {
    this.#contentReadAt = this.#traffic.bytesRead;
    this.#parsedAt = this.#contentReadAt;
    this.#otherBytes += bytes;
  }
}
