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

  constructor(onEvent: (event: StreamEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Parses the next chunk, and reports the events that it completes. */
  take(chunk: string): void {
    const blocks = (this.#rest + chunk).split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#take(block);
  }

  /** Drops an incomplete event, because another stream follows. */
  restart(): void {
    this.#rest = '';
  }

  #take(block: string): void {
    let event = '';
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id') this.lastEventId = value;
    }
    if (data.length > 0) this.#onEvent({ event: event || 'message', data: data.join('\n') });
  }
}
