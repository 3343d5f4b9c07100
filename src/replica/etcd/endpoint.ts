import { clock } from '../../clock.ts';
import { EtcdError, errorOf } from './error.ts';
import type { Exchange, Transport } from './transport.ts';

/** A response that does not end by itself. */
export interface EtcdStream {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends it; who reads it gets an error with this reason. */
  abort(reason: string): void;
}

/** One endpoint of etcd's JSON gateway. */
export class Endpoint {
  readonly #url: string;
  readonly #transport: Transport;

  constructor(url: string, transport: Transport) {
    this.#url = url;
    this.#transport = transport;
  }

  /**
   * Sends a request, and reads the whole response.
   * @param parse reads the parsed JSON of a 200; what it cannot read is no answer of etcd
   * @param ms the time limit, in milliseconds
   * @throws EtcdError
   */
  post<T>(
    path: string,
    body: object,
    token: string | undefined,
    ms: number,
    parse: (json: unknown) => T,
  ): Promise<T> {
    return this.#send(path, body, token, ms, async (chunks) =>
      parse(JSON.parse(await textOf(chunks))),
    );
  }

  /**
   * Sends a request whose response does not end.
   * @param ms the time limit until the response begins, in milliseconds
   * @throws EtcdError
   */
  stream(path: string, body: object, token: string | undefined, ms: number): Promise<EtcdStream> {
    return this.#send(path, body, token, ms, async (chunks, exchange) => ({
      chunks,
      abort: (reason) => exchange.abort(reason),
    }));
  }

  close(): void {
    this.#transport.close();
  }

  async #send<T>(
    path: string,
    body: object,
    token: string | undefined,
    ms: number,
    read: (chunks: AsyncIterable<Uint8Array>, exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    const headers = {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: token }),
    };
    const exchange = this.#transport.post(path, headers, JSON.stringify(body));
    const timer = clock.setTimeout(() => exchange.abort(`no answer in ${ms} ms`), ms);
    try {
      const response = await exchange.response;
      const { statusCode = 0 } = response;
      if (statusCode !== 200) throw errorOf(statusCode, await textOf(response));
      return await read(response, exchange);
    } catch (error) {
      if (error instanceof EtcdError) throw error;
      const outcome = exchange.hasConnected ? 'unknown' : 'refused';
      const reason = error instanceof Error ? error.message : String(error);
      throw new EtcdError(outcome, `${this.#url}: ${reason}`);
    } finally {
      clock.clear(timer);
    }
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}
