import { type HttpSettings, maxHeadBytes } from '../settings.ts';

/** The bytes that have passed through a connection so far. A socket has these properties. */
export interface Traffic {
  readonly bytesRead: number;
  /** Includes the `writableLength` bytes that the operating system has not accepted yet. */
  readonly bytesWritten: number;
  readonly writableLength: number;
}

/** The maximum size of a send buffer, in bytes (Linux's default of tcp_wmem). */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;

/** The share of that buffer that must be free before the kernel reports progress. */
const UNSEEN_SHARE = 1 / 3;

/** This many bytes of a header section are part of the memory of a connection itself. */
const FREE_HEAD_BYTES = 2 * 1024;

/** The memory per byte of a header section, including the strings of names and values. */
const MEMORY_PER_BYTE = 2;

/**
 * Compares byte counts to determine whether a client sends and reads, which saves timers for every
 * response. Computes the memory of an incomplete header section.
 */
export class TrafficWatch {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  #read = 0;
  #taken = 0;
  #unreadSince: number;
  /** Since when the client has neither sent nor read anything, as of the last poll. */
  quietSince: number;
  /** Since when the client has sent nothing, as of the last poll. */
  readSince: number;
  /** `bytesRead` when a header section or a piece of content was last complete. */
  #parsedAt = 0;
  /** The bytes read that cannot belong to an incomplete header section. */
  #otherBytes = 0;

  constructor(traffic: Traffic, settings: HttpSettings, now: number) {
    this.#traffic = traffic;
    this.#settings = settings;
    this.#unreadSince = now;
    this.quietSince = now;
    this.readSince = now;
  }

  /**
   * Compares the counts with the last call.
   * @returns `stalled` if the client has not read its responses for too long, or else `idle` if
   * nothing was sent or read for too long
   */
  poll(now: number): 'stalled' | 'idle' | undefined {
    const { writableLength, bytesWritten, bytesRead } = this.#traffic;
    const taken = bytesWritten - writableLength;
    if (taken !== this.#taken || writableLength === 0) this.#unreadSince = now;
    if (taken !== this.#taken || bytesRead !== this.#read) this.quietSince = now;
    if (bytesRead !== this.#read) this.readSince = now;
    this.#taken = taken;
    this.#read = bytesRead;
    const { sendTimeout, slowestReader, keepAliveTimeout } = this.#settings;
    const unseenBytes = Math.min(taken, SEND_BUFFER_BYTES) * UNSEEN_SHARE;
    const unseenMs = (1000 * unseenBytes) / slowestReader;
    if (now - this.#unreadSince > sendTimeout + unseenMs) return 'stalled';
    return now - this.quietSince > keepAliveTimeout ? 'idle' : undefined;
  }

  /**
   * The memory of the beginning of a header section, in bytes. `node:http` reports a header section
   * only when it is complete. So all bytes since the second-to-last parsed segment count, because
   * they may belong to an incomplete section.
   */
  get headBytes(): number {
    const read = this.#traffic.bytesRead - this.#otherBytes;
    const bytes = Math.min(read, maxHeadBytes(this.#settings));
    return bytes <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * bytes;
  }

  /** A header section is complete. The segment that completes it may hold more. */
  recordHead(): void {
    const { bytesRead } = this.#traffic;
    if (bytesRead > this.#parsedAt) this.#otherBytes = this.#parsedAt;
    this.#parsedAt = bytesRead;
  }

  recordContent(bytes: number): void {
    this.#parsedAt = this.#traffic.bytesRead;
    this.#otherBytes += bytes;
  }
}
