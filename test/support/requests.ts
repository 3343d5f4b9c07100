/** A response with its whole content. */
export class Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;

  constructor(status: number, headers: Answer['headers'], text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** The content parsed as JSON, typed as the test expects. */
  json<T = Todo>(): T {
    return JSON.parse(this.text);
  }
}

/** An item as parsed JSON; only variant B has `createdAt`. */
export interface Todo {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly completed: boolean;
  readonly priority: number;
  readonly createdAt?: string;
}

/** The content of an error response (RFC 9457). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly code: string;
    readonly detail: string;
  }[];
}

/** Options of a request. */
export interface RequestOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Requests by their methods. */
export abstract class Requests {
  abstract request(method: string, path: string, options?: RequestOptions): Promise<Answer>;

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  /** Sends a value as JSON. */
  post(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send('POST', path, value, headers);
  }

  /** Sends a value as a merge patch. */
  patch(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const type = 'application/merge-patch+json';
    return this.#send('PATCH', path, value, { 'content-type': type, ...headers });
  }

  /** Sends a value as JSON. */
  put(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send('PUT', path, value, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('DELETE', path, { headers });
  }

  #send(method: string, path: string, value: unknown, own: Record<string, string>) {
    const headers = { 'content-type': 'application/json', ...own };
    return this.request(method, path, { headers, body: JSON.stringify(value) });
  }
}
