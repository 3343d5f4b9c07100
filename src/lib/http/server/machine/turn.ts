import type { Problem } from '../../core/problem.ts';
import { type IncomingContent, NO_CONTENT } from './incoming-content.ts';

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
  content = NO_CONTENT;
  /** Why it is refused before any handler sees it. */
  refusal: Problem | undefined;
  /** Whether it has been handed to the handler. */
  isHandled = false;
  /** Whether steps are run for it, and whether they make what is being sent. */
  isRunningSteps = false;
  isSendingSteps = false;
  /** How many bytes of content have been sent so far. */
  contentBytes = 0;
  /** Whether it waits for the work of its handler. */
  isWaiting = false;
  /** How many bytes of its response are held back. */
  unsentBytes = 0;
  /** The memory of its steps, in bytes. */
  workBytes = 0;
  #onEnd: ((contentBytes: number) => void)[] | undefined;

  constructor(headBytes: number, incoming?: IncomingContent) {
    this.headBytes = headBytes;
    this.incoming = incoming;
  }

  /** Whether it has arrived as a whole. */
  get isComplete(): boolean {
    return this.incoming === undefined || this.incoming.hasArrived;
  }

  /** Whether it is owed a response. */
  get hasArrived(): boolean {
    return this.isComplete || this.refusal !== undefined;
  }

  /** The memory that it takes in all, besides its header section, in bytes. */
  get bytes(): number {
    const content = this.content.length + (this.incoming?.bytes ?? 0);
    const work = this.workBytes + this.unsentBytes;
    return content + work + (this.isWaiting ? WAITING_BYTES : 0);
  }

  /** Calls back, with how many bytes of content were sent, when it has been sent or has failed. */
  onEnd(callback: (contentBytes: number) => void): void {
    this.#onEnd ??= [];
    this.#onEnd.push(callback);
  }

  /** The response has been sent or has failed. */
  finish(): void {
    this.workBytes = 0;
    this.unsentBytes = 0;
    for (const callback of this.#onEnd ?? []) callback(this.contentBytes);
  }
}
