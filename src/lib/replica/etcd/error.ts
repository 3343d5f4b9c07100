import { jsonObjectIn } from '../../json/index.ts';
import { type ReasonKind, StoreError } from '../errors.ts';

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
    super('rejected', message, message.endsWith(COMPACTED) ? 'compacted' : 'other');
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
const COMPACTED = 'compacted';

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
