import { MAX_CONTENT_BYTES } from '../../request/header-section.ts';

/** How many bytes of requests may wait behind a response. */
export const MAX_AHEAD_BYTES = 128 * 1024;

export const NO_CONTENT: Buffer = Buffer.alloc(0);

/** The content of a request while it arrives. It is kept up to a limit, and dropped beyond it. */
export class IncomingContent {
  readonly #declared: number | undefined;
  /** Whether the client waits for a 100 before it sends content (RFC 9110, section 10.1.1). */
  awaitsContinue: boolean;
  /** Whether all of it has arrived. An error in the bytes after it may follow. */
  hasArrived = false;
  /** One buffer for all pieces, because a `Buffer` for each would take 100 bytes or more. */
  #buffer = NO_CONTENT;
  #size = 0;
  #isDropped = false;
  /** The limit in bytes: that of requests behind a response, until `setLimit`. */
  maxBytes = MAX_AHEAD_BYTES;

  /** @param declared its length in bytes; undefined if it is chunked */
  constructor(declared: number | undefined, awaitsContinue: boolean) {
    this.#declared = declared;
    this.awaitsContinue = awaitsContinue;
  }

  /** The content that has arrived and has not been dropped. */
  get content(): Buffer {
    const isFull = this.#size >= this.#buffer.length;
    return isFull ? this.#buffer : this.#buffer.subarray(0, this.#size);
  }

  /** How much has arrived, such as `16 of 40 bytes`, or `16 bytes` of chunks. Undefined if all. */
  get progress(): string | undefined {
    if (this.hasArrived) return undefined;
    return `${this.#size}${this.#declared === undefined ? '' : ` of ${this.#declared}`} bytes`;
  }

  /** The memory of its buffer, in bytes. */
  get keptBytes(): number {
    return this.#buffer.length;
  }

  get isTooLarge(): boolean {
    return this.#size > this.maxBytes;
  }

  /** True if the length is not declared, and the client does not wait for a 100 (Continue). */
  get mayBeEmpty(): boolean {
    return this.#declared === undefined && !this.awaitsContinue;
  }

  /** Whether the next request can follow it on the connection, although nothing reads it. */
  get canBeSkipped(): boolean {
    const isShort = this.#declared !== undefined && this.#declared <= MAX_CONTENT_BYTES;
    return this.hasArrived || (isShort && !this.awaitsContinue);
  }

  /** Sets the limit of its route, unless it was too large while it waited, and is incomplete. */
  setLimit(maxBytes: number): void {
    this.maxBytes = this.isTooLarge ? Math.min(this.maxBytes, maxBytes) : maxBytes;
    if (this.isTooLarge) this.drop();
  }

  /** Drops the bytes that have arrived and those that follow. */
  drop(): void {
    this.#isDropped = true;
    this.#buffer = NO_CONTENT;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.isTooLarge) this.drop();
    else if (!this.#isDropped) this.#keep(piece);
  }

  /** The first piece becomes the buffer, because most content comes in one piece. */
  #keep(piece: Buffer): void {
    const start = this.#size - piece.length;
    if (start === 0) {
      this.#buffer = piece;
      return;
    }
    // Doubles, so that each byte is copied a few times only.
    if (this.#size > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#size, 2 * this.#buffer.length));
      this.#buffer.copy(grown, 0, 0, start);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, start);
  }
}
