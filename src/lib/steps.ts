/** Work in steps of a fraction of a millisecond. Each yields a part, or undefined: not yet. */
export interface Steps<Part = undefined, Result = void> {
  next(): IteratorResult<Part | undefined, Result>;
  /** The memory it holds, in bytes; negligible if absent. */
  readonly bytes?: number;
  /** Releases its memory, at its end or before. May be called again. */
  close?(): void;
}

/** The result of an unfinished step without a part. */
export const NOT_YET = { done: false, value: undefined } as const;

/** Runs steps to their end at once, and returns their result. */
export function runToEnd<T>(steps: Steps<unknown, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
