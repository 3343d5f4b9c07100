import type { Fail } from './store-error.ts';

/** What became of an operation's work. */
export type Result =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: { readonly thrown: unknown } };

/** An operation that waits to be written, for so long. */
export class Operation {
  readonly work: () => unknown;
  readonly deadline: number;
  /** It is part of a transaction that may have been applied. */
  isInDoubt = false;
  /** The table has shown, since it came, all that had been acknowledged before. */
  isConfirmed = false;
  #isOver = false;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(
    work: () => unknown,
    timeoutMs: number,
    onTimeout: (operation: Operation) => void,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.work = work;
    this.deadline = performance.now() + timeoutMs;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => onTimeout(this), timeoutMs);
  }

  /** Whether whoever asked for it has been told. */
  get isOver(): boolean {
    return this.#isOver;
  }

  settle(result: Result): void {
    if (!this.#end()) return;
    if (result.error === undefined) this.#resolve(result.value);
    else this.#reject(result.error.thrown);
  }

  fail(fail: Fail, detail: string): void {
    if (!this.#end()) return;
    this.#reject(fail(this.isInDoubt ? 'outcome-unknown' : 'store-unavailable', detail));
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }
}
