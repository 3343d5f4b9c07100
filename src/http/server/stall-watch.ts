import type { Socket } from 'node:net';

/** How slow a client may be. */
export interface StallLimits {
  /** How long a client may read nothing, in milliseconds. */
  readonly sendTimeout: number;
  /** A client that steadily reads this many bytes per second is never cut. */
  readonly slowestReader: number;
}

/**
 * The kernel reports room in a send buffer only when a third of it is free, and lets it grow to
 * this size (Linux's default of tcp_wmem). That much progress of a client can go unnoticed.
 */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;
const UNSEEN_SHARE = 1 / 3;

/**
 * Watches whether a client reads what it is sent. Polling saves a timer per response, since nearly
 * all of them leave at once.
 */
export class StallWatch {
  readonly #socket: Socket;
  readonly #limits: StallLimits;
  #read = 0;
  #taken = 0;
  #since = Date.now();

  constructor(socket: Socket, limits: StallLimits) {
    this.#socket = socket;
    this.#limits = limits;
  }

  /** Checks whether the client has sent or read anything since the last call. */
  look(): 'progress' | 'idle' | 'stalled' {
    const { writableLength, bytesWritten, bytesRead } = this.#socket;
    const taken = bytesWritten - writableLength;
    const now = Date.now();
    if (taken !== this.#taken || bytesRead !== this.#read) {
      if (taken !== this.#taken || writableLength === 0) this.#since = now;
      this.#taken = taken;
      this.#read = bytesRead;
      return 'progress';
    }
    if (writableLength === 0) {
      this.#since = now;
      return 'idle';
    }
    return now - this.#since > this.#timeout ? 'stalled' : 'idle';
  }

  /** The client may have read part of what the kernel buffered, without a sign of it. */
  get #timeout(): number {
    const { sendTimeout, slowestReader } = this.#limits;
    const unseen = Math.min(this.#taken, SEND_BUFFER_BYTES) * UNSEEN_SHARE;
    return sendTimeout + (1000 * unseen) / slowestReader;
  }
}
