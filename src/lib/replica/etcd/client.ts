import { clock, sleep } from '../../clock.ts';
import { EtcdError, errorOf, type Outcome } from './etcd-error.ts';
import {
  jsonReader,
  loginAnswer,
  rangeAnswer,
  readText,
  type TxnMessage,
  txnAnswer,
} from './json.ts';
import { type EtcdUser, Login } from './login.ts';
import { type Connect, httpTransport, type TlsContext, type Transport } from './transport.ts';

/** The endpoints of etcd, and the credentials. */
export interface EtcdSettings {
  readonly endpoints: readonly string[];
  /** For connections over TLS; by default, the authorities that Node trusts. */
  readonly tls?: TlsContext | undefined;
  readonly user?: EtcdUser | undefined;
  /** Connects to an endpoint; by default, over HTTP. */
  readonly connect?: Connect;
}

/** Time limits in milliseconds. */
const MS = {
  /** For one endpoint to answer, before another one is tried. */
  attempt: 1_000,
  /** For a request that no client waits for. */
  request: 3_000,
  /** For a login, which etcd makes slow on purpose. */
  login: 2_000,
  /** For retrying while all endpoints refuse connections. A write retries two requests. */
  refused: 400,
  /** The pause after all endpoints have failed. */
  pause: 50,
};

type Redact = (text: string) => string;

interface EtcdRequest<T> {
  readonly path: string;
  readonly body: object;
  /**
   * Reads the body of a response with status 200. @throws EtcdError if it is invalid
   * @param redact removes from a text the secrets that the body may repeat
   */
  readonly read: (body: AsyncIterable<Uint8Array>, redact: Redact) => T | Promise<T>;
}

/** The options of a request. */
export interface SendOptions {
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
  /** The time limit of each attempt, in milliseconds. */
  readonly attemptMs?: number;
  /** Ends a response that does not end by itself. */
  readonly abort?: AbortController;
}

/** The options of a request that no client waits for. */
const unhurried = (): SendOptions => ({ deadline: clock.now() + MS.request });

/**
 * A client of etcd's JSON gateway. It stays with one endpoint until that fails. It may send a range
 * or a transaction several times, so a transaction must do no harm if etcd applies it again.
 */
export class EtcdClient {
  /** The current endpoint comes first. */
  readonly #endpoints: Transport[];
  readonly #login: Login | undefined;
  retries = 0;
  /** When etcd last answered a range or a transaction, by `clock.now()`. */
  #lastAnswer = Number.NEGATIVE_INFINITY;
  /** The error of the last range or transaction; undefined if etcd answered it. */
  lastFailure: EtcdError | undefined;

  constructor({ endpoints, tls, user, connect = httpTransport }: EtcdSettings) {
    this.#endpoints = endpoints.map((url) => connect(url, tls));
    this.#login =
      user &&
      new Login(user, (endpoint, name, password) => {
        const read = jsonReader(loginAnswer);
        const request = { path: '/v3/auth/authenticate', body: { name, password }, read };
        return this.#post(endpoint, request, { ...unhurried(), attemptMs: MS.login });
      });
  }

  /** @throws EtcdError */
  range(body: object, options = unhurried()) {
    return this.#send({ path: '/v3/kv/range', body, read: jsonReader(rangeAnswer) }, options);
  }

  /** @throws EtcdError */
  txn(body: TxnMessage, options = unhurried()) {
    const read = jsonReader((json) => txnAnswer(body, json));
    return this.#send({ path: '/v3/kv/txn', body, read }, options);
  }

  /** Opens a watch at the current endpoint. @throws EtcdError */
  watch(body: object, abort: AbortController) {
    const read = (chunks: AsyncIterable<Uint8Array>, redact: Redact) => ({ chunks, redact });
    return this.#attempt({ path: '/v3/watch', body, read }, { ...unhurried(), abort });
  }

  /** Whether etcd has answered a range or a transaction within the last `ms` milliseconds. */
  hasAnsweredWithin(ms: number): boolean {
    return clock.now() - this.#lastAnswer < ms;
  }

  switchEndpoint(): void {
    this.#endpoints.push(...this.#endpoints.splice(0, 1));
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  /** @throws EtcdError of the last attempt, with the outcome of all of them */
  async #send<T>(request: EtcdRequest<T>, options: SendOptions): Promise<T> {
    const start = clock.now();
    let outcome: Outcome = 'unsent';
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#attempt(request, options);
        this.#lastAnswer = clock.now();
        this.lastFailure = undefined;
        this.#login?.confirm();
        return answer;
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        this.lastFailure = error;
        // An attempt whose outcome is unknown may still be on its way when the others have ended.
        if (outcome !== 'unknown' && !error.isUnsent) outcome = error.outcome;
        if (!this.#mayRetry(error, options, { start, attempt })) {
          throw outcome === 'unsent' ? error : error.with(outcome);
        }
        this.retries++;
        if (attempt % this.#endpoints.length === 0) await sleep(MS.pause);
      }
    }
  }

  /** Sends a request to the current endpoint; if that fails, switches to the next one. */
  async #attempt<T>(request: EtcdRequest<T>, options: SendOptions): Promise<T> {
    const [endpoint] = this.#endpoints;
    if (endpoint === undefined) throw new TypeError('there is no endpoint');
    let token: string | undefined;
    try {
      token = await this.#login?.token(endpoint, options.deadline);
      return await this.#post(endpoint, request, options, token);
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.outcome === 'unauthenticated') this.#login?.forget(token);
      else if (endpoint === this.#endpoints[0]) this.switchEndpoint();
      throw error;
    }
  }

  /** Whether to send a request again. `start` is the time of the first attempt. */
  #mayRetry(
    error: EtcdError,
    { deadline }: SendOptions,
    { start, attempt }: { readonly start: number; readonly attempt: number },
  ): boolean {
    const now = clock.now();
    // Without time for a pause and an answer, a timeout would replace this error.
    if (now + 2 * MS.pause >= deadline) return false;
    // Without a user, there is no new token.
    if (error.outcome === 'unauthenticated' && this.#login === undefined) return false;
    const hasTriedAll = attempt >= this.#endpoints.length && now - start >= MS.refused;
    return error.isTransient && !(error.isUnsent && hasTriedAll);
  }

  async #post<T>(
    transport: Transport,
    { path, body, read }: EtcdRequest<T>,
    { deadline, attemptMs = MS.attempt, abort = new AbortController() }: SendOptions,
    token?: string,
  ): Promise<T> {
    const ms = Math.min(deadline - clock.now(), attemptMs);
    if (ms <= 0) throw new EtcdError('unsent', 'etcd did not answer in time');
    const timer = clock.setTimeout(() => abort.abort('no answer in time'), ms);
    try {
      const response = await transport.post(path, JSON.stringify(body), abort.signal, token);
      const { statusCode = 0 } = response;
      const redact = this.#login?.createRedactor(token) ?? String;
      if (statusCode === 200) return await read(response, redact);
      throw errorOf(statusCode, await readText(response), redact);
    } finally {
      clock.clear(timer);
    }
  }
}
