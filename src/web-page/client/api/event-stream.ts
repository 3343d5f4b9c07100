import { type Fields, RETRY_MS, type Send, sentenceOf, statusOf } from './api-request.ts';
import { parseEvents, type StreamEvent } from './event-parser.ts';

/** The silence after which a stream is lost, in milliseconds. The service sends every 15 s. */
const SILENCE_MS = 40_000;

export const NO_CONNECTION = 'There is no connection to the service.';

/**
 * Creates a stream of the changes of items. `connect` opens it. When it ends, it reports the reason
 * and connects again, until `stop`.
 */
export function createEventStream(
  send: Send,
  path: string,
  onEvent: (event: StreamEvent) => void,
  onState: (isLive: boolean, reason: string) => void,
) {
  let abortController: AbortController | undefined;
  /** Connects again, or ends a silent stream. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastEventId = '';

  function stop(): void {
    clearTimeout(timer);
    abortController?.abort();
    abortController = undefined;
  }

  /** Reports that the stream is lost, and connects again after a while. */
  function retry(reason: string): void {
    stop();
    onState(false, reason);
    timer = setTimeout(connect, RETRY_MS);
  }

  function restartSilenceTimer(): void {
    clearTimeout(timer);
    timer = setTimeout(() => retry('The service has gone silent.'), SILENCE_MS);
  }

  function receive(event: StreamEvent): void {
    lastEventId = event.id ?? lastEventId;
    // Pings, and events with an id alone, have no change.
    if (event.data === '' || event.event === 'ping') return;
    if (event.event === 'ready') onState(true, '');
    onEvent(event);
  }

  async function connect(): Promise<void> {
    stop();
    abortController = new AbortController();
    const { signal } = abortController;
    const headers: Fields = [['Accept', 'text/event-stream']];
    if (lastEventId !== '') headers.push(['Last-Event-ID', lastEventId]);
    let reason = 'The service has ended the event stream.';
    let rest = '';
    restartSilenceTimer();
    try {
      await send(
        { method: 'GET', path, headers, signal, isBackground: true },
        ({ status }, text) => {
          if (signal.aborted) return;
          restartSilenceTimer();
          if (status !== 200) return;
          const parsed = parseEvents(rest + text);
          rest = parsed.rest;
          for (const event of parsed.events) receive(event);
        },
      );
    } catch (error) {
      reason = statusOf(error) === 0 ? NO_CONNECTION : sentenceOf(error);
    }
    if (!signal.aborted) retry(reason);
  }

  return { connect, retry, stop };
}
