import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_UNREAD_MS, type Ticket } from '../admission/ticket.ts';
import { MAX_CONTENT_BYTES } from '../request/header-section.ts';

/** Content up to this length needs no permit, in bytes. */
export const SHORT_CONTENT_BYTES = 4 * 1024;

/** The number of pieces of content above which they are joined. */
const MAX_PIECES = 64;

const NO_CONTENT: Buffer = Buffer.alloc(0);

/** The request whose content arrives. */
interface Arriving {
  readonly message: IncomingMessage;
  readonly output: ServerResponse;
  readonly ticket: Ticket;
  /** The connection, which reads nothing while the content waits for a permit. */
  readonly connection: { stopReading(): void; readOn(): void };
}

/** The content of a request while it arrives. */
export class Arrival {
  readonly #request: Arriving;
  /** The declared length; NaN if it is sent in chunks. */
  readonly length: number;
  /** The bytes that have arrived. */
  bytes = 0;
  #maxBytes = Number.POSITIVE_INFINITY;
  #pieces: Buffer[] = [];
  #hasEnded = false;
  /** Whether the request was refused, so that its content is not kept. */
  #isDropped = false;
  /** Whether it may be longer than {@link SHORT_CONTENT_BYTES}. */
  #isAdmitted = false;
  /** Ends the wait of {@link receive}. */
  #wake = () => {};

  constructor(request: Arriving, length: number) {
    this.#request = request;
    this.length = length;
  }

  /** Whether its client waits for a 100 before it sends it (RFC 9110, section 10.1.1). */
  get awaitsContinue(): boolean {
    const { headers, httpVersion } = this.#request.message;
    return Boolean(headers.expect) && httpVersion === '1.1';
  }

  /** Whether it may turn out to be empty. */
  get mayBeEmpty(): boolean {
    return Number.isNaN(this.length) && !this.awaitsContinue;
  }

  /** Whether it has arrived, or is short enough to be received and dropped. */
  get canBeSkipped(): boolean {
    const isShort = this.length <= MAX_CONTENT_BYTES && !this.awaitsContinue;
    return this.#request.message.complete || isShort;
  }

  /** The bytes that may be kept while the request waits. */
  get allowedBytes(): number {
    if (this.#hasEnded) return this.bytes;
    return Math.min(this.length || SHORT_CONTENT_BYTES, MAX_CONTENT_BYTES);
  }

  /** The part that has arrived, such as `16 of 40 bytes`; undefined if all has. */
  get progress(): string | undefined {
    const { message } = this.#request;
    if (message.complete) return undefined;
    const all = Number.isNaN(this.length) ? '' : ` of ${this.length}`;
    return `${this.bytes + message.readableLength}${all} bytes`;
  }

  /** Event: a piece has arrived. */
  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.#isDropped) return;
    if (this.#pieces.push(piece) > MAX_PIECES) this.#join();
    this.#wake();
  }

  /** Event: all of it has arrived. */
  end(): void {
    // Also if it waits, because small pieces take more memory.
    if (this.#pieces.length > 1) this.#join();
    this.#hasEnded = true;
    this.#wake();
  }

  #join(): void {
    this.#pieces = [Buffer.concat(this.#pieces)];
  }

  /**
   * Waits for the rest of it, when its request is due. Long content needs a permit, and is not read before.
   * @param maxBytes the limit
   * @returns it; undefined if it is longer than the limit, or was dropped
   * @throws Problem `overloaded`, ClientGoneError
   */
  async waitForAll(maxBytes: number): Promise<Buffer | undefined> {
    this.#maxBytes = maxBytes;
    if (this.awaitsContinue && !this.#needsPermit) this.#request.output.writeContinue();
    while (!this.#isOver || this.#needsPermit) {
      if (this.#needsPermit) await this.#admit();
      else await this.#next();
    }
    if (this.bytes > maxBytes || this.#isDropped) return undefined;
    const [content = NO_CONTENT] = this.#pieces;
    this.#pieces = [];
    return content;
  }

  /** Whether nothing more of it is needed. */
  get #isOver(): boolean {
    return this.#hasEnded || this.#isDropped || this.bytes > this.#maxBytes;
  }

  get #needsPermit(): boolean {
    const isLong = this.bytes > SHORT_CONTENT_BYTES || this.length > SHORT_CONTENT_BYTES;
    return isLong && !this.#isAdmitted && !this.#isDropped && this.bytes <= this.#maxBytes;
  }

  /** Takes the permit. */
  async #admit(): Promise<void> {
    const { connection, output, ticket } = this.#request;
    if (!ticket.takeFreePermits(1)) {
      connection.stopReading();
      try {
        await ticket.takePermits(1, this.#hasEnded ? undefined : MAX_UNREAD_MS);
      } finally {
        connection.readOn();
      }
    }
    this.#isAdmitted = true;
    if (this.awaitsContinue) output.writeContinue();
  }

  /** Waits until it is over, or needs a permit. */
  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        if (this.#isOver || this.#needsPermit) resolve();
      };
    });
  }

  /** Event: its request was refused. What arrives from now on is not kept. */
  drop(): void {
    this.#isDropped = true;
    this.#pieces = [];
    this.#wake();
  }
}
