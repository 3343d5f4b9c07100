import { clock, type Timer } from '../../clock.ts';
import type { Fail } from './store-error.ts';

/** The result of an operation's work: its value, or what it threw. */
export type Result =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: { readonly thrown: unknown } };

/** An operation that waits to be committed until its deadline, by `clock.now()`. */
export class Operation {
  readonly work: () => unknown;
  readonly deadline: number;
  /** Whether it is part of a transaction that may have been applied. */
  isInDoubt = false;
  /** Whether the table shows everything that had been acknowledged before the operation came. */
  isConfirmed = false;
  #isSettled = false;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: Timer;

  constructor(
    work: () => unknown,
    timeoutMs: number,
    onTimeout: (operation: Operation) => void,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ) {
    this.work = work;
    this.deadline = clock.now() + timeoutMs;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = clock.setTimeout(() => onTimeout(this), timeoutMs);
  }

  /** Whether its caller has got a result or an error. */
  get isSettled(): boolean {
    return this.#isSettled;
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
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clock.clear(this.#timer);
    return true;
  }
}
