/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Parses server-sent events (the HTML standard, section 9.2.6) from chunks of text. */
export class EventParser {
  /** The id of the last event that had one. */
  lastEventId = '';
  readonly #onEvent: (event: StreamEvent) => void;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  constructor(onEvent: (event: StreamEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Parses the next chunk, and reports the events that it completes. */
  take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  /** Drops an incomplete event, because another stream follows. */
  restart(): void {
    this.#rest = '';
    this.#clear();
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id') this.#id = value;
  }

  #dispatch(): void {
    if (this.#id !== undefined) this.lastEventId = this.#id;
    const [event, data] = [this.#event || 'message', this.#data];
    this.#clear();
    if (data.length > 0) this.#onEvent({ event, data: data.join('\n') });
  }

  #clear(): void {
    this.#event = '';
    this.#data = [];
    this.#id = undefined;
  }
}
