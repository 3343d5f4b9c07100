import type { Problem } from '../../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../../request/header-section.ts';

/** How many bytes of requests may wait behind a response. */
export const MAX_AHEAD_BYTES = 128 * 1024;

export const NO_CONTENT: Buffer = Buffer.alloc(0);

/** The connection on which content arrives. */
export interface ContentOwner {
  /** Whether nothing more is served. */
  readonly isOver: boolean;
  /** Event: a piece of content has arrived, of which `keptBytes` more are kept. */
  addContent(pieceBytes: number, keptBytes: number): void;
  end(): void;
}

/** The content of a request while it arrives. Content beyond its limit is not kept. */
export class IncomingContent {
  readonly #owner: ContentOwner;
  readonly #declared: number | undefined;
  /** Whether it may turn out to be empty: it is chunked, and its client does not wait for a 100. */
  readonly mayBeEmpty: boolean;
  /** One buffer for all pieces, because a `Buffer` for each would take 100 bytes or more. */
  #buffer = NO_CONTENT;
  /** How many bytes have arrived. */
  #size = 0;
  /** Set by `read`. Until then, it waits behind a response. */
  #maxBytes = MAX_AHEAD_BYTES;
  hasArrived = false;
  #isComplete = false;
  #isDiscarded = false;
  #done: ((refusal?: Problem) => void) | undefined;

  /** @param declared its length in bytes; undefined if it is chunked */
  constructor(owner: ContentOwner, declared: number | undefined, awaitsContinue: boolean) {
    this.#owner = owner;
    this.#declared = declared;
    this.mayBeEmpty = declared === undefined && !awaitsContinue;
  }

  /** Calls back once: when it is complete, or too large. A promise would slow writes by a 20th. */
  read(done: (refusal?: Problem) => void, maxBytes: number = MAX_CONTENT_BYTES): void {
    this.#done = done;
    // What exceeded the limit of content that waits has not been kept.
    this.#maxBytes = this.#isTooLarge ? Math.min(this.#maxBytes, maxBytes) : maxBytes;
    if (this.#isTooLarge) this.#refuse();
    else if (this.#isComplete) done();
  }

  /** The content that has arrived and has not been dropped. */
  get content(): Buffer {
    const isFull = this.#size >= this.#buffer.length;
    return isFull ? this.#buffer : this.#buffer.subarray(0, this.#size);
  }

  /** The memory of its buffer, in bytes. */
  get keptBytes(): number {
    return this.#buffer.length;
  }

  /** Drops what has arrived. */
  clear(): void {
    this.#buffer = NO_CONTENT;
  }

  get #isTooLarge(): boolean {
    return this.#size > this.#maxBytes;
  }

  #refuse(): void {
    this.clear();
    this.#done?.(contentTooLarge(this.#maxBytes));
  }

  /** Whether the connection closes after it, if no route reads it. */
  get isTooLong(): boolean {
    return (this.#declared ?? this.#size) > MAX_CONTENT_BYTES;
  }

  /**
   * Drops it, so that the next request can follow. If it is too long, ends the connection instead.
   * @param done called when either is certain
   */
  discard(done = () => {}): void {
    this.#isDiscarded = true;
    this.clear();
    this.read((refusal) => {
      done();
      if (refusal !== undefined) this.#owner.end();
    });
  }

  addPiece(piece: Buffer): void {
    const { keptBytes } = this;
    const wasTooLarge = this.#isTooLarge;
    this.#size += piece.length;
    if (!(this.#isTooLarge || this.#isDiscarded || this.#owner.isOver)) this.#keep(piece);
    this.#owner.addContent(piece.length, this.keptBytes - keptBytes);
    if (this.#isTooLarge && !wasTooLarge && !this.#owner.isOver) this.#refuse();
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

  /** Event: all of it has arrived. An error in the bytes after it may follow. */
  end(): void {
    this.hasArrived = true;
    this.#owner.addContent(0, 0);
  }

  /** Event: all of it has arrived, without an error. */
  complete(): void {
    this.#isComplete = true;
    if (!this.#owner.isOver && !this.#isTooLarge) this.#done?.();
  }
}

/** The memory of a request, and for each byte of its header section with the strings made of it. */
const REQUEST_BYTES = 8 * 1024;
const MEMORY_PER_BYTE = 4;

/** The memory of a request whose work is waited for, besides its content, in bytes. */
const WAITING_BYTES = 4 * 1024;

/** A request whose response has not been sent. This part of it belongs to the connection's core. */
export abstract class PendingExchange {
  /** The content while it arrives; undefined if none follows the header section. */
  readonly incoming: IncomingContent | undefined;
  /** Whether no request after it is served. */
  isFinal = false;
  refusal: Problem | undefined;
  isHandled = false;
  /** Whether its handler has not responded yet, or has not begun. */
  isWaiting = false;
  /** Steps that run for it, or make the rest of its response. */
  work: { readonly bytes?: number } | undefined;
  /** How many bytes of content have been sent so far. */
  contentBytes = 0;
  #onEnd: ((contentBytes: number) => void)[] | undefined;

  constructor(incoming?: IncomingContent) {
    this.incoming = incoming;
  }

  /** The length of target and header fields, in bytes. */
  abstract get textBytes(): number;

  /** The memory of its header section while it waits behind another request, in bytes. */
  get headBytes(): number {
    return REQUEST_BYTES + MEMORY_PER_BYTE * this.textBytes;
  }

  /** How many bytes of it have arrived. */
  get arrivedBytes(): number {
    return this.textBytes + (this.incoming?.keptBytes ?? 0);
  }

  get content(): Buffer {
    return this.incoming?.content ?? NO_CONTENT;
  }

  get isComplete(): boolean {
    return this.incoming === undefined || this.incoming.hasArrived;
  }

  /** Whether it is owed a response. */
  get hasArrived(): boolean {
    return this.isComplete || this.refusal !== undefined;
  }

  /** The memory that it takes besides its header section, in bytes. */
  get bytes(): number {
    const work = (this.work?.bytes ?? 0) + (this.isWaiting ? WAITING_BYTES : 0);
    return work + (this.incoming?.keptBytes ?? 0);
  }

  /** Event: its handler has responded. */
  release(): void {
    this.incoming?.clear();
    this.isWaiting = false;
  }

  /** Calls back, with the bytes of content that were sent, when it has been sent or has failed. */
  onEnd(callback: (contentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** Event: the response has been sent or has failed. */
  finish(): void {
    this.work = undefined;
    for (const callback of this.#onEnd ?? []) callback(this.contentBytes);
  }
}
