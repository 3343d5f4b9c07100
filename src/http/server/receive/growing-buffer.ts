const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Bytes that arrive in pieces, kept in one buffer: a piece by itself takes a hundred bytes or more
 * beside its content, and a client may send one byte at a time.
 */
export class GrowingBuffer {
  #buffer = NOTHING;
  #length = 0;

  /** The memory it takes, in bytes. */
  get bytes(): number {
    return this.#buffer.length;
  }

  /** What has arrived so far. */
  get content(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds a piece. The first is kept as it is, because most content comes in one. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#buffer = piece;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      piece.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  clear(): void {
    this.#buffer = NOTHING;
    this.#length = 0;
  }

  /** Doubles, so that each byte is copied a few times only. */
  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
    this.content.copy(grown);
    this.#buffer = grown;
  }
}
