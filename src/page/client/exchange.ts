/** Header fields, in order. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** What is sent. */
export interface Outgoing {
  readonly method: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers: Fields;
  readonly body: string | undefined;
}

/** What came back; its text grows where it is a stream. */
export interface Incoming {
  readonly status: number;
  readonly headers: Fields;
}

/** Past this, the beginning of a stream is dropped: what is shown is its end. In characters. */
const MAX_TEXT = 20_000;

/** One request and what became of it. Those who watch are told of each change. */
export class Exchange {
  readonly request: Outgoing;
  response: Incoming | undefined;
  text = '';
  /** Until the head of the response came, in milliseconds. */
  durationMs: number | undefined;
  /** What went wrong where there was no response, or its end did not come. */
  failure: string | undefined;
  isOpen = true;
  readonly #startedAt = performance.now();
  readonly #watchers = new Set<() => void>();

  constructor(request: Outgoing) {
    this.request = request;
  }

  watch(watcher: () => void): void {
    this.#watchers.add(watcher);
  }

  responded(response: Response): void {
    this.durationMs = performance.now() - this.#startedAt;
    this.response = { status: response.status, headers: [...response.headers] };
    this.#tell();
  }

  /** More of the content came. */
  received(text: string, isStream: boolean): void {
    this.text += text;
    if (isStream && this.text.length > MAX_TEXT) {
      const cut = this.text.indexOf('\n\n', this.text.length - MAX_TEXT);
      this.text = this.text.slice(Math.max(cut + 2, this.text.length - MAX_TEXT));
    }
    this.#tell();
  }

  ended(failure?: string): void {
    if (!this.isOpen) return;
    this.durationMs ??= performance.now() - this.#startedAt;
    this.isOpen = false;
    this.failure = failure;
    this.#tell();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
