import assert from 'node:assert/strict';
import { Client } from 'undici';
import { EVENTS } from './paths.ts';
import { within } from './within.ts';

/** An event as a browser parses it. */
export interface SeenEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** A client of server-sent events (the HTML standard, section 9.2.6). */
export class EventClient {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly events: SeenEvent[] = [];
  /** The id of the last event that had one. */
  lastEventId: string | undefined;
  hasEnded = false;
  /** How many events `ping` have arrived, which are no part of `events`. */
  pings = 0;
  readonly #client: Client;
  #taken = 0;
  #rest = '';
  #notify: () => void = () => {};

  private constructor(
    headers: EventClient['headers'],
    body: AsyncIterable<Buffer>,
    client: Client,
  ) {
    this.headers = headers;
    this.#client = client;
    this.#read(body);
  }

  /** Opens a stream, and asserts that it starts. */
  static async open(
    baseUrl: string,
    lastEventId?: string,
    path = EVENTS,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<EventClient> {
    const client = new Client(baseUrl, { bodyTimeout: 0 });
    const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await client.request({
      method: 'GET',
      path,
      headers: { accept: 'text/event-stream', ...last, ...fields },
    });
    assert.equal(response.statusCode, 200);
    return new EventClient(response.headers, response.body, client);
  }

  /** Waits for the next event; skips `ping`. */
  async next(): Promise<SeenEvent> {
    for (;;) {
      const event = this.events[this.#taken];
      if (event !== undefined) {
        this.#taken++;
        return event;
      }
      assert(!this.hasEnded, 'the stream is still open');
      await this.#change('the next event');
    }
  }

  async take(count: number): Promise<SeenEvent[]> {
    const events: SeenEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  /** Waits for the end of the stream. */
  async ended(): Promise<void> {
    while (!this.hasEnded) await this.#change('the end of the stream');
  }

  close(): void {
    this.#client.destroy();
  }

  #change(what: string): Promise<void> {
    const change = new Promise<void>((resolve) => {
      this.#notify = resolve;
    });
    return within(what, change);
  }

  async #read(body: AsyncIterable<Buffer>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        const blocks = (this.#rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        this.#rest = blocks.pop() ?? '';
        for (const block of blocks) this.#dispatch(block);
        this.#notify();
      }
    } catch {
      // Either side cut the connection.
    }
    this.hasEnded = true;
    this.#client.destroy();
    this.#notify();
  }

  #dispatch(block: string): void {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const name = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === 'event') event = value;
      if (name === 'data') data.push(value);
      if (name === 'id') this.lastEventId = value;
    }
    if (data.length === 0) return;
    if (event === 'ping') {
      this.pings++;
      return;
    }
    const hasId = /^id:/m.test(block);
    this.events.push({ event, data: data.join('\n'), id: hasId ? this.lastEventId : undefined });
  }
}
