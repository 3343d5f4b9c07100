import { jsonObjectIn } from '../../../lib/json/index.ts';
import { GapError, StoreError } from '../errors.ts';

/**
 * What became of a request that failed:
 *
 * - `unreachable`: it was not sent, because there is no connection, or because etcd refuses the login
 * - `unsent`: it was not sent for another reason, such as a login that failed
 * - `no login`: it was a login, which etcd does not need
 * - `old token`: etcd refused its token, which is no longer valid
 * - `refused`: etcd refused it for another reason, such as a lack of space
 * - `unknown`: it may have happened, or may still happen
 */
export type Outcome = 'unreachable' | 'unsent' | 'no login' | 'old token' | 'refused' | 'unknown';

/** A request to etcd that failed. */
export class EtcdError extends StoreError {
  readonly outcome: Outcome;

  constructor(outcome: Outcome, message: string) {
    super(message);
    this.outcome = outcome;
  }

  /** Whether etcd cannot have received the request. */
  get isUnsent(): boolean {
    return this.outcome === 'unsent' || this.outcome === 'unreachable';
  }
}

/* gRPC's status codes. One of REFUSALS means that etcd has not applied the request. */
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;
const REFUSALS: readonly unknown[] = [3, 5, 6, 7, 8, 9, UNAUTHENTICATED];

/**
 * The ends of etcd's messages (3.4 to 3.7) about a token that is no longer valid, if the code is not
 * UNAUTHENTICATED. The second message comes with any code (3.4.16, 3.5.1).
 */
const OLD_TOKEN =
  /(revision of auth store is old|auth: revision in header is old|user name is empty)$/;

/** The end of etcd's answer to a login that it does not need. */
const NO_LOGIN = 'authentication is not enabled';

/**
 * The error of a response that is not 200. Only etcd's own body is a refusal, and only etcd's own
 * message is shown. A GapError means that etcd has compacted the revision.
 */
export function errorOf(status: number, body: string): StoreError {
  const { message, code } = jsonObjectIn(body) ?? {};
  const isFromEtcd = typeof message === 'string' && typeof code === 'number';
  if (!isFromEtcd) return new EtcdError('unknown', `etcd answered ${status}`);
  const text = `etcd answered ${status}: ${message}`;
  if (message.endsWith(NO_LOGIN)) return new EtcdError('no login', text);
  if (OLD_TOKEN.test(message)) return new EtcdError('old token', text);
  const isRejected = status >= 400 && status < 500;
  if (isRejected && code === OUT_OF_RANGE) return new GapError(text);
  if (!isRejected || !REFUSALS.includes(code)) return new EtcdError('unknown', text);
  return new EtcdError(code === UNAUTHENTICATED ? 'old token' : 'refused', text);
}
