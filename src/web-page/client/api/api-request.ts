import { attempt, type JsonRecord, listOf, parseJson, recordOf, textOf } from '../shared/json.ts';

/** Header fields, in order. */
export type Fields = [name: string, value: string][];

/** A request, with other options of `fetch`. */
export interface ApiRequest extends RequestInit {
  readonly method: string;
  /** The path with its query string. */
  readonly path: string;
  readonly headers: Fields;
  readonly body?: string | null;
  /** Whether the page sends it by itself, and not because of a click. */
  readonly isBackground?: boolean;
}

/** Names this page among the clients of the service. */
export const PAGE_ID = `page-${Math.random().toString(36).slice(2, 10)}`;

let lastNumber = 0;

/** One request and its response, as far as it has arrived. */
export class Exchange {
  readonly request: ApiRequest;
  /** The `X-Request-Id` of a request of this page, by which the journal of the service has it. */
  readonly id = `${PAGE_ID}-${++lastNumber}`;
  /** When the request was sent, in milliseconds since 1970. */
  sentAt = Date.now();
  /** The sender in words. */
  client = 'this page';
  /** What the journal of the service has of a request, if it was sent by another client. */
  recorded: Recorded | undefined;
  /** The status of the response; 0 until it begins. */
  status = 0;
  headers = new Headers();
  text = '';
  /** The time until the response began, in milliseconds. */
  durationMs = 0;
  /** Why the response is missing or incomplete. */
  failure = '';
  isOpen = true;
  /** Whether the content is a stream, which may never end. */
  isStream = false;

  constructor(request: ApiRequest) {
    this.request = request;
  }
}

/** The further facts about a request in the journal. */
export interface Recorded {
  /** The header fields that clients add by themselves. */
  readonly automatic: Fields;
  /** Whether the content is longer than what the journal keeps. */
  readonly isCut: boolean;
}

/** Called on each change of an exchange, with the content that has just arrived. */
export type ExchangeListener = (exchange: Exchange, text: string) => void;

/**
 * Sends a request, and reads the response to its end, if it has one. 304 is not an error.
 * @throws RequestError if it fails; TypeError for an invalid header field; an abort's own error
 */
export type Send = (request: ApiRequest, listener?: ExchangeListener) => Promise<Exchange>;

/** The number of characters to keep of a stream (the latest), and to show of any content. */
export const MAX_TEXT = 20_000;

/** The pause before a failed request is repeated, or a stream is opened again, in milliseconds. */
export const RETRY_MS = 2_000;

/**
 * Creates the page's `Send`. `onExchange` is called for each request and returns a listener.
 * `prepare` completes the header fields, without a trace in the exchange, which has the request as
 * `shown` returns it.
 */
export function createSend(
  onExchange: (exchange: Exchange) => ExchangeListener,
  prepare: (headers: Headers, exchange: Exchange) => void = () => {},
  shown: (request: ApiRequest) => ApiRequest = (request) => request,
): Send {
  return async (request, listener) => {
    // Invalid header fields are refused before there is an exchange.
    const settings = { headers: new Headers(request.headers), cache: 'no-store' } as const;
    const exchange = new Exchange(shown(request));
    prepare(settings.headers, exchange);
    const listeners = [listener, onExchange(exchange)];
    const notify = (text = '') => {
      for (const each of listeners) each?.(exchange, text);
    };
    const startedAt = performance.now();
    try {
      const { status, headers, body } = await fetch(request.path, { ...request, ...settings });
      const isStream = headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
      const durationMs = performance.now() - startedAt;
      Object.assign(exchange, { status, headers, isStream, durationMs });
      notify();
      const write = (part: string) => {
        exchange.text += part;
        if (isStream) exchange.text = endOf(exchange.text);
        notify(part);
      };
      await body?.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream({ write }));
    } catch (error) {
      const isAborted = request.signal?.aborted;
      exchange.failure = isAborted ? 'Stopped' : 'No response';
      exchange.durationMs ||= performance.now() - startedAt;
      throw isAborted ? error : new RequestError();
    } finally {
      exchange.isOpen = false;
      notify();
    }
    if (exchange.status >= 400) throw new RequestError(exchange.status, exchange.text);
    return exchange;
  };
}

function endOf(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(-MAX_TEXT).replace(/^.*?\n\n/s, '');
}

/** A failed request. The content of its response may be other than a problem (RFC 9457). */
export class RequestError extends Error {
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  readonly violations: readonly ReturnType<typeof violationOf>[];

  constructor(status = 0, text = '') {
    const { detail, title, errors } = recordOf(attempt(() => parseJson(text)));
    super(textOf(detail) || textOf(title) || `The service responded with ${status || 'nothing'}`);
    this.status = status;
    this.violations = listOf(errors).map(recordOf).map(violationOf);
  }
}

/** A violated rule and its place (RFC 6901). For several items, names the item. */
function violationOf({ pointer, detail }: JsonRecord) {
  const [, at, member] = /^#\/(\d+)(\/.*)$/.exec(textOf(pointer)) ?? [];
  if (at === undefined) return { pointer: textOf(pointer), detail: textOf(detail) };
  return { pointer: `#${member}`, detail: `item ${Number(at) + 1}: ${textOf(detail)}` };
}

/** The status of a failed request: 0 without a response, NaN for any other error. */
export function statusOf(error: unknown): number {
  return error instanceof RequestError ? error.status : Number.NaN;
}

/** A sentence about any error. @param ifLost a second sentence if there is no response */
export function sentenceOf(error: unknown, ifLost = ''): string {
  if (statusOf(error) === 0) return `No response came from the service. ${ifLost}`.trim();
  const sentence = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
