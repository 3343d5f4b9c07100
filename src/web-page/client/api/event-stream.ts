import { type Fields, RETRY_MS, type Send, sentenceOf, statusOf } from './api-request.ts';
import { parseEvents, type StreamEvent } from './event-parser.ts';

/** The silence after which a stream is lost, in milliseconds. The service sends every 15 s. */
const SILENCE_MS = 40_000;

export const NO_CONNECTION = 'There is no connection to the service.';

/**
 * Creates the stream of the changes of items. It connects again when it ends, and reports the
 * reason.
 */
export function createEventStream(
  send: Send,
  path: string,
  onEvent: (event: StreamEvent) => void,
  onState: (isLive: boolean, reason: string) => void,
) {
  let request: AbortController | undefined;
  /** Connects again, or ends a silent stream. */
  let timer: ReturnType<typeof setTimeout> | undefined;
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
    // A ping only ends the silence.
    if (event.data === '' || event.event === 'ping') return;
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
      await send(
        { method: 'GET', path, headers, signal, isBackground: true },
        ({ status }, text) => {
          if (signal.aborted) return;
          expectMore();
          if (status !== 200) return;
          const parsed = parseEvents(rest + text);
          rest = parsed.rest;
          for (const event of parsed.events) receive(event);
        },
      );
    } catch (error) {
      reason = statusOf(error) === 0 ? NO_CONNECTION : sentenceOf(error);
    }
    if (!signal.aborted) lost(reason);
  }

  return { connect, lost, stop };
}
