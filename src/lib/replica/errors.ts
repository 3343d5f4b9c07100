interface StoreErrorOptions extends ErrorOptions {
  /** The option of etcd that has to be changed. */
  readonly option?: string | undefined;
}

/** The store failed, and nothing was written. Not a bug of this program. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  /** The option of etcd to change before a retry can succeed; undefined if there is none. */
  readonly option: string | undefined;

  constructor(message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.option = options.option;
  }
}

/** It cannot be determined whether a transaction has been applied, or will be. */
export class UnknownOutcomeError extends StoreError {
  override readonly name = 'UnknownOutcomeError';
}

/** A part of the history is missing: etcd has compacted it, lost it, or never had it. */
export class GapError extends StoreError {
  override readonly name = 'GapError';
}

/**
 * This replica cannot use a stored key, because it is missing, unreadable or incompatible. The
 * message is one line.
 */
export class IncompatibleError extends StoreError {
  override readonly name = 'IncompatibleError';

  /** @param finding completes the sentence that begins with `subject` */
  constructor(subject: string, finding: string) {
    super(`${subject} ${finding}`);
  }
}

/** A bug of this program, the cause, has interrupted a write whose transaction was sent. */
export class InterruptedWriteError extends Error {
  override readonly name = 'InterruptedWriteError';

  constructor(cause: unknown) {
    super('a write was interrupted after it had been sent', { cause });
  }
}
