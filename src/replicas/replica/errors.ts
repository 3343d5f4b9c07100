/** The store failed. Nothing was written, unless it is an {@link UnknownOutcomeError}. */
export class StoreError extends Error {}

/** A write may have been stored, or may still be. */
export class UnknownOutcomeError extends StoreError {}

/** This replica cannot use a stored key, or the endpoints of etcd. The message is one line. */
export class IncompatibleError extends StoreError {}

/** A part of the history is missing, or belongs to another list. The list has to be loaded. */
export class GapError extends StoreError {}

/** Waits for a promise that may fail with a StoreError. @throws its other errors */
export async function ignoreStoreError(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Throws as an expression. */
export function raise(error: unknown): never {
  throw error;
}
