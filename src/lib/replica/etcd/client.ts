import { clock, sleep } from '../../clock.ts';
import { EtcdError, errorOf } from '../errors.ts';
import { bodyOf, jsonOf, loginAnswer, rangeAnswer, type TxnMessage, txnAnswer } from './json.ts';
import { type Connect, httpTransport, type TlsContext, type Transport } from './transport.ts';

/** Where etcd is, and how to authenticate. */
export interface EtcdSettings {
  readonly endpoints: readonly string[];
  /** For connections over TLS; by default, what Node trusts. */
  readonly tls?: TlsContext | undefined;
  readonly user?: EtcdUser | undefined;
  /** How to reach an endpoint; by default, over HTTP. */
  readonly connect?: Connect;
}

/** Who logs in, and the password for the next login. */
export interface EtcdUser {
  readonly name: string;
  readonly password: () => string;
}

/** Time limits in milliseconds. */
const MS = {
  /** For one endpoint to answer, before another one is tried. */
  attempt: 1_000,
  /** For a request that no client waits for. */
  request: 3_000,
  /** For a login: etcd takes long for it, by intent. */
  login: 2_000,
  /** For going on to try while all endpoints refuse connections. */
  refused: 500,
  /** The pause after all endpoints have failed. */
  pause: 50,
  /** The pause after a login, which doubles from the first to the last. */
  firstLoginPause: 200,
  lastLoginPause: 5_000,
};

/** How often one request may log in. */
const MAX_LOGINS = 3;

/** What etcd answers to a login that it does not need. */
const AUTHENTICATION_OFF = 'authentication is not enabled';

interface EtcdRequest<T> {
  readonly path: string;
  readonly body: object;
  /** Reads the body of a response with status 200; what it cannot read is not etcd's. */
  readonly read: (body: AsyncIterable<Uint8Array>) => T | Promise<T>;
}

/** How to send a request. */
export interface SendOptions {
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
  /** Whether to retry only if etcd cannot have received the previous attempt. */
  readonly atMostOnce?: boolean;
  /** The time limit of each attempt, in milliseconds. */
  readonly attemptMs?: number;
  /** Ends a response that does not end by itself. */
  readonly abort?: AbortController;
}

/** How to send what no client waits for. */
const unhurried = (): SendOptions => ({ deadline: clock.now() + MS.request });

/** A client of etcd's JSON gateway. It stays with one endpoint until that fails. */
export class EtcdClient {
  /** The current endpoint comes first. */
  readonly #endpoints: Transport[];
  readonly #login: Login | undefined;
  retries = 0;
  /** When etcd last answered a range or a transaction, by `clock.now()`. */
  #lastAnswer = Number.NEGATIVE_INFINITY;
  /** How the last range or transaction has failed since etcd answered one. */
  lastFailure: EtcdError | undefined;

  constructor({ endpoints, tls, user, connect = httpTransport }: EtcdSettings) {
    this.#endpoints = endpoints.map((url) => connect(url, tls));
    this.#login = user && new Login(user);
  }

  /** @throws EtcdError */
  range(body: object, options = unhurried()) {
    return this.#send({ path: '/v3/kv/range', body, read: jsonOf(rangeAnswer) }, options);
  }

  /** @throws EtcdError */
  txn(body: TxnMessage, options = unhurried()) {
    const read = jsonOf((json) => txnAnswer(body, json));
    return this.#send({ path: '/v3/kv/txn', body, read }, options);
  }

  /** Opens a watch at the current endpoint. @throws EtcdError */
  watch(body: object, abort: AbortController): Promise<AsyncIterable<Uint8Array>> {
    const read = (chunks: AsyncIterable<Uint8Array>) => chunks;
    return this.#attempt({ path: '/v3/watch', body, read }, { ...unhurried(), abort });
  }

  /** Whether etcd has answered a range or a transaction within the last milliseconds. */
  hasAnsweredWithin(ms: number): boolean {
    return clock.now() - this.#lastAnswer < ms;
  }

  switchEndpoint(): void {
    this.#endpoints.push(...this.#endpoints.splice(0, 1));
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  async #send<T>(request: EtcdRequest<T>, options: SendOptions): Promise<T> {
    const start = clock.now();
    // The error of the last attempt that may have reached etcd: any other says less.
    let arrived: EtcdError | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#attempt(request, options);
        this.#lastAnswer = clock.now();
        this.lastFailure = undefined;
        this.#login?.confirm();
        return answer;
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        // A refused login says more, too, but not what became of a write that was sent before it.
        const isRefusedLogin = error === this.#login?.rejection;
        if (error.outcome !== 'unsent' || (isRefusedLogin && !options.atMostOnce)) {
          arrived = error;
          this.lastFailure = error;
        }
        const now = clock.now();
        const isTooLate = now + MS.pause >= options.deadline;
        if (isTooLate || !this.#mayRetry(error, options.atMostOnce, now - start, attempt)) {
          this.lastFailure = arrived ?? error;
          throw this.lastFailure;
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
      return await send(endpoint, request, options, token);
    } catch (error) {
      if (error instanceof EtcdError && error.isUnauthenticated) this.#login?.forget(token);
      else if (endpoint === this.#endpoints[0]) this.switchEndpoint();
      throw error;
    }
  }

  #mayRetry(error: EtcdError, atMostOnce = false, ms: number, attempt: number): boolean {
    const isCertain = error.outcome === 'rejected' || !atMostOnce;
    if (error.isUnauthenticated) {
      return this.#login !== undefined && isCertain && attempt <= MAX_LOGINS;
    }
    if (error === this.#login?.rejection) return false;
    if (error.outcome === 'unsent') return attempt < this.#endpoints.length || ms < MS.refused;
    return error.outcome === 'unknown' && !atMostOnce;
  }
}

/** The token of a user. Logins cost etcd much, so they become rarer until a token is accepted. */
class Login {
  readonly #user: EtcdUser;
  #token: string | undefined;
  #running: Promise<string> | undefined;
  #pauseMs = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  /** How etcd has rejected the last login. */
  rejection: EtcdError | undefined;

  constructor(user: EtcdUser) {
    this.#user = user;
  }

  /** The token, or a new one; empty while etcd needs none. @throws EtcdError */
  async token(endpoint: Transport, deadline: number): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    if (this.rejection !== undefined && clock.now() < this.#nextAt) throw this.rejection;
    this.#running ??= this.#logIn(endpoint);
    // The login may belong to another request, which gives up later.
    const token = await Promise.race([this.#running, sleep(Math.max(0, deadline - clock.now()))]);
    if (token === undefined) throw new EtcdError('unsent', 'the login took too long', 'login');
    return token;
  }

  /** Forgets a token that was not accepted, unless there is a newer one. */
  forget(token: string | undefined): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** A token was accepted. */
  confirm(): void {
    this.#pauseMs = 0;
    this.#nextAt = Number.NEGATIVE_INFINITY;
  }

  async #logIn(endpoint: Transport): Promise<string> {
    await sleep(Math.max(0, this.#nextAt - clock.now()));
    this.#pauseMs = Math.min(this.#pauseMs * 2 || MS.firstLoginPause, MS.lastLoginPause);
    this.#nextAt = clock.now() + this.#pauseMs;
    this.rejection = undefined;
    try {
      const body = { name: this.#user.name, password: this.#user.password() };
      const request = { path: '/v3/auth/authenticate', body, read: jsonOf(loginAnswer) };
      this.#token = await send(endpoint, request, { ...unhurried(), attemptMs: MS.login });
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      const { outcome, message, kind, code } = error;
      if (message.endsWith(AUTHENTICATION_OFF)) this.#token = '';
      else {
        const isRejection = outcome === 'rejected';
        // The request itself was never sent.
        const failure = new EtcdError('unsent', message, isRejection ? 'login' : kind, code);
        if (isRejection) this.rejection = failure;
        throw failure;
      }
    } finally {
      this.#running = undefined;
    }
    return this.#token;
  }
}

async function send<T>(
  transport: Transport,
  { path, body, read }: EtcdRequest<T>,
  { deadline, attemptMs = MS.attempt, abort = new AbortController() }: SendOptions,
  token?: string,
): Promise<T> {
  const ms = Math.min(deadline - clock.now(), attemptMs);
  if (ms <= 0) throw new EtcdError('unsent', 'etcd did not answer in time', 'silent');
  const timer = clock.setTimeout(() => abort.abort(`no answer in ${Math.round(ms)} ms`), ms);
  try {
    const response = await transport.post(path, JSON.stringify(body), abort.signal, token);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw errorOf(statusCode, await bodyOf(response));
    return await read(response);
  } finally {
    clock.clear(timer);
  }
}
