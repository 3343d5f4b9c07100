import type { Api } from './api.ts';
import { EventParser, type StreamEvent } from './event-parser.ts';
import type { Exchange, Fields } from './exchange.ts';
import { ProblemError, sentenceOf } from './problem.ts';

/** Whether changes come as they happen; `off` if the service does not stream them. */
export type StreamState = 'connecting' | 'live' | 'offline' | 'off';

/** What an event stream reports. */
export interface StreamObserver {
  event(event: StreamEvent): void;
  /** @param reason why the stream is offline */
  state(state: StreamState, reason: string): void;
}

/** How long to wait before each new attempt, in milliseconds; the last value repeats. */
const RETRY_MS = [300, 1_000, 2_000, 4_000];

/** The service sends something every 15 s. After this silence, in milliseconds, it is gone. */
const SILENCE_MS = 40_000;

/**
 * How long a hidden page keeps its stream, in milliseconds. Browsers open at most six connections
 * to an origin, so hidden pages must give theirs up.
 */
const HIDDEN_MS = 5_000;

/** Follows the changes of items, and connects again whenever the stream ends. */
export function followEvents(api: Api, path: string, observer: StreamObserver): void {
  let request: AbortController | undefined;
  let failures = 0;
  let retry: number | undefined;
  let silence: number | undefined;
  let hiding: number | undefined;
  const parser = new EventParser((event) => {
    failures = 0;
    if (event.event === 'ready') observer.state('live', '');
    observer.event(event);
  });

  function stop(): void {
    clearTimeout(retry);
    clearTimeout(silence);
    request?.abort();
    request = undefined;
  }

  function lost(reason: string): void {
    stop();
    observer.state('offline', reason);
    retry = setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures++;
  }

  function expectMore(): void {
    clearTimeout(silence);
    silence = setTimeout(() => lost('The service has gone silent.'), SILENCE_MS);
  }

  function watch(exchange: Exchange): void {
    exchange.watch((text) => {
      if (!exchange.isOpen) return;
      expectMore();
      if (exchange.response?.status === 200) parser.take(text);
    });
  }

  async function connect(): Promise<void> {
    stop();
    request = new AbortController();
    const { signal } = request;
    const headers: Fields = [['Accept', 'text/event-stream']];
    const resumed: Fields = parser.lastEventId ? [['Last-Event-ID', parser.lastEventId]] : [];
    let reason = 'The service has ended the event stream.';
    parser.restart();
    expectMore();
    try {
      const options = { headers: [...headers, ...resumed], signal, onExchange: watch };
      await api.send('GET', path, options);
    } catch (error) {
      reason = sentenceOf(error);
      // Trying again would be useless.
      if (error instanceof ProblemError && error.status < 500) {
        stop();
        observer.state('off', '');
      }
    }
    if (!signal.aborted) lost(reason);
  }

  function reconnect(): void {
    failures = 0;
    connect();
  }

  addEventListener('online', reconnect);
  addEventListener('offline', () => lost('This device is offline.'));
  addEventListener('pagehide', stop);
  addEventListener('pageshow', ({ persisted }) => persisted && reconnect());
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(stop, HIDDEN_MS);
    else if (request === undefined) reconnect();
  });
  connect();
}
