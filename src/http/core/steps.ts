/**
 * Something made in steps of a fraction of a millisecond, so that others get their turn in between.
 * A step yields a part of it, or undefined: not yet. A generator is one, and a table's cursor.
 */
export interface Steps<Part = undefined, Result = void> {
  next(): IteratorResult<Part | undefined, Result>;
  /** The memory it holds, in bytes; negligible if absent. */
  readonly bytes?: number;
  /** Releases what it holds, at its end or before. May be called again. */
  close?(): void;
}

/** What a step yields that has made no part, and is not the last one. */
export const NOT_YET: { readonly done: false; readonly value: undefined } = {
  done: false,
  value: undefined,
};
