import { parseEvents, type StreamEvent } from './event-parser.ts';
import { type Fields, RETRY_MS, RequestError, type Send, sentenceOf } from './exchange.ts';

/** The silence after which a stream is lost, in milliseconds. The service sends every 15 s. */
const SILENCE_MS = 40_000;

/** Follows the changes of items. Reconnects when the stream ends, and reports the reason. */
export function followEvents(
  send: Send,
  path: string,
  onEvent: (event: StreamEvent) => void,
  onState: (isLive: boolean, reason: string) => void,
): void {
  let request: AbortController | undefined;
  /** Connects again, or ends a silent stream. */
  let timer: number | undefined;
  let lastEventId = '';

  function stop(): void {
    clearTimeout(timer);
    request?.abort();
    request = undefined;
  }

  function lost(reason: string): void {
    stop();
    onState(false, reason);
    timer = setTimeout(connect, RETRY_MS);
  }

  function expectMore(): void {
    clearTimeout(timer);
    timer = setTimeout(() => lost('The service has gone silent.'), SILENCE_MS);
  }

  function receive(event: StreamEvent): void {
    lastEventId = event.id ?? lastEventId;
    if (event.data === '') return;
    if (event.event === 'ready') onState(true, '');
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
      reason = sentenceOf(error);
    }
    if (!signal.aborted) lost(reason);
  }

  addEventListener('offline', () => document.hidden || lost(sentenceOf(new RequestError())));
  // A hidden page keeps no stream, because a browser opens only six connections to an origin.
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : connect()));
  // Not awaited, because `connect` retries by itself.
  if (!document.hidden) void connect();
}
