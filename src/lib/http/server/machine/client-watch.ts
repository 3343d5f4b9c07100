import type { HttpSettings } from '../settings.ts';
import type { Traffic } from './transport.ts';

/** A send buffer can grow to this size, in bytes (Linux's default of tcp_wmem). */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;

/** The kernel reports room only when so much of the buffer is free. Until then, none is seen. */
const UNSEEN_SHARE = 1 / 3;

/** Watches whether a client sends and reads. Polling saves the timers of every response. */
export class ClientWatch {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  #read = 0;
  #taken = 0;
  #unreadSince: number;
  /** Since when the client has neither sent nor read anything, as of the last look. */
  quietSince: number;

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
}
