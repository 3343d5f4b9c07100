/** The store failed, and nothing was written. Not a bug of this program. */
export class StoreError extends Error {}

/** A write may have been stored, or may still be. */
export class UnknownOutcomeError extends StoreError {}

/** This replica cannot use a stored key, or the endpoints of etcd. The message is one line. */
export class IncompatibleError extends StoreError {}

/** A part of the history is missing, or is another list's. The list has to be loaded again. */
export class GapError extends StoreError {}
