import { type JsonRecord, listOf, parseJson, recordOf, textOf } from '../shared/json.ts';

/** Header fields, in order. */
export type Fields = [name: string, value: string][];

/** A request. */
export interface ApiRequest {
  readonly method: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers: Fields;
  readonly body?: string | null;
  readonly signal?: AbortSignal | null;
  /** Whether to finish the request even if the page is closed. */
  readonly keepalive?: boolean;
}

/** Called on each change of an exchange, with the part of the content that has just arrived. */
export type Watcher = (exchange: Exchange, text: string) => void;

/**
 * Sends a request, and reads the response to its end, which a stream may never reach. 304 is not
 * an error.
 * @throws ProblemError if the response is an error, ConnectionError if there is none, TypeError if
 * a header field is invalid, or the error of an aborted signal
 */
export type Send = (request: ApiRequest, watcher?: Watcher) => Promise<Exchange>;

/** The maximum characters of a stream to keep; older ones are dropped. */
const MAX_TEXT = 20_000;

/**
 * Makes what sends all requests of the page.
 * @param onExchange called with each of them as it begins
 */
export function createSend(onExchange: (exchange: Exchange) => void): Send {
  return async (request, watcher) => {
    const exchange = new Exchange(request);
    if (watcher !== undefined) exchange.watch(watcher);
    onExchange(exchange);
    await exchange.run();
    if (exchange.status >= 400) throw new ProblemError(exchange.status, exchange.text);
    return exchange;
  };
}

/** One request and its response, as far as it has arrived. */
export class Exchange {
  readonly request: ApiRequest;
  /** The status of the response; 0 until it begins. */
  status = 0;
  headers = new Headers();
  text = '';
  /** The time until the response began, in milliseconds. */
  durationMs = 0;
  /** Why there was no response, or not all of it. */
  failure: string | undefined;
  isOpen = true;
  readonly #fields: Headers;
  readonly #watchers: Watcher[] = [];

  constructor(request: ApiRequest) {
    this.request = request;
    this.#fields = new Headers(request.headers);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  /** Whether the content is a stream, which may never end. */
  get isStream(): boolean {
    return this.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
  }

  /** Sends the request, and reads the response. Throws as `Send` does, but takes any status. */
  async run(): Promise<void> {
    const { path, signal } = this.request;
    const settings = { headers: this.#fields, cache: 'no-store', credentials: 'omit' } as const;
    const startedAt = performance.now();
    try {
      const response = await fetch(path, { ...this.request, ...settings });
      this.status = response.status;
      this.headers = response.headers;
      this.durationMs = performance.now() - startedAt;
      this.#tell();
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) break;
        this.#received(part.value);
      }
    } catch (error) {
      this.failure = signal?.aborted ? 'Stopped' : 'No connection';
      this.durationMs ||= performance.now() - startedAt;
      throw signal?.aborted ? error : new ConnectionError();
    } finally {
      this.isOpen = false;
      this.#tell();
    }
  }

  #received(text: string): void {
    this.text += text;
    if (this.isStream && this.text.length > MAX_TEXT) {
      const cut = this.text.indexOf('\n\n', this.text.length - MAX_TEXT);
      this.text = this.text.slice(Math.max(cut + 2, this.text.length - MAX_TEXT));
    }
    this.#tell(text);
  }

  #tell(text = ''): void {
    for (const watcher of this.#watchers) watcher(this, text);
  }
}

/** A rule that a request broke, and where (RFC 6901). */
export interface Violation {
  readonly pointer: string;
  readonly detail: string;
}

/** A response that is an error. Its content need not be a problem (RFC 9457). */
export class ProblemError extends Error {
  readonly status: number;
  readonly violations: readonly Violation[];

  constructor(status: number, text: string) {
    const { detail, title, errors } = problemIn(text);
    super(textOf(detail) || textOf(title) || `The service responded with ${status}`);
    this.status = status;
    this.violations = listOf(errors)
      .map(recordOf)
      .map((each) => ({ pointer: textOf(each.pointer), detail: textOf(each.detail) }));
  }
}

/** The status of an error that is a response; 0 of any other. */
export function statusOf(error: unknown): number {
  return error instanceof ProblemError ? error.status : 0;
}

/** There was no response at all. */
export class ConnectionError extends Error {
  override readonly message = 'There is no connection to the service.';
}

/** Describes any error to the user, as a sentence. */
export function sentenceOf(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function problemIn(text: string): JsonRecord {
  try {
    return recordOf(parseJson(text));
  } catch {
    return {};
  }
}
