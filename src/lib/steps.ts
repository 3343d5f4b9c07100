/**
 * A value, or a promise of it if the work takes longer than this turn of the event loop. A promise in
 * each layer would cost a GET a twentieth of its time.
 */
export type Awaitable<T> = T | Promise<T>;

/** Work in steps of a fraction of a millisecond. A step yields a part, or undefined if none yet. */
export interface Steps<Part = undefined, Result = void> {
  next(): IteratorResult<Part | undefined, Result>;
  /** Frees the memory, at the end or before. Idempotent. */
  close?(): void;
}

/** The result of an unfinished step without a part. */
export const NOT_YET = { done: false, value: undefined } as const;

/** Runs all steps now, and returns their result. */
export function runToEnd<T>(steps: Steps<unknown, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Work in one step, for which a turn of the event loop has to have time. */
export function inOneStep<R>(work: () => R): Steps<unknown, R> {
  return { next: () => ({ done: true, value: work() }) };
}
