/**
 * Work that can be long, done in steps of a fraction of a millisecond, so that others have their
 * turn in between. A generator is one.
 */
export interface Work<T> {
  /** Does a step. */
  next(): IteratorResult<unknown, T>;
  /** The memory it holds, in bytes; none to speak of unless it says so. */
  readonly bytes?: number;
}

/** Does something with what has to be closed; where that fails, at once or later, closes it. */
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
