import { clock, sleep } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json/index.ts';
import { withDeadline } from '../deadline.ts';
import { IncompatibleError, StoreError } from '../errors.ts';
import { EtcdError, errorOf, type Outcome } from './etcd-error.ts';
import {
  encode,
  headerOf,
  type KeyValue,
  loginAnswer,
  parseAnswer,
  prefixEnd,
  range,
  rangeAnswer,
  type TxnMessage,
  txnAnswer,
  watchAnswer,
} from './gateway.ts';
import {
  type Connect,
  type HttpResponse,
  httpTransport,
  type TlsContext,
  type Transport,
} from './transport.ts';

/** A user of etcd. */
interface EtcdUser {
  readonly name: string;
  /** Returns the password for the next login. */
  readonly password: () => string;
}

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
  /** The pause after a login that etcd has refused. */
  refusedLogin: 2_000,
  /** For etcd to confirm a watch. */
  created: 3_000,
  /** For retries while all endpoints refuse connections. A write may spend it twice. */
  refused: 300,
  /** The pause after all endpoints have failed. */
  pause: 50,
};

/** The time limits of a request. */
export interface SendOptions {
  /** When to give up, by `clock.now()`. */
  readonly deadline?: number | undefined;
  /** For each attempt, in milliseconds. */
  readonly attemptMs?: number;
}

/** The error of a request whose login takes too long. */
const LATE_LOGIN = new EtcdError('unsent', 'the login took too long');

interface Endpoint {
  readonly url: string;
  readonly transport: Transport;
}

/**
 * A client of etcd's JSON gateway. It stays with one endpoint until that fails. It may send a range
 * or a transaction several times, so a transaction must do no harm if etcd applies it again. The
 * first answer decides which cluster it uses; no answer of another cluster counts.
 */
export class EtcdClient {
  /** The current endpoint comes first. */
  readonly #endpoints: Endpoint[];
  readonly #user: EtcdUser | undefined;
  /** The token that all requests share, or its login. */
  #token: Promise<string> | undefined;
  #cluster: string | undefined;
  readonly #onOtherCluster: (message: string) => void;
  /** The messages already reported. Each is reported once, although an endpoint is tried often. */
  readonly #reported = new Set<string>();
  /** The number of repeated attempts. */
  retries = 0;
  /** When etcd last answered a range or a transaction, by `clock.now()`. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** The error of the last range or transaction; undefined if etcd answered it. */
  lastError: EtcdError | undefined;

  /** @param onOtherCluster called with one line when an endpoint answers for another cluster */
  constructor(
    { endpoints, tls, user, connect = httpTransport }: EtcdSettings,
    onOtherCluster: (message: string) => void,
  ) {
    this.#endpoints = endpoints.map((url) => ({ url, transport: connect(url, tls) }));
    this.#user = user;
    this.#onOtherCluster = onOtherCluster;
  }

  /** @throws EtcdError; GapError if etcd has compacted the revision */
  range(body: object, options: SendOptions = {}) {
    return this.#send('/v3/kv/range', body, rangeAnswer, options);
  }

  /** @throws EtcdError */
  txn(body: TxnMessage, deadline?: number) {
    const read = (answer: JsonObject) => txnAnswer(body, answer);
    return this.#send('/v3/kv/txn', body, read, { deadline });
  }

  /**
   * Watches all keys with a prefix. Yields, for each piece received, the events whose last byte it
   * contains, in the order of the operations. The first list of events, which may be empty, comes
   * when etcd has created the watch. A transaction may span several pieces.
   * @param from the first revision to watch
   * @param abort ends the watch; also aborted when the watch ends by itself
   * @throws EtcdError when it cannot be opened or ends; GapError if etcd has compacted `from`
   */
  async *watch(
    prefix: string,
    from: number,
    abort: AbortController,
  ): AsyncGenerator<readonly KeyValue[], void> {
    const keys = range(prefix, prefixEnd(prefix));
    const body = { create_request: { ...keys, start_revision: String(from), fragment: true } };
    const timer = clock.setTimeout(() => abort.abort('the watch was not created'), MS.created);
    let isCreated = false;
    try {
      const open = async (endpoint: Endpoint, token: string) => {
        const response = await this.#post(endpoint, '/v3/watch', body, abort.signal, token);
        return { endpoint, response };
      };
      const { endpoint, response } = await this.#attempt(open, clock.now() + MS.created);
      for await (const lines of linesOf(response)) {
        const answers = lines.map((line) => watchAnswer(parseAnswer(line)));
        for (const { cluster } of answers) this.#checkCluster(endpoint, cluster);
        isCreated ||= answers[0]?.isCreated === true;
        if (!isCreated && answers.length > 0) {
          throw new EtcdError('unknown', 'etcd did not create the watch');
        }
        if (!isCreated) continue;
        clock.clear(timer);
        yield answers.flatMap(({ events }) => events);
      }
    } finally {
      clock.clear(timer);
      abort.abort('the watch is over');
    }
    throw new EtcdError('unknown', 'the watch ended');
  }

  /** Lets the next answer decide which cluster it uses. */
  forgetCluster(): void {
    this.#cluster = undefined;
  }

  /**
   * Reads a key at every endpoint.
   * @returns whether more than half of the endpoints answer
   * @throws IncompatibleError if one of them is of another cluster than the one in use
   */
  async hasMajority(key: string): Promise<boolean> {
    const token = await this.#tokenOf(this.#first());
    const answers = await Promise.all(
      this.#endpoints.map(async (endpoint) => {
        try {
          const answer = await this.#call(endpoint, '/v3/kv/range', { key: encode(key) }, token);
          return [{ url: endpoint.url, cluster: headerOf(answer).cluster }];
        } catch (error) {
          if (error instanceof StoreError) return [];
          throw error;
        }
      }),
    );
    const found = answers.flat();
    const others = found.filter(({ cluster }) => cluster !== this.#cluster);
    if (others.length === 0) return found.length > answers.length / 2;
    const clusters = others.map(({ url, cluster }) => `${url} of ${cluster}`).join(', ');
    const subject = 'the endpoints are of different clusters of etcd';
    throw new IncompatibleError(`${subject}: ${clusters}, and others of ${this.#cluster}`);
  }

  /** Whether etcd has answered a range or a transaction within the last `ms` milliseconds. */
  hasAnsweredWithin(ms: number): boolean {
    return clock.now() - this.#answeredAt < ms;
  }

  switchEndpoint(): void {
    this.#endpoints.push(...this.#endpoints.splice(0, 1));
  }

  close(): void {
    for (const { transport } of this.#endpoints) transport.close();
  }

  /** @throws EtcdError of the last attempt, whose outcome is that of all attempts */
  async #send<T>(
    path: string,
    body: object,
    read: (answer: JsonObject) => T,
    { deadline = clock.now() + MS.request, attemptMs = MS.attempt }: SendOptions,
  ): Promise<T> {
    const start = clock.now();
    const use = async (endpoint: Endpoint, token: string) => {
      const ms = Math.min(attemptMs, Math.max(1, deadline - clock.now()));
      const answer = await this.#call(endpoint, path, body, token, ms);
      this.#checkCluster(endpoint, headerOf(answer).cluster);
      return read(answer);
    };
    let outcome: Outcome = 'unsent';
    /** The number of the last attempts that found no connection, in a row. */
    let unconnected = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.#attempt(use, deadline);
        this.#answeredAt = clock.now();
        this.lastError = undefined;
        return result;
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        this.lastError = error;
        // An attempt whose outcome is unknown may still be on its way when the others have ended.
        if (outcome !== 'unknown' && !error.isUnsent) outcome = error.outcome;
        const now = clock.now();
        unconnected = error.outcome === 'unreachable' ? unconnected + 1 : 0;
        const haveAllRefused = unconnected >= this.#endpoints.length && now - start >= MS.refused;
        const isInVain =
          error.outcome === 'refused' ||
          haveAllRefused ||
          (error.outcome === 'old token' && this.#user === undefined);
        // Without time for a pause and an answer, a timeout would replace this error.
        if (isInVain || now + 2 * MS.pause >= deadline) throw new EtcdError(outcome, error.message);
        this.retries++;
        if (attempt % this.#endpoints.length === 0) await sleep(MS.pause);
      }
    }
  }

  /** Uses the current endpoint; if that fails, switches to the next one. */
  async #attempt<T>(
    use: (endpoint: Endpoint, token: string) => Promise<T>,
    deadline: number,
  ): Promise<T> {
    const endpoint = this.#first();
    const token = this.#tokenOf(endpoint);
    try {
      return await use(endpoint, await withDeadline(token, deadline, LATE_LOGIN));
    } catch (error) {
      const isOld = error instanceof EtcdError && error.outcome === 'old token';
      if (isOld && this.#token === token) this.#token = undefined;
      if (!isOld && endpoint === this.#endpoints[0]) this.switchEndpoint();
      throw error;
    }
  }

  #first(): Endpoint {
    const [endpoint] = this.#endpoints;
    if (endpoint === undefined) throw new TypeError('there is no endpoint');
    return endpoint;
  }

  #tokenOf(endpoint: Endpoint): Promise<string> {
    this.#token ??= this.#logIn(endpoint);
    return this.#token;
  }

  /** Returns a token; empty if etcd needs none. @throws EtcdError whose request was not sent */
  async #logIn(endpoint: Endpoint): Promise<string> {
    const user = this.#user;
    if (user === undefined) return '';
    const body = { name: user.name, password: user.password() };
    try {
      return loginAnswer(await this.#call(endpoint, '/v3/auth/authenticate', body, '', MS.login));
    } catch (error) {
      const isEtcdError = error instanceof EtcdError;
      if (isEtcdError && error.outcome === 'no login') return '';
      const isRefused = isEtcdError && error.outcome === 'refused';
      const forget = () => {
        this.#token = undefined;
      };
      // Another endpoint may accept the login at once, unless etcd itself has refused it.
      if (isRefused) clock.setTimeout(forget, MS.refusedLogin).unref();
      else forget();
      if (!isEtcdError) throw error;
      // Whatever became of the login, the request that needs it was not sent.
      throw new EtcdError(isRefused || error.isUnsent ? 'unreachable' : 'unsent', error.message);
    }
  }

  /** @throws EtcdError if an answer is of another cluster than the first one */
  #checkCluster({ url }: Endpoint, cluster: string): void {
    this.#cluster ??= cluster;
    if (cluster === this.#cluster) return;
    const message = `${url} is of another cluster of etcd: ${cluster}, not ${this.#cluster}`;
    if (!this.#reported.has(message)) this.#onOtherCluster(message);
    this.#reported.add(message);
    throw new EtcdError('unknown', message);
  }

  async #call(endpoint: Endpoint, path: string, body: object, token: string, ms = MS.attempt) {
    const abort = new AbortController();
    const timer = clock.setTimeout(() => abort.abort('no answer in time'), ms);
    try {
      const response = await this.#post(endpoint, path, body, abort.signal, token);
      return parseAnswer(await readText(response));
    } finally {
      clock.clear(timer);
    }
  }

  async #post(
    { transport }: Endpoint,
    path: string,
    body: object,
    signal: AbortSignal,
    token: string,
  ): Promise<HttpResponse> {
    const response = await transport.post(path, JSON.stringify(body), signal, token);
    const { statusCode = 0 } = response;
    if (statusCode === 200) return response;
    throw errorOf(statusCode, await readText(response));
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The lines that each piece completes, perhaps none. etcd's JSON is ASCII. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[], void> {
  /** The pieces of the last line. Joined at its end only, because a line may have many. */
  let rest: string[] = [];
  for await (const piece of pieces) {
    const [end = '', ...beginnings] = Buffer.from(piece).toString('latin1').split('\n');
    rest.push(end);
    const last = beginnings.pop();
    if (last === undefined) yield [];
    else {
      yield [rest.join(''), ...beginnings];
      rest = [last];
    }
  }
}
