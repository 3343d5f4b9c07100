import { parseEvents, type StreamEvent } from './event-parser.ts';
import { type Fields, type Send, sentenceOf, statusOf } from './exchange.ts';

/** Whether changes come as they happen; `off` if the service does not stream them. */
export type StreamState = 'live' | 'offline' | 'off';

/** How long to wait before each new attempt, in milliseconds; the last value repeats. */
const RETRY_MS = [300, 1_000, 2_000, 4_000];

/** The service sends something every 15 s. After this silence, in milliseconds, it is gone. */
const SILENCE_MS = 40_000;

/** How long a hidden page keeps its stream, in milliseconds: an origin gets six connections. */
const HIDDEN_MS = 5_000;

const OFFLINE = 'This device is offline.';

/** Follows the changes of items, and connects again whenever the stream ends; says why it did. */
export function followEvents(
  send: Send,
  path: string,
  onEvent: (event: StreamEvent) => void,
  onState: (state: StreamState, reason?: string) => void,
): void {
  let request: AbortController | undefined;
  let failures = 0;
  /** Connects again, or ends a silent stream. */
  let timer: number | undefined;
  let hiding: number | undefined;
  let lastEventId = '';

  function stop(): void {
    clearTimeout(timer);
    request?.abort();
    request = undefined;
  }

  function lost(reason: string): void {
    stop();
    onState('offline', reason);
    timer = setTimeout(connect, RETRY_MS[failures++] ?? RETRY_MS.at(-1));
  }

  function expectMore(): void {
    clearTimeout(timer);
    timer = setTimeout(() => lost('The service has gone silent.'), SILENCE_MS);
  }

  function receive(event: StreamEvent): void {
    lastEventId = event.id ?? lastEventId;
    if (event.data === '') return;
    failures = 0;
    if (event.event === 'ready') onState('live');
    onEvent(event);
  }

  async function connect(): Promise<void> {
    stop();
    request = new AbortController();
    const { signal } = request;
    const headers: Fields = [['Accept', 'text/event-stream']];
    if (lastEventId !== '') headers.push(['Last-Event-ID', lastEventId]);
    let reason = 'The service has ended the event stream.';
    let rest = '';
    expectMore();
    try {
      await send({ method: 'GET', path, headers, signal }, ({ status }, text) => {
        if (signal.aborted) return;
        expectMore();
        if (status !== 200) return;
        const parsed = parseEvents(rest + text);
        rest = parsed.rest;
        for (const event of parsed.events) receive(event);
      });
    } catch (error) {
      const status = statusOf(error);
      reason = status === 0 && !navigator.onLine ? OFFLINE : sentenceOf(error);
      // A gateway may find the service later. A service that has no events any more says 406.
      if (status === 406 || (status > 0 && status < 500 && lastEventId === '')) {
        stop();
        onState('off');
      }
    }
    if (!signal.aborted) lost(reason);
  }

  addEventListener('online', () => document.hidden || connect());
  addEventListener('offline', () => document.hidden || lost(OFFLINE));
  addEventListener('pagehide', stop);
  addEventListener('pageshow', ({ persisted }) => persisted && connect());
  document.addEventListener('visibilitychange', async () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(stop, HIDDEN_MS);
    else if (request === undefined) await connect();
  });
  // Not awaited, because it tries again by itself.
  if (!document.hidden) void connect();
}
