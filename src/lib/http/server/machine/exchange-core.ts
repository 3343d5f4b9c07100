import type { Problem } from '../../core/problem.ts';
import { type IncomingContent, NO_CONTENT } from './incoming-content.ts';

/**
 * The states of an exchange, in order. It never goes back (README: "The states of an exchange").
 * - `arriving`: its header section has arrived; its content has not.
 * - `waiting`: it has arrived as a whole, or is refused, and waits to be handled.
 * - `handled`: its handler runs, or has returned a promise.
 * - `sending`: its response has begun.
 * - `done`: its response was sent, or cannot be sent any more.
 */
export type ExchangeState = 'arriving' | 'waiting' | 'handled' | 'sending' | 'done';

/** The estimated memory of a request, and its growth per byte of target and header fields. */
const REQUEST_BYTES = 8 * 1024;
const MEMORY_PER_BYTE = 4;

/** The memory of a promise of a response, with all that it waits for, in bytes. */
export const DEFERRED_BYTES = 4 * 1024;

/** The state machine of a request and its response, without a socket. Its methods are events. */
export abstract class ExchangeCore {
  state: ExchangeState;
  /** Why it is refused, if it is. */
  refusal: Problem | undefined;
  /** True if this is the last request that the connection serves. */
  isFinal = false;
  /** Whether its handler has returned a promise. */
  isDeferred = false;
  /** Steps that handle the request or produce the rest of its response. */
  work: { readonly bytes?: number } | undefined;
  /** The bytes of the response's content sent so far. */
  sentBytes = 0;
  /** The content while it arrives; undefined if none follows the header section. */
  readonly incoming: IncomingContent | undefined;
  #onEnd: ((sentBytes: number) => void)[] | undefined;

  constructor(incoming?: IncomingContent) {
    this.incoming = incoming;
    this.state = incoming === undefined ? 'waiting' : 'arriving';
  }

  /** The length of target and header fields, in bytes. */
  abstract get textBytes(): number;

  get content(): Buffer {
    return this.incoming?.content ?? NO_CONTENT;
  }

  /** Whether all of its content has arrived. */
  get hasArrived(): boolean {
    return this.incoming === undefined || this.incoming.hasArrived;
  }

  /** Whether its response has begun. */
  get isBegun(): boolean {
    return this.state === 'sending' || this.state === 'done';
  }

  /** Whether it waits for its client, for processor time, or for an external system. */
  get isWaiting(): boolean {
    return this.state === 'handled' ? this.isDeferred : !this.isBegun || this.work !== undefined;
  }

  /** Whether the connection closes after its response. */
  get isClosing(): boolean {
    const { refusal, incoming } = this;
    if (this.isFinal || refusal?.close) return true;
    return refusal !== undefined && incoming?.canBeSkipped === false;
  }

  /** Event: it is to be refused. The first refusal holds. @returns false if it is handled already */
  refuse(problem: Problem): boolean {
    if (this.state !== 'arriving' && this.state !== 'waiting') return false;
    this.refusal ??= problem;
    this.incoming?.drop();
    return true;
  }

  /**
   * Event: the TCP segment with its latest bytes has been parsed to its end.
   * @returns whether it has changed to `waiting`, which it does if it is complete or refused
   */
  parsed(): boolean {
    if (this.state !== 'arriving' || !(this.hasArrived || this.refusal)) return false;
    this.state = 'waiting';
    return true;
  }

  /** Event: its handler is called. */
  handle(): void {
    if (this.state === 'waiting') this.state = 'handled';
  }

  /** Event: its handler has responded. Frees its content. */
  release(): void {
    this.incoming?.drop();
    this.isDeferred = false;
  }

  /** Event: its response begins. */
  begin(): void {
    if (this.state === 'handled') this.state = 'sending';
  }

  /** Event: its response was sent, or its connection has closed. */
  finish(): void {
    // No handler has got its content, and none will.
    if (this.state === 'arriving' || this.state === 'waiting') this.incoming?.drop();
    this.state = 'done';
    this.work = undefined;
    for (const callback of this.#onEnd ?? []) callback(this.sentBytes);
  }

  /** Calls back at its end, with the bytes of content sent. */
  onEnd(callback: (sentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** The memory of its header section while it waits behind another request, in bytes. */
  get headBytes(): number {
    return REQUEST_BYTES + MEMORY_PER_BYTE * this.textBytes;
  }

  /** The bytes of the request that are kept. */
  get arrivedBytes(): number {
    return this.textBytes + (this.incoming?.keptBytes ?? 0);
  }

  /** The memory of this request besides its header section, in bytes. */
  get bytes(): number {
    const work = (this.work?.bytes ?? 0) + (this.isDeferred ? DEFERRED_BYTES : 0);
    return work + (this.incoming?.keptBytes ?? 0);
  }
}
