import { closingProblem, type Problem } from '../../core/problem.ts';
import { contentTooLarge, MAX_CONTENT_BYTES } from '../../request/header-section.ts';

/** How many bytes of requests may wait behind a response. */
export const MAX_AHEAD_BYTES = 128 * 1024;

export const NO_CONTENT: Buffer = Buffer.alloc(0);

/** The connection on which content arrives. */
export interface ContentOwner {
  /** True when the connection serves no more requests. */
  readonly isOver: boolean;
  /** Event: content has arrived, and the memory of its buffer has changed by `keptBytes`. */
  addContent(pieceBytes: number, keptBytes: number): void;
  end(): void;
}

/** The content of a request while it arrives. Content beyond its limit is not kept. */
export class IncomingContent {
  readonly #owner: ContentOwner;
  readonly #declared: number | undefined;
  /** True if the length is not declared, and the client does not wait for a 100 (Continue). */
  readonly mayBeEmpty: boolean;
  /** One buffer for all pieces, because a `Buffer` for each would take 100 bytes or more. */
  #buffer = NO_CONTENT;
  /** The bytes that have arrived. */
  #size = 0;
  /** The limit of `read`, or before that the limit of a request behind a response. */
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

  /**
   * Calls back when the content is complete or too large. Not a promise, because that slows writes
   * by 5 %.
   */
  read(done: (refusal?: Problem) => void, maxBytes: number = MAX_CONTENT_BYTES): void {
    this.#done = done;
    // Content that was too large while it waited is incomplete, so a higher limit cannot help.
    this.#maxBytes = this.#isTooLarge ? Math.min(this.#maxBytes, maxBytes) : maxBytes;
    if (this.#isTooLarge) this.#refuse();
    else if (this.#isComplete) done();
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

  /** Drops the bytes that have arrived. */
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

  /** True if content that no route reads is too long to be discarded, so the connection closes. */
  get isTooLong(): boolean {
    return (this.#declared ?? this.#size) > MAX_CONTENT_BYTES;
  }

  /**
   * Discards the content, so that the next request can follow. If it is too long, ends the
   * connection instead.
   * @param done called when the content is complete or too long
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

/** The problem of a request that takes too long. @param progress how much of its content came */
export function lateRequest(progress: string | undefined): Problem {
  const late = progress === undefined ? 'request' : `content (${progress} so far)`;
  const detail = `The ${late} did not arrive in time; send the request again`;
  return closingProblem('request-timeout', detail);
}

/** The estimated memory of a request, and its growth per byte of target and header fields. */
const REQUEST_BYTES = 8 * 1024;
const MEMORY_PER_BYTE = 4;

/** The memory of a request while its handler waits, besides its content, in bytes. */
const WAITING_BYTES = 4 * 1024;

/** A request whose response has not been sent. This part of it belongs to the connection's core. */
export abstract class PendingExchange {
  /** The content while it arrives; undefined if none follows the header section. */
  readonly incoming: IncomingContent | undefined;
  /** True if this is the last request that the connection serves. */
  isFinal = false;
  refusal: Problem | undefined;
  isHandled = false;
  /** Whether it waits for its handler to begin or to respond. */
  isWaiting = false;
  /** Steps that handle the request or produce the rest of its response. */
  work: { readonly bytes?: number } | undefined;
  /** The bytes of the response content sent so far. */
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

  /** The bytes of the request that are kept. */
  get arrivedBytes(): number {
    return this.textBytes + (this.incoming?.keptBytes ?? 0);
  }

  get content(): Buffer {
    return this.incoming?.content ?? NO_CONTENT;
  }

  get isComplete(): boolean {
    return this.incoming === undefined || this.incoming.hasArrived;
  }

  /** The memory of this request besides its header section, in bytes. */
  get bytes(): number {
    const work = (this.work?.bytes ?? 0) + (this.isWaiting ? WAITING_BYTES : 0);
    return work + (this.incoming?.keptBytes ?? 0);
  }

  /** Event: its handler has responded. */
  release(): void {
    this.incoming?.clear();
    this.isWaiting = false;
  }

  /** Calls back when the response has been sent or has failed, with the bytes of content sent. */
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
