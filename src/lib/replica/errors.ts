/**
 * The kind of a reason for which the store cannot be used, by which the log tells reasons apart:
 * nothing listens; nothing answers in time; TLS fails; etcd does not accept the password or the
 * token; etcd does not permit it; etcd has compacted what is needed; what others have stored cannot
 * be read. All that is left is `other`.
 */
export type ReasonKind =
  | 'refused'
  | 'silent'
  | 'TLS'
  | 'login'
  | 'forbidden'
  | 'compacted'
  | 'unreadable'
  | 'other';

/** The store could not do something, and nothing has happened. No fault of this program. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly kind: ReasonKind;

  constructor(message: string, kind: ReasonKind = 'other') {
    super(message);
    this.kind = kind;
  }

  /** What to tell users: the message after the word of its kind. */
  get reason(): string {
    return this.kind === 'other' ? this.message : `${this.kind}: ${this.message}`;
  }
}

/** It cannot be determined whether a transaction has been applied, or will be. */
export class UnknownOutcomeError extends StoreError {
  override readonly name = 'UnknownOutcomeError';
}

/** Others have stored something in place of what a key must have. */
export class UnreadableError extends StoreError {
  override readonly name = 'UnreadableError';
  /** What is wrong with it: a sentence of which the key is the subject. */
  readonly finding: string;

  constructor(key: string, finding: string) {
    super(`${key} ${finding}`, 'unreadable');
    this.finding = finding;
  }
}

/** The stored list is incompatible with this replica; the message says why in one line. */
export class IncompatibleError extends StoreError {
  override readonly name = 'IncompatibleError';

  constructor(message: string) {
    super(message, 'unreadable');
  }
}

/** A fault of this program, its cause, has left it open what became of a write that was sent. */
export class InterruptedWriteError extends Error {
  override readonly name = 'InterruptedWriteError';

  constructor(cause: unknown) {
    super('a write was interrupted after it had been sent', { cause });
  }
}
