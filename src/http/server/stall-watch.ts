import type { Socket } from 'node:net';

/** How slow a client may be. */
export interface StallLimits {
  /** How long a client may take nothing, in milliseconds. */
  readonly sendTimeout: number;
  /** A client that takes so many bytes a second, steadily, is never cut. */
  readonly slowestReader: number;
}

/**
 * The kernel tells of room in a send buffer only when a third of it is free, and lets it grow to
 * this size (the default of Linux's tcp_wmem); so that much progress of a client can go unseen.
 */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;
const UNSEEN_SHARE = 1 / 3;

/**
 * Watches whether a client takes what it is sent. To look now and then spares a timer for each
 * response, nearly all of which leave at once.
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

  /** Looks whether the client has sent or taken anything since the last time. */
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

  /** Of what the kernel took, a part may have been read without a sign of it. */
  get #timeout(): number {
    const { sendTimeout, slowestReader } = this.#limits;
    const unseen = Math.min(this.#taken, SEND_BUFFER_BYTES) * UNSEEN_SHARE;
    return sendTimeout + (1000 * unseen) / slowestReader;
  }
}
