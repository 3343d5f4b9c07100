import type { Problem } from '../../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../../request/header-section.ts';

/** The content of a request without any. */
export const NO_CONTENT: Buffer = Buffer.alloc(0);

/** Bytes in one buffer, however small the pieces are: each piece alone takes 100 bytes or more. */
export class GrowingBuffer {
  #buffer = NO_CONTENT;
  #length = 0;

  /** The memory it takes, in bytes. */
  get bytes(): number {
    return this.#buffer.length;
  }

  get content(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds a piece. The first is kept as it is, because most content comes in one. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#buffer = piece;
    else {
      // Doubles, so that each byte is copied a few times only.
      if (length > this.#buffer.length) {
        const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
        this.content.copy(grown);
        this.#buffer = grown;
      }
      piece.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  clear(): void {
    this.#buffer = NO_CONTENT;
    this.#length = 0;
  }
}

/** The connection that content arrives on. */
export interface ContentOwner {
  /** Whether nothing more is served. */
  readonly isOver: boolean;
  /** Knows how much of what has arrived is content. */
  readonly readAhead: { takeContent(bytes: number): void };
  /** So many more bytes are kept, or less; or all has arrived. */
  contentChanged(addedBytes: number): void;
  end(): void;
}

/** The content of a request, until somebody wants it. What exceeds its limit is not kept. */
export class IncomingContent {
  readonly #owner: ContentOwner;
  readonly #declared: number | undefined;
  /** Whether it may turn out to be empty: it is chunked, and its client does not wait for a 100. */
  readonly mayBeEmpty: boolean;
  readonly #buffer = new GrowingBuffer();
  #size = 0;
  /** Known once somebody wants it. Until then, little of it is read. */
  #maxBytes = Number.POSITIVE_INFINITY;
  /** Whether all of it has arrived. */
  hasArrived = false;
  #isComplete = false;
  #isDiscarded = false;
  #done: ((refusal?: Problem) => void) | undefined;

  /** @param declared how many bytes it has; undefined if it is chunked */
  constructor(owner: ContentOwner, declared: number | undefined, awaitsContinue: boolean) {
    this.#owner = owner;
    this.#declared = declared;
    this.mayBeEmpty = declared === undefined && !awaitsContinue;
  }

  /** Calls back once: when it is complete, or too large. A promise would slow writes by a 20th. */
  read(done: (refusal?: Problem) => void, maxBytes: number = MAX_CONTENT_BYTES): void {
    this.#done = done;
    this.#maxBytes = maxBytes;
    if (this.#size > maxBytes) done(contentTooLarge(maxBytes));
    else if (this.#isComplete) done();
  }

  /** Whether the connection ends with it, if nobody wants it. */
  get isTooLong(): boolean {
    return (this.#declared ?? this.#size) > MAX_CONTENT_BYTES;
  }

  /** The memory that it takes until it is given away, in bytes. */
  get bytes(): number {
    return this.#buffer.bytes;
  }

  /** Gives it away, once it is complete. */
  release(): Buffer {
    const { content } = this.#buffer;
    this.#buffer.clear();
    return content;
  }

  /**
   * Drops it, so that the next request can follow; not if there is more than any may have.
   * @param done called once it is known which of both
   */
  discard(done = () => {}): void {
    this.#isDiscarded = true;
    this.#buffer.clear();
    this.read((refusal) => {
      done();
      if (refusal !== undefined) this.#owner.end();
    });
  }

  /** Event: a piece has arrived. */
  addPiece(piece: Buffer): void {
    this.#owner.readAhead.takeContent(piece.length);
    const wasTooLarge = this.#size > this.#maxBytes;
    this.#size += piece.length;
    if (this.#owner.isOver) {
      // Nobody is told that it is complete, because it will not be.
      this.#done = undefined;
    } else if (this.#size > this.#maxBytes) {
      this.#buffer.clear();
      this.#owner.contentChanged(0);
      if (!wasTooLarge) this.#done?.(contentTooLarge(this.#maxBytes));
    } else if (!this.#isDiscarded) {
      const before = this.bytes;
      this.#buffer.add(piece);
      this.#owner.contentChanged(this.bytes - before);
    }
  }

  /** Event: all of it has arrived, and no error has come with it. */
  complete(): void {
    this.#isComplete = true;
    if (this.#owner.isOver) return;
    if (!this.#done) this.#owner.contentChanged(0);
    else if (this.#size <= this.#maxBytes) this.#done();
  }
}
