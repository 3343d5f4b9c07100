/**
 * What is known about a failed request:
 *
 * - `refused`: it never reached etcd, so nothing has happened
 * - `rejected`: etcd refused it, so nothing has happened
 * - `unknown`: there was no response, or none that tells whether it has happened
 */
export type Outcome = 'refused' | 'rejected' | 'unknown';

/** A request to etcd that failed. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly outcome: Outcome;
  /** The gRPC status code in etcd's response; undefined if there was none. */
  readonly code: number | undefined;

  constructor(outcome: Outcome, message: string, code?: number) {
    super(message);
    this.outcome = outcome;
    this.code = code;
  }

  /** The requested revision is compacted or in the future (gRPC: out of range). */
  get isOutOfRange(): boolean {
    return this.code === OUT_OF_RANGE;
  }

  /**
   * A new token is needed: the token has expired, or belongs to another cluster (gRPC:
   * unauthenticated), or is a JSON Web Token from before a change of users or roles.
   */
  get isUnauthenticated(): boolean {
    return this.code === UNAUTHENTICATED || this.message.endsWith(OLD_TOKEN);
  }

  /** etcd has no space, or refuses so large a request (gRPC: resource exhausted). */
  get isExhausted(): boolean {
    return this.code === RESOURCE_EXHAUSTED;
  }
}

/** A node that is stopping ends requests in flight with 408 or 499 (gRPC: canceled). */
const UNCERTAIN_STATUSES = [408, 429, 499];

const RESOURCE_EXHAUSTED = 8;
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;

/** The code of this is that of an invalid argument. */
const OLD_TOKEN = 'revision of auth store is old';

/** The error of a response with a status other than 200. */
export function errorOf(status: number, body: string): EtcdError {
  const { message, code } = detailsOf(body);
  const isUncertain =
    status >= 500 || UNCERTAIN_STATUSES.includes(status) || code === RESOURCE_EXHAUSTED;
  const text = `etcd answered ${status}: ${message}`;
  return new EtcdError(isUncertain ? 'unknown' : 'rejected', text, code);
}

/** Some refusals are not JSON, and etcd 3.6 has dropped `error`. */
function detailsOf(body: string): { readonly message: string; readonly code?: number } {
  try {
    const { message, error, code } = JSON.parse(body);
    return { message: String(message ?? error), ...(typeof code === 'number' && { code }) };
  } catch {
    return { message: body.trim().slice(0, 200) };
  }
}
