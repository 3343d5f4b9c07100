import type { Problem } from '../../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../../request/header-section.ts';

export const NO_CONTENT: Buffer = Buffer.alloc(0);

/** Bytes in one buffer, however small the pieces are: each piece alone takes 100 bytes or more. */
export class GrowingBuffer {
  #buffer = NO_CONTENT;
  #length = 0;

  get bytes(): number {
    return this.#buffer.length;
  }

  get content(): Buffer {
    const isFull = this.#length === this.#buffer.length;
    return isFull ? this.#buffer : this.#buffer.subarray(0, this.#length);
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
  readonly watch: { takeContent(bytes: number): void };
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
  /** The part of the content that is kept, until it is cleared. */
  readonly kept = new GrowingBuffer();
  #size = 0;
  /** The limit, known once somebody wants the content; until then, little of it is read. */
  #maxBytes = Number.POSITIVE_INFINITY;
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
    if (this.#size > maxBytes) this.#refuse();
    else if (this.#isComplete) done();
  }

  #refuse(): void {
    this.kept.clear();
    this.#done?.(contentTooLarge(this.#maxBytes));
  }

  /** Whether the connection ends with it, if nobody wants it. */
  get isTooLong(): boolean {
    return (this.#declared ?? this.#size) > MAX_CONTENT_BYTES;
  }

  /**
   * Drops it, so that the next request can follow; not if there is more than any may have.
   * @param done called once it is known which of both
   */
  discard(done = () => {}): void {
    this.#isDiscarded = true;
    this.kept.clear();
    this.read((refusal) => {
      done();
      if (refusal !== undefined) this.#owner.end();
    });
  }

  addPiece(piece: Buffer): void {
    this.#owner.watch.takeContent(piece.length);
    if (this.#owner.isOver) return;
    const wasTooLarge = this.#size > this.#maxBytes;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#owner.contentChanged(0);
      if (!wasTooLarge) this.#refuse();
    } else if (!this.#isDiscarded) {
      const before = this.kept.bytes;
      this.kept.add(piece);
      this.#owner.contentChanged(this.kept.bytes - before);
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

/** The memory of a request whose work is waited for, besides its content, in bytes. */
const WAITING_BYTES = 4 * 1024;

/** A request as the core of its connection knows it: how far it has come, and what it takes. */
export class Turn {
  /** The memory of its header section while it waits for its turn, in bytes. */
  readonly headBytes: number;
  /** The content while it arrives; undefined if none follows the header section. */
  readonly incoming: IncomingContent | undefined;
  /** Whether no request after it is served. */
  isFinal = false;
  refusal: Problem | undefined;
  isHandled = false;
  /** Whether steps are run for it, and whether they make what is being sent. */
  isRunningSteps = false;
  isSendingSteps = false;
  /** How many bytes of content have been sent so far. */
  contentBytes = 0;
  isWaiting = false;
  /** The memory of its steps, in bytes. */
  workBytes = 0;
  #onEnd: ((contentBytes: number) => void)[] | undefined;

  constructor(headBytes: number, incoming?: IncomingContent) {
    this.headBytes = headBytes;
    this.incoming = incoming;
  }

  get content(): Buffer {
    return this.incoming?.kept.content ?? NO_CONTENT;
  }

  get isComplete(): boolean {
    return this.incoming === undefined || this.incoming.hasArrived;
  }

  /** Whether it is owed a response. */
  get hasArrived(): boolean {
    return this.isComplete || this.refusal !== undefined;
  }

  /** The memory that it takes in all, besides its header section, in bytes. */
  get bytes(): number {
    const work = this.workBytes + (this.isWaiting ? WAITING_BYTES : 0);
    return work + (this.incoming?.kept.bytes ?? 0);
  }

  /** Lets go of its content, and of what waiting takes: nobody handles it any more. */
  release(): void {
    this.incoming?.kept.clear();
    this.isWaiting = false;
  }

  /** Calls back, with how many bytes of content were sent, when it has been sent or has failed. */
  onEnd(callback: (contentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** The response has been sent or has failed. */
  finish(): void {
    this.workBytes = 0;
    for (const callback of this.#onEnd ?? []) callback(this.contentBytes);
  }
}
