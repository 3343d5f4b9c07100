import type { Api } from './api.ts';
import { EventParser, type StreamEvent } from './event-parser.ts';
import type { Fields } from './exchange.ts';
import { ProblemError, sentenceOf } from './problem.ts';

/** Whether changes come as they happen; `off` if the service has no event stream. */
export type LiveState = 'connecting' | 'live' | 'offline' | 'off';

/** How long to wait before each new attempt, in milliseconds; the last value repeats. */
const RETRY_MS = [300, 1_000, 2_000, 4_000];

/** The service sends something every 15 s. After this silence, in milliseconds, it is gone. */
const SILENCE_MS = 40_000;

/**
 * How long a hidden page keeps its stream, in milliseconds. Browsers open at most six connections
 * to an origin, so hidden pages must give theirs up.
 */
const HIDDEN_MS = 5_000;

/** Follows changes to items, and reconnects whenever the stream ends. */
export class Live {
  state: LiveState = 'connecting';
  readonly #api: Api;
  readonly #path: string;
  readonly #onState: (state: LiveState, reason: string) => void;
  readonly #parser: EventParser;
  #stream: AbortController | undefined;
  #failures = 0;
  #retry: number | undefined;
  #silence: number | undefined;
  #hiding: number | undefined;

  constructor(
    api: Api,
    path: string,
    onEvent: (event: StreamEvent) => void,
    onState: (state: LiveState, reason: string) => void,
  ) {
    this.#api = api;
    this.#path = path;
    this.#onState = onState;
    this.#parser = new EventParser((event) => {
      this.#failures = 0;
      if (event.event === 'ready') this.#set('live');
      onEvent(event);
    });
  }

  start(): void {
    addEventListener('online', () => this.#reconnect());
    addEventListener('offline', () => this.#lost('This device is offline.'));
    addEventListener('pagehide', () => this.#stop());
    addEventListener('pageshow', ({ persisted }) => persisted && this.#reconnect());
    document.addEventListener('visibilitychange', () => this.#visibilityChanged());
    this.#connect();
  }

  async #connect(): Promise<void> {
    this.#stop();
    const stream = new AbortController();
    this.#stream = stream;
    const { signal } = stream;
    const { lastEventId } = this.#parser;
    const headers: Fields = [
      ['Accept', 'text/event-stream'],
      ...(lastEventId === '' ? [] : [['Last-Event-ID', lastEventId] as const]),
    ];
    let reason = 'The service has ended the stream of changes.';
    try {
      const opened = await this.#api.open('GET', this.#path, { headers, signal });
      const { status, ok } = opened.response;
      await this.#read(opened, signal);
      if (isRefusal(status) && !signal.aborted) {
        this.#stop();
        this.#set('off');
        return;
      }
      if (!ok) reason = sentenceOf(new ProblemError(status, opened.exchange.text));
    } catch (error) {
      reason = sentenceOf(error);
    }
    if (!signal.aborted) this.#lost(reason);
  }

  async #read(
    { exchange, response }: Awaited<ReturnType<Api['open']>>,
    signal: AbortSignal,
  ): Promise<void> {
    this.#parser.restart();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        this.#expectMore();
        const chunk = await reader?.read();
        if (chunk === undefined || chunk.done || signal.aborted) break;
        exchange.received(chunk.value, true);
        if (response.ok) this.#parser.take(chunk.value);
      }
      exchange.ended(signal.aborted ? 'Closed' : undefined);
    } catch (error) {
      exchange.ended(signal.aborted ? 'Closed' : 'Connection lost');
      throw error;
    }
  }

  #expectMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lost('The service has gone silent.'), SILENCE_MS);
  }

  #lost(reason: string): void {
    this.#stop();
    this.#set('offline', reason);
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures++;
    this.#retry = setTimeout(() => this.#connect(), wait);
  }

  #reconnect(): void {
    this.#failures = 0;
    this.#connect();
  }

  #visibilityChanged(): void {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#stop(), HIDDEN_MS);
    else if (this.#stream === undefined) this.#reconnect();
  }

  #stop(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#stream?.abort();
    this.#stream = undefined;
  }

  #set(state: LiveState, reason = ''): void {
    this.state = state;
    this.#onState(state, reason);
  }
}

/** Whether it is useless to try again. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
