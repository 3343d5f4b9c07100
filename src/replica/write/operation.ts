import { clock, type Timer } from '../../clock.ts';
import type { Synchronous } from '../../table/write/synchronous.ts';
import { storeProblem } from '../../todo/problems.ts';

/** The result of an operation's work: its value, or what it threw. */
export type Result =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: { readonly thrown: unknown } };

/** An operation that waits to be committed until its deadline, by `clock.now()`. */
export class Operation {
  readonly work: () => Synchronous;
  readonly deadline: number;
  /** Whether it is part of a transaction that may have been applied. */
  isInDoubt = false;
  /** Whether the table shows everything that had been acknowledged before the operation came. */
  isConfirmed = false;
  #isSettled = false;
  readonly #respond: (value: unknown, number: number) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: Timer;

  constructor(
    work: () => Synchronous,
    timeoutMs: number,
    onTimeout: (operation: Operation) => void,
    respond: (value: unknown, number: number) => void,
    reject: (error: unknown) => void,
  ) {
    this.work = work;
    this.deadline = clock.now() + timeoutMs;
    this.#respond = respond;
    this.#reject = reject;
    this.#timer = clock.setTimeout(() => onTimeout(this), timeoutMs);
  }

  /** Whether its caller has got a result or an error. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** @param number that of the commit */
  settle(result: Result, number: number): void {
    if (!this.#end()) return;
    if (result.error === undefined) this.#respond(result.value, number);
    else this.#reject(result.error.thrown);
  }

  fail(detail: string): void {
    if (!this.#end()) return;
    this.#reject(storeProblem(this.isInDoubt ? 'outcome-unknown' : 'store-unavailable', detail));
  }

  #end(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clock.clear(this.#timer);
    return true;
  }
}
