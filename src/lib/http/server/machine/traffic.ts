import { type HttpSettings, maxHeadBytes } from '../settings.ts';

/** The bytes that have passed through a connection so far. A socket has these properties. */
export interface Traffic {
  readonly bytesRead: number;
  /** Includes the `writableLength` bytes that the operating system has not accepted yet. */
  readonly bytesWritten: number;
  readonly writableLength: number;
}

/** Compares byte counts to see whether a client sends and reads, which saves a timer per response. */
export class TrafficWatch {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  #read = 0;
  /** The bytes that the operating system has accepted, as of the last poll. */
  #accepted = 0;
  /** `bytesRead` when a header section or a piece of content was last complete. */
  #parsed = 0;
  /** Since when the client has not read all of its responses. */
  #unreadSince: number;
  /** Since when the client has neither sent nor read anything, as of the last poll. */
  quietSince: number;
  /** Since when the client has sent nothing, as of the last poll. */
  silentSince: number;

  constructor(traffic: Traffic, settings: HttpSettings, now: number) {
    this.#traffic = traffic;
    this.#settings = settings;
    this.#unreadSince = now;
    this.quietSince = now;
    this.silentSince = now;
  }

  /**
   * Compares the counts with the last call.
   * @returns `stalled` if the client has not read its responses for too long, or else `idle` if
   * nothing was sent or read for too long
   */
  poll(now: number): 'stalled' | 'idle' | undefined {
    const { writableLength, bytesWritten, bytesRead } = this.#traffic;
    const accepted = bytesWritten - writableLength;
    if (accepted !== this.#accepted || writableLength === 0) this.#unreadSince = now;
    if (bytesRead !== this.#read) this.silentSince = now;
    if (accepted !== this.#accepted || bytesRead !== this.#read) this.quietSince = now;
    this.#accepted = accepted;
    this.#read = bytesRead;
    if (now - this.#unreadSince > this.#settings.sendTimeout) return 'stalled';
    return now - this.quietSince > this.#settings.keepAliveTimeout ? 'idle' : undefined;
  }

  /** Event: the last bytes read have completed a header section, or are content. */
  recordParsed(): void {
    this.#parsed = this.#traffic.bytesRead;
  }

  /**
   * The memory of an incomplete header section, in bytes. `node:http` reports a header section only
   * when it is complete, so any bytes count as the longest one.
   */
  get headBytes(): number {
    return this.#traffic.bytesRead > this.#parsed ? maxHeadBytes(this.#settings) : 0;
  }
}
