import type { HttpSettings } from '../settings.ts';
import type { Traffic } from './transport.ts';

/**
 * - `progress`: the client has sent or read something since the last look.
 * - `waiting`: it has not.
 * - `stalled`: it has not read what it is sent for too long.
 * - `idle`: it has read everything, and nothing has been sent or read for too long.
 * - `silent`: it has ended its side, and nothing has shown for a while that it still reads.
 */
export type ClientState = 'progress' | 'waiting' | 'stalled' | 'idle' | 'silent';

/** A send buffer can grow to this size, in bytes (Linux's default of tcp_wmem). */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;

/** The kernel reports room only when so much of the buffer is free. Until then, none is seen. */
const UNSEEN_SHARE = 1 / 3;

/** Watches whether a client sends, reads and ends. Polling saves the timers of every response. */
export class ClientWatch {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  #read = 0;
  #taken = 0;
  #unreadSince: number;
  #quietSince: number;

  constructor(traffic: Traffic, settings: HttpSettings, now: number) {
    this.#traffic = traffic;
    this.#settings = settings;
    this.#unreadSince = now;
    this.#quietSince = now;
  }

  /** Looks at what has changed since the last call. */
  look(now: number): ClientState {
    const { writableLength, bytesWritten, bytesRead, readableEnded } = this.#traffic;
    const taken = bytesWritten - writableLength;
    const hasTaken = taken !== this.#taken;
    const isProgress = hasTaken || bytesRead !== this.#read;
    this.#taken = taken;
    this.#read = bytesRead;
    if (hasTaken || writableLength === 0) this.#unreadSince = now;
    if (isProgress) {
      this.#quietSince = now;
      return 'progress';
    }
    const { sendTimeout, slowestReader, endedTimeout, keepAliveTimeout } = this.#settings;
    const unseenBytes = Math.min(taken, SEND_BUFFER_BYTES) * UNSEEN_SHARE;
    const unseenMs = (1000 * unseenBytes) / slowestReader;
    if (now - this.#unreadSince > sendTimeout + unseenMs) return 'stalled';
    if (writableLength > 0) return 'waiting';
    const quietMs = now - this.#quietSince;
    if (readableEnded && quietMs > endedTimeout) return 'silent';
    return quietMs > keepAliveTimeout ? 'idle' : 'waiting';
  }
}
