import type { IncomingMessage } from 'node:http';
import { clock, sleep } from '../../clock.ts';
import { Endpoint, type TlsSettings } from './endpoint.ts';
import { EtcdError } from './error.ts';
import type { RangeMessage, TxnMessage } from './messages.ts';

/** Where etcd is, and how to authenticate. */
export interface EtcdSettings {
  readonly endpoints: readonly string[];
  readonly tls?: TlsSettings;
  readonly user?: { readonly name: string; readonly password: string } | undefined;
}

/** How long to wait for one endpoint before trying another one, in milliseconds. */
const ATTEMPT_MS = 1_000;

/** How long to go on trying while all endpoints refuse connections, in milliseconds. */
const REFUSED_MS = 500;

/** How long to pause after all endpoints have failed, in milliseconds. */
const PAUSE_MS = 50;

/** A token, or the login that will give one; undefined if no user is configured. */
type Token = Promise<string> | undefined;

/** How to send a request. */
interface SendOptions {
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
  /** Whether to retry only if etcd cannot have received the previous attempt. */
  readonly atMostOnce?: boolean;
  /** The time limit of each attempt, in milliseconds. */
  readonly attemptMs?: number;
}

/**
 * A client of etcd's JSON gateway. It stays with one endpoint until that fails, then switches to
 * the next.
 */
export class EtcdClient {
  readonly #endpoints: readonly Endpoint[];
  readonly #user: EtcdSettings['user'];
  #current = 0;
  #token: Token;
  /** How many requests were retried. */
  retries = 0;

  constructor({ endpoints, tls, user }: EtcdSettings) {
    this.#endpoints = endpoints.map((url) => new Endpoint(url, tls));
    this.#user = user;
  }

  /** @throws EtcdError */
  range(body: object, options: SendOptions): Promise<RangeMessage> {
    return this.#post('/v3/kv/range', body, options);
  }

  /** @throws EtcdError */
  txn(body: object, options: SendOptions): Promise<TxnMessage> {
    return this.#post('/v3/kv/txn', body, options);
  }

  /** @throws EtcdError */
  deleteRange(body: object, options: SendOptions): Promise<unknown> {
    return this.#post('/v3/kv/deleterange', body, options);
  }

  /**
   * Opens a watch at the current endpoint. If that fails, the next request goes to another one.
   * @throws EtcdError
   */
  async watch(body: object): Promise<IncomingMessage> {
    const endpoint = this.#endpoint;
    const token = this.#tokenOf(endpoint);
    try {
      return await endpoint.stream('/v3/watch', body, await token, ATTEMPT_MS);
    } catch (error) {
      this.#afterFailure(endpoint, token, error);
      throw error;
    }
  }

  /** Switches to the next endpoint. */
  switchEndpoint(): void {
    this.#current = (this.#current + 1) % this.#endpoints.length;
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  get #endpoint(): Endpoint {
    const endpoint = this.#endpoints[this.#current];
    if (endpoint === undefined) throw new TypeError('there is an endpoint');
    return endpoint;
  }

  async #post<T>(path: string, body: object, options: SendOptions): Promise<T> {
    const { deadline, atMostOnce = false, attemptMs = ATTEMPT_MS } = options;
    const start = clock.now();
    for (let attempt = 1; ; attempt++) {
      const endpoint = this.#endpoint;
      const left = deadline - clock.now();
      if (left <= 0) throw new EtcdError('refused', 'etcd did not answer in time');
      const token = this.#tokenOf(endpoint);
      try {
        return await endpoint.post<T>(path, body, await token, Math.min(left, attemptMs));
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        this.#afterFailure(endpoint, token, error);
        if (!this.#shouldRetry(error, atMostOnce, clock.now() - start, attempt)) throw error;
        this.retries++;
        if (attempt % this.#endpoints.length === 0) await sleep(PAUSE_MS);
      }
    }
  }

  #shouldRetry(error: EtcdError, atMostOnce: boolean, ms: number, attempt: number): boolean {
    if (error.isUnauthenticated) return this.#user !== undefined && attempt <= MAX_LOGINS;
    if (error.outcome === 'refused') return attempt < this.#endpoints.length || ms < REFUSED_MS;
    return error.outcome === 'unknown' && !atMostOnce;
  }

  #afterFailure(endpoint: Endpoint, token: Token, error: unknown): void {
    if (error instanceof EtcdError && error.isUnauthenticated) this.#forget(token);
    else if (endpoint === this.#endpoint) this.switchEndpoint();
  }

  /** Forgets a token, unless another request has replaced it already. */
  #forget(token: Token): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** The user's token; undefined if no user is configured. */
  #tokenOf(endpoint: Endpoint): Token {
    if (this.#user === undefined) return undefined;
    this.#token ??= this.#logIn(endpoint, this.#user);
    return this.#token;
  }

  async #logIn(
    endpoint: Endpoint,
    user: { readonly name: string; readonly password: string },
  ): Promise<string> {
    const path = '/v3/auth/authenticate';
    try {
      const { token } = await endpoint.post<{ token: string }>(path, user, undefined, ATTEMPT_MS);
      return token;
    } catch (error) {
      this.#token = undefined;
      // The request itself was never sent.
      throw error instanceof EtcdError && error.outcome === 'unknown'
        ? new EtcdError('refused', error.message)
        : error;
    }
  }
}

/** How often one request may log in. */
const MAX_LOGINS = 3;
