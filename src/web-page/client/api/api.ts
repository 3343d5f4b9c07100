import { jsonOf } from '../shared/json.ts';
import { Exchange, type Fields } from './exchange.ts';
import type { Values } from './field.ts';
import { ConnectionError, ProblemError } from './problem.ts';

/** What a request may have besides its method and path. */
export interface RequestOptions {
  readonly headers?: Fields;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** Whether to finish the request even if the page is closed. */
  readonly keepalive?: boolean;
  /** Called when the request begins; watch the exchange to see its response as it arrives. */
  readonly onExchange?: (exchange: Exchange) => void;
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

  /** Fetches a resource as JSON; 304 is not an error. Throws as `send` does. */
  get(path: string, options: RequestOptions = {}): Promise<WholeResponse> {
    const headers: Fields = [['Accept', 'application/json'], ...(options.headers ?? [])];
    return this.send('GET', path, { ...options, headers });
  }

  /** Sends values as JSON; with PATCH, as a merge patch. Throws as `send` does. */
  sendJson(
    method: 'POST' | 'PATCH',
    path: string,
    values: Values,
    headers: Fields = [],
  ): Promise<WholeResponse> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const fields: Fields = [['Content-Type', type], ...headers];
    return this.send(method, path, { headers: fields, body: jsonOf(values) });
  }

  /**
   * Sends a request.
   * @throws ProblemError if the response is an error, and what `exchange` throws
   */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<WholeResponse> {
    const response = await this.exchange(method, path, options);
    const { status, text } = response;
    if (status >= 400) throw new ProblemError(status, text);
    return response;
  }

  /**
   * Sends a request, and reads the response to its end, which a stream may never reach. The
   * response may have any status.
   * @throws ConnectionError, TypeError if a header field is invalid, or the error of an aborted
   * signal
   */
  async exchange(
    method: string,
    path: string,
    { headers = [], body, signal, keepalive = false, onExchange }: RequestOptions = {},
  ): Promise<WholeResponse> {
    const fields = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    const exchange = new Exchange({ method, path, headers, body });
    this.#onExchange(exchange);
    onExchange?.(exchange);
    try {
      const response = await fetch(path, {
        ...{ method, headers: fields, keepalive, cache: 'no-store', credentials: 'omit' },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      exchange.responded(response);
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) break;
        exchange.received(part.value);
      }
      exchange.ended();
      return { status: response.status, headers: response.headers, text: exchange.text };
    } catch (error) {
      exchange.ended(signal?.aborted ? 'Stopped' : 'No connection');
      throw signal?.aborted ? error : new ConnectionError();
    }
  }
}
