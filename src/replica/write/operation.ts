import { clock, type Timer } from '../../clock.ts';
import type { Synchronous } from '../../table/write/transactions.ts';
import { storeProblem } from '../../todo/problems.ts';

/** The result of an operation's work: returns its value, or throws what it threw. */
export type Result = () => unknown;

/** An operation that waits to be committed until its deadline, by `clock.now()`. */
export class Operation {
  readonly work: () => Synchronous;
  readonly deadline: number;
  /** Whether it is part of a transaction that may have been applied. */
  isInDoubt = false;
  /** Whether the table shows everything that had been acknowledged before the operation came. */
  isConfirmed = false;
  /** Whether its caller has got a result or an error. */
  isSettled = false;
  readonly #answer: (result: Result, number: number) => void;
  readonly #timer: Timer;

  /** @param answer called once, with the result and the number of its commit */
  constructor(
    work: () => Synchronous,
    timeoutMs: number,
    onTimeout: (operation: Operation) => void,
    answer: (result: Result, number: number) => void,
  ) {
    this.work = work;
    this.deadline = clock.now() + timeoutMs;
    this.#answer = answer;
    this.#timer = clock.setTimeout(() => onTimeout(this), timeoutMs);
  }

  /** @param number that of the commit */
  settle(result: Result, number: number): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clock.clear(this.#timer);
    this.#answer(result, number);
  }

  fail(detail: string): void {
    const code = this.isInDoubt ? 'outcome-unknown' : 'store-unavailable';
    this.settle(() => {
      throw storeProblem(code, detail);
    }, 0);
  }
}
