import { jsonObjectIn } from '../../json/index.ts';
import { GapError, StoreError } from '../errors.ts';

/**
 * The outcome of a request that failed:
 *
 * - `unsent`: it never reached etcd, so nothing has happened
 * - `login refused`: likewise, because etcd refused the user's name or password
 * - `authentication off`: it was a login, which etcd does not need
 * - `unauthenticated`: etcd refused its token, which has expired, or is older than a change of users
 * - `rejected`: etcd refused it for another reason, such as a lack of space
 * - `unknown`: it may have happened, or may still happen
 *
 * etcd has finished with a request that is unauthenticated or rejected, so it will not apply it
 * later. But a proxy may have sent it twice, and etcd may have applied the first one.
 */
export type Outcome =
  | 'unsent'
  | 'login refused'
  | 'authentication off'
  | 'unauthenticated'
  | 'rejected'
  | 'unknown';

/** A request to etcd that failed. */
export class EtcdError extends StoreError {
  override readonly name = 'EtcdError';
  readonly outcome: Outcome;

  constructor(
    outcome: Outcome,
    message: string,
    options?: ConstructorParameters<typeof StoreError>[1],
  ) {
    super(message, options);
    this.outcome = outcome;
  }

  /** Whether etcd cannot have received the request. */
  get isUnsent(): boolean {
    return this.outcome === 'unsent' || this.outcome === 'login refused';
  }

  /** The same error of a request that was sent several times, with the outcome of all attempts. */
  with(outcome: Outcome): EtcdError {
    return new EtcdError(outcome, this.message, { option: this.option, cause: this.cause });
  }

  /** Whether the same request may succeed if it is sent again. */
  get isTransient(): boolean {
    return ['unsent', 'unauthenticated', 'unknown'].includes(this.outcome);
  }
}

/* gRPC's status codes. One of REFUSALS means that etcd has not applied the request. */
const OUT_OF_RANGE = 11;
const UNAUTHENTICATED = 16;
const REFUSALS: readonly unknown[] = [3, 5, 6, 7, 8, 9, OUT_OF_RANGE, UNAUTHENTICATED];

/*
 * The ends of etcd's messages (3.4 to 3.7) about a token that is no longer valid, if the code is not
 * UNAUTHENTICATED. The second message comes with any code (3.4.16, 3.5.1).
 */
const OLD_TOKENS = [
  'revision of auth store is old',
  'auth: revision in header is old',
  'user name is empty',
];

/** The end of etcd's answer to a login that it does not need. */
const AUTHENTICATION_OFF = 'authentication is not enabled';

/** Parts of etcd's messages about a limit that is too low for replicas, and the limit's option. */
const LIMITS: readonly (readonly [message: string, option: string])[] = [
  ['too many operations in txn request', '--max-txn-ops=128'],
  ['request is too large', '--max-request-bytes=1572864'],
  ['received message larger than max', '--max-request-bytes=1572864'],
];

/** Missing if an operator has switched the gateway off, which is on by default. */
const GATEWAY = '--enable-grpc-gateway=true';

/**
 * The error of a response that is not 200: with etcd's message if the body has one.
 * @param redact removes secrets from a text, after it has been interpreted
 */
export function errorOf(
  status: number,
  body: string,
  redact: (text: string) => string,
): EtcdError | GapError {
  const answer = jsonObjectIn(body);
  const isFromEtcd = typeof answer?.message === 'string' && typeof answer.code === 'number';
  const text = isFromEtcd ? String(answer.message) : body.trim();
  const code = isFromEtcd ? Number(answer.code) : undefined;
  const limitOption = isFromEtcd ? LIMITS.find(([part]) => text.includes(part))?.[1] : undefined;
  const option = !isFromEtcd && status === 404 ? GATEWAY : limitOption;
  const advice = option === undefined ? '' : `; etcd needs ${option}`;
  const message = `etcd answered ${status}: ${redact(text).slice(0, 200)}${advice}`;
  const isRefusal = status >= 400 && status < 500 && REFUSALS.includes(code);
  if (isRefusal && code === OUT_OF_RANGE) return new GapError(message);
  return new EtcdError(outcomeOf(), message, { option });

  function outcomeOf(): Outcome {
    if (isFromEtcd && text.endsWith(AUTHENTICATION_OFF)) return 'authentication off';
    const isOld = isFromEtcd && OLD_TOKENS.some((words) => text.endsWith(words));
    if (isOld || (isRefusal && code === UNAUTHENTICATED)) return 'unauthenticated';
    return isRefusal ? 'rejected' : 'unknown';
  }
}
