/**
 * Work that may take long, in steps of a fraction of a millisecond, so that others get their turn
 * in between. A generator is one.
 */
export interface Work<T> {
  /** Runs one step. */
  next(): IteratorResult<unknown, T>;
  /** The memory it holds, in bytes; negligible if absent. */
  readonly bytes?: number;
}

/** Runs a function, and closes the resource if that throws or its promise is rejected. */
export function closingOnFailure<T>(
  resource: { close(): void },
  work: () => T | Promise<T>,
): T | Promise<T> {
  const fail = (error: unknown): never => {
    resource.close();
    throw error;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}
