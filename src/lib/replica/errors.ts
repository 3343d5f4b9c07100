import { jsonObjectIn } from '../json/index.ts';

/**
 * Why the store cannot be used, as the log tells reasons apart: nothing listens; nothing answers in
 * time; TLS fails; etcd accepts no password or token; it does not permit it; it has compacted what
 * is needed; what others have stored cannot be read; anything else.
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

/** Others have stored something in place of what a key, or a list, must have. */
export class UnreadableError extends StoreError {
  override readonly name: string = 'UnreadableError';
  /** What is wrong with it: a sentence without its subject. */
  readonly finding: string;

  constructor(subject: string, finding: string) {
    super(`${subject} ${finding}`, 'unreadable');
    this.finding = finding;
  }
}

/** The stored list is incompatible with this replica; the message says why in one line. */
export class IncompatibleError extends UnreadableError {
  override readonly name = 'IncompatibleError';
}

/** A fault of this program, its cause, has left it open what became of a write that was sent. */
export class InterruptedWriteError extends Error {
  override readonly name = 'InterruptedWriteError';

  constructor(cause: unknown) {
    super('a write was interrupted after it had been sent', { cause });
  }
}

/**
 * What is known about a failed request:
 *
 * - `unsent`: it never reached etcd, so nothing has happened
 * - `rejected`: etcd refused it, so nothing has happened, unless a proxy has sent it twice
 * - `unknown`: it may have happened, or may still happen
 */
export type Outcome = 'unsent' | 'rejected' | 'unknown';

/** A request to etcd that failed. */
export class EtcdError extends StoreError {
  override readonly name: string = 'EtcdError';
  readonly outcome: Outcome;
  /** The gRPC status code in etcd's response; undefined if there was none. */
  readonly code: number | undefined;

  constructor(outcome: Outcome, message: string, kind?: ReasonKind, code?: number) {
    super(message, kind);
    this.outcome = outcome;
    this.code = code;
  }

  /** A new token is needed: it has expired, or users or authentication have changed since. */
  get isUnauthenticated(): boolean {
    if (this.outcome === 'rejected' && this.code === UNAUTHENTICATED) return true;
    return this.code !== undefined && OLD_TOKENS.some((words) => this.message.endsWith(words));
  }

  /** etcd has no space, or refuses so large a request. It may also refuse so large a response. */
  get isExhausted(): boolean {
    return this.code === RESOURCE_EXHAUSTED;
  }
}

/** A part of the history is missing: etcd has compacted it, or lost it, or does not have it yet. */
export class GapError extends EtcdError {
  override readonly name = 'GapError';

  constructor(message: string) {
    super('rejected', message, message.endsWith('compacted') ? 'compacted' : 'other');
  }
}

/* gRPC's status codes. With REFUSALS, etcd has refused the request; the others leave it open. */
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;
const REFUSALS: readonly unknown[] = [3, 5, 6, PERMISSION_DENIED, 9, OUT_OF_RANGE, UNAUTHENTICATED];

/*
 * What etcd 3.4 to 3.7 say of a token that is no longer good, where the code does not say it. The
 * second one comes with the code of any error (3.4.16, 3.5.1).
 */
const OLD_TOKENS = [
  'revision of auth store is old',
  'auth: revision in header is old',
  'user name is empty',
];

/** The error of a response that is not 200: etcd's own if its body has a message and a code. */
export function errorOf(status: number, body: string): EtcdError {
  const own = jsonObjectIn(body);
  const isOwn = typeof own?.message === 'string' && typeof own.code === 'number';
  const message = `etcd answered ${status}: ${isOwn ? own.message : body.trim().slice(0, 200)}`;
  const code = isOwn ? Number(own.code) : undefined;
  const isRefusal = status >= 400 && status < 500 && REFUSALS.includes(code);
  if (isRefusal && code === OUT_OF_RANGE) return new GapError(message);
  const outcome = isRefusal ? 'rejected' : 'unknown';
  const error = new EtcdError(outcome, message, undefined, code);
  const isLogin = status === 401 || error.isUnauthenticated;
  const isForbidden = status === 403 || code === PERMISSION_DENIED;
  const kind = isLogin ? 'login' : isForbidden ? 'forbidden' : 'other';
  return new EtcdError(outcome, message, kind, code);
}
