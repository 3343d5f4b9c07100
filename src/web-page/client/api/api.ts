import { Exchange, type Fields } from './exchange.ts';
import { ConnectionError, ProblemError } from './problem.ts';

/** What a request may have besides its method and path. */
export interface RequestOptions {
  readonly headers?: Fields;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** Whether to finish the request even if the page is closed. */
  readonly keepalive?: boolean;
}

/** A response with all of its content. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends all requests of the page, and reports each of them. */
export class Api {
  readonly #onExchange: (exchange: Exchange) => void;

  constructor(onExchange: (exchange: Exchange) => void) {
    this.#onExchange = onExchange;
  }

  /**
   * Sends a request and reads the whole response; 304 is not an error.
   * @throws ProblemError, ConnectionError, or the error of an aborted signal
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<WholeResponse> {
    const { exchange, response } = await this.open(method, path, options);
    const text = await this.#whole(exchange, response, options);
    const { status, headers, ok } = response;
    if (!ok && status !== 304) throw new ProblemError(status, text);
    return { status, headers, text };
  }

  /** Sends a value as JSON. */
  sendJson(
    method: string,
    path: string,
    value: unknown,
    { mediaType = 'application/json', headers = [] as Fields } = {},
  ): Promise<WholeResponse> {
    const body = JSON.stringify(value);
    return this.send(method, path, { headers: [['Content-Type', mediaType], ...headers], body });
  }

  /**
   * Sends a request. Its response may have any status, and may never end.
   * @throws ConnectionError, TypeError if a header field is invalid, or the error of an aborted
   * signal
   */
  async open(
    method: string,
    path: string,
    { headers = [], body, signal, keepalive = false }: RequestOptions = {},
  ): Promise<{ exchange: Exchange; response: Response }> {
    const fields = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    const exchange = new Exchange({ method, path, headers, body });
    this.#onExchange(exchange);
    try {
      const response = await fetch(path, {
        ...{ method, headers: fields, keepalive, cache: 'no-store', credentials: 'omit' },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      exchange.responded(response);
      return { exchange, response };
    } catch (error) {
      throw failed(exchange, error, signal);
    }
  }

  async #whole(
    exchange: Exchange,
    response: Response,
    { signal }: RequestOptions,
  ): Promise<string> {
    try {
      const text = await response.text();
      exchange.received(text, false);
      exchange.ended();
      return text;
    } catch (error) {
      throw failed(exchange, error, signal);
    }
  }
}

/** Ends an exchange that failed, and returns the error to throw. */
function failed(exchange: Exchange, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) {
    exchange.ended('No longer wanted');
    return error;
  }
  exchange.ended('No connection');
  return new ConnectionError();
}
