/** Header fields, in order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A request as sent. */
export interface SentRequest {
  readonly method: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers: Fields;
  readonly body: string | undefined;
}

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Fields;
}

/** Called on each change, with the part of the content that has just arrived. */
type Watcher = (text: string) => void;

/** The maximum characters of a stream to keep; older ones are dropped. */
const MAX_TEXT = 20_000;

/** One request and its response. */
export class Exchange {
  readonly request: SentRequest;
  response: ResponseHead | undefined;
  /** The content of the response so far. */
  text = '';
  /** The time until the response began, in milliseconds. */
  durationMs: number | undefined;
  /** Why there was no response, or not all of it. */
  failure: string | undefined;
  isOpen = true;
  readonly #startedAt = performance.now();
  readonly #watchers = new Set<Watcher>();

  constructor(request: SentRequest) {
    this.request = request;
  }

  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  responded(response: Response): void {
    this.durationMs = performance.now() - this.#startedAt;
    this.response = { status: response.status, headers: [...response.headers] };
    this.#tell();
  }

  /** Whether the content is a stream, which may never end. */
  get isStream(): boolean {
    return this.response?.headers.some(([, value]) => value.includes('event-stream')) ?? false;
  }

  /** Adds a part of the content. */
  received(text: string): void {
    this.text += text;
    if (this.isStream && this.text.length > MAX_TEXT) {
      const cut = this.text.indexOf('\n\n', this.text.length - MAX_TEXT);
      this.text = this.text.slice(Math.max(cut + 2, this.text.length - MAX_TEXT));
    }
    this.#tell(text);
  }

  ended(failure?: string): void {
    if (!this.isOpen) return;
    this.durationMs ??= performance.now() - this.#startedAt;
    this.isOpen = false;
    this.failure = failure;
    this.#tell();
  }

  #tell(text = ''): void {
    for (const watcher of this.#watchers) watcher(text);
  }
}
