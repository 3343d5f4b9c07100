import { jsonObjectIn } from '../json/index.ts';

/** The store failed, and nothing was written. Not a bug of this program. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
}

/** It cannot be determined whether a transaction has been applied, or will be. */
export class UnknownOutcomeError extends StoreError {
  override readonly name = 'UnknownOutcomeError';
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

/**
 * The outcome of a failed request, as far as it is known:
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

  constructor(outcome: Outcome, message: string, code?: number, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
    this.code = code;
  }

  /** True if a new token is needed: it has expired, or users or authentication have changed. */
  get isUnauthenticated(): boolean {
    if (this.outcome === 'rejected' && this.code === UNAUTHENTICATED) return true;
    return this.code !== undefined && OLD_TOKENS.some((words) => this.message.endsWith(words));
  }

  /** True if etcd has no space, or the request or response is too large. */
  get isExhausted(): boolean {
    return this.code === RESOURCE_EXHAUSTED;
  }
}

/** A part of the history is missing: etcd has compacted it, lost it, or never had it. */
export class GapError extends EtcdError {
  override readonly name = 'GapError';

  constructor(message: string) {
    super('rejected', message);
  }
}

/* gRPC's status codes. One of REFUSALS means that etcd has not applied the request. */
const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;
const REFUSALS: readonly unknown[] = [3, 5, 6, 7, 9, OUT_OF_RANGE, UNAUTHENTICATED];

/*
 * The ends of etcd's messages (3.4 to 3.7) about a token that is no longer valid, for errors with
 * another code than UNAUTHENTICATED. The second message comes with any code (3.4.16, 3.5.1).
 */
const OLD_TOKENS = [
  'revision of auth store is old',
  'auth: revision in header is old',
  'user name is empty',
];

/** The error of a response that is not 200: with etcd's message and code if the body has them. */
export function errorOf(status: number, body: string): EtcdError {
  const own = jsonObjectIn(body);
  const isOwn = typeof own?.message === 'string' && typeof own.code === 'number';
  const message = `etcd answered ${status}: ${isOwn ? own.message : body.trim().slice(0, 200)}`;
  const code = isOwn ? Number(own.code) : undefined;
  const isRefusal = status >= 400 && status < 500 && REFUSALS.includes(code);
  if (isRefusal && code === OUT_OF_RANGE) return new GapError(message);
  return new EtcdError(isRefusal ? 'rejected' : 'unknown', message, code);
}
