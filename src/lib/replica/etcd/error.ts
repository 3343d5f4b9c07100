/**
 * What is known about a failed request:
 *
 * - `refused`: it never reached etcd, so nothing has happened
 * - `rejected`: etcd refused it, so nothing has happened, unless a proxy has sent it twice
 * - `unknown`: it may have happened, or may still happen
 */
export type Outcome = 'refused' | 'rejected' | 'unknown';

/** A request to etcd that failed. */
export class EtcdError extends Error {
  override readonly name: string = 'EtcdError';
  readonly outcome: Outcome;
  /** The gRPC status code in etcd's response; undefined if there was none. */
  readonly code: number | undefined;

  constructor(outcome: Outcome, message: string, code?: number) {
    super(message);
    this.outcome = outcome;
    this.code = code;
  }

  /**
   * A new token is needed: it has expired, or is another cluster's, or a JSON Web Token from before
   * a change of users or roles; or authentication has been switched on or off.
   */
  get isUnauthenticated(): boolean {
    const { outcome, code, message } = this;
    if (outcome !== 'rejected') return false;
    return code === UNAUTHENTICATED || message.endsWith(OLD_TOKEN) || message.endsWith(NO_TOKEN);
  }

  /** Authentication is off, so there is no token to log in for. */
  get isAuthenticationOff(): boolean {
    return this.message.endsWith(AUTHENTICATION_OFF);
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
    super('rejected', message);
  }
}

/* gRPC's status codes. With REFUSALS, etcd has refused the request; the others leave it open. */
const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;
const REFUSALS: readonly unknown[] = [3, 5, 6, 7, 9, OUT_OF_RANGE, UNAUTHENTICATED];

/* What other errors with the same codes do not say. */
const OLD_TOKEN = 'revision of auth store is old';
const NO_TOKEN = 'user name is empty';
const AUTHENTICATION_OFF = 'authentication is not enabled';

/**
 * The error of a response with a status other than 200: etcd's own if its body has a message and a
 * code (etcd 3.6 has dropped `error`), else that of a proxy.
 */
export function errorOf(status: number, body: string): EtcdError {
  let message = body.trim().slice(0, 200);
  let code: number | undefined;
  try {
    const json = JSON.parse(body);
    if (typeof json.message === 'string' && typeof json.code === 'number')
      ({ message, code } = json);
  } catch {
    // It is not JSON, or null.
  }
  message = `etcd answered ${status}: ${message}`;
  const isRefusal = status >= 400 && status < 500 && REFUSALS.includes(code);
  if (isRefusal && code === OUT_OF_RANGE) return new GapError(message);
  return new EtcdError(isRefusal ? 'rejected' : 'unknown', message, code);
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
