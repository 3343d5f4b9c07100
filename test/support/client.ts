import { Pool } from 'undici';

/** An answer, read whole. */
export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;

  constructor(status: number, headers: Answer['headers'], text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** The body as JSON, in the shape the test expects of it. */
  json<T = Todo>(): T {
    return JSON.parse(this.text);
  }
}

/** An item as JSON.parse gives it; `createdAt` is there in variant B. */
export interface Todo {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  readonly priority: number;
  readonly createdAt?: string;
}

/** An error body (RFC 9457). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly { pointer: string; code: string; detail: string }[];
}

/** What a request has beside its method and path. */
export interface RequestOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Links to other pages repeat the query, which may take 8 KiB, up to four times. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A client of one service. Paths are sent as they are given: nothing is normalised or encoded. */
export class Client {
  readonly #pool: Pool;

  constructor(baseUrl: string) {
    this.#pool = new Pool(baseUrl, { connections: 64, maxHeaderSize: MAX_HEADER_BYTES });
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { headers = {}, body = null } = options;
    const response = await this.#pool.request({ method, path, headers, body });
    return new Answer(response.statusCode, response.headers, await response.body.text());
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  /** Sends a value as JSON. */
  post(path: string, value: unknown): Promise<Answer> {
    return this.#send('POST', path, value);
  }

  /** Sends a value as a merge patch. */
  patch(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('PATCH', path, {
      headers: { 'content-type': 'application/merge-patch+json', ...headers },
      body: JSON.stringify(value),
    });
  }

  /** Sends a value as JSON. */
  put(path: string, value: unknown): Promise<Answer> {
    return this.#send('PUT', path, value);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('DELETE', path, { headers });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #send(method: string, path: string, value: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.request(method, path, { headers, body: JSON.stringify(value) });
  }
}
