import { type ByteString, byteString, joined } from '../../json/index.ts';
import { NOT_YET, type Steps } from '../../steps.ts';

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The response of a handler: an immutable value. */
export interface Response {
  readonly status: number;
  readonly headers?: HeaderFields | undefined;
  /** Further header fields, each sent once for each of its values. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly mediaType?: string | undefined;
  /** All of the content, or its first part, before that of `steps`. Absent if there is none. */
  readonly content?: ByteString | Buffer | LiveContent | undefined;
  /** Makes content in steps. Only a route may give them: the server begins with them. */
  readonly steps?: ContentSteps | undefined;
  /** The connection closes after this response. */
  readonly close?: boolean | undefined;
  /** There is no response: the connection is closed. */
  readonly isAborted?: boolean;
  /** The connection is closed with a TCP reset. */
  readonly isReset?: boolean;
  /** The connection is closed after half of the content, or after half of its first part. */
  readonly isTruncated?: boolean;
  /** Pages of other origins never read it. */
  readonly isPrivate?: boolean;
}

/** Content made while it is sent, in parts each worth a write. Each run of its steps makes one. */
export interface ContentSteps extends Steps<undefined, boolean> {
  /** Receives the part, before the result, which is whether that was the last one. */
  take: (part: ByteString) => void;
}

/** Content that is written as things happen. Called when the head of the response has been sent. */
export type LiveContent = (writer: StreamWriter) => void;

/** The receiver of live content. */
export interface StreamWriter {
  /** Whether the client has read everything so far. If not, write nothing more. */
  readonly isDrained: boolean;
  write(text: ByteString): void;
  /** Ends the content; a client that has not read all of it is disconnected. */
  end(): void;
  disconnect(): void;
  /** Calls back whenever the client has caught up, when all is closed, or when it ends its side. */
  on(event: 'drain' | 'close' | 'end', callback: () => void): void;
}

/** Makes what waits until the client has caught up, or all is closed. */
export function drainOf(writer: StreamWriter): () => Promise<void> | undefined {
  let goOn = () => {};
  for (const event of ['drain', 'close'] as const) writer.on(event, () => goOn());
  const wait = () =>
    new Promise<void>((resolve) => {
      goOn = resolve;
    });
  return () => (writer.isDrained ? undefined : wait());
}

/** The response of a request whose connection is closed without one. */
export const NO_RESPONSE: Response = { status: 0, isAborted: true };

/** The media type of JSON (RFC 8259, section 11). */
export const JSON_MEDIA_TYPE = 'application/json';

/** A response that contains a JSON text. */
export function jsonResponse(
  status: number,
  content: ByteString | Buffer | ContentSteps,
  headers?: HeaderFields,
): Response {
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  return {
    status,
    headers,
    mediaType: JSON_MEDIA_TYPE,
    content: isWhole ? content : undefined,
    steps: isWhole ? undefined : content,
  };
}

/** A response that contains a value as JSON. */
export function valueResponse(status: number, value: unknown, headers?: HeaderFields): Response {
  return jsonResponse(status, byteString(JSON.stringify(value)), headers);
}

/** The response with more header fields, which override those it has. */
export function withHeaders(response: Response, headers: HeaderFields): Response {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** The response with one more field name in `Vary` (RFC 9110, section 12.5.5). */
export function withVary(response: Response, field: string): Response {
  const { headers } = response;
  const Vary = headers?.Vary === undefined ? field : `${headers.Vary}, ${field}`;
  return { ...response, headers: { ...headers, Vary } };
}

/** Changes the response to a request: at once, or later if it is a promise. */
export function mapResponse<R>(
  response: Response | Promise<Response>,
  request: R,
  map: (response: Response, request: R) => Response,
): Response | Promise<Response> {
  return response instanceof Promise
    ? response.then((each) => map(each, request))
    : map(response, request);
}

/** The sizes of the first part, which is often the only one, and of others: a few writes. */
const FIRST_PART_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

/** How much text to make in one step: some tenths of a millisecond of work. */
const STEP_BYTES = 32 * 1024;

const NOTHING = byteString('');
const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/** The JSON text of a list, made part by part while its rows are found. */
export class JsonArray<T> implements ContentSteps {
  readonly #rows: Steps<readonly T[]>;
  readonly #serialize: (row: T) => ByteString;
  readonly #onWhole: ((text: ByteString) => void) | undefined;
  readonly #parts = this.#makeParts();
  take: ContentSteps['take'] = () => {};
  #text = OPENING;
  #partBytes = FIRST_PART_BYTES;

  /** @param onWhole receives the text if it is one part, so that it can be cached */
  constructor(
    rows: Steps<readonly T[]>,
    serialize: (row: T) => ByteString,
    onWhole?: (text: ByteString) => void,
  ) {
    this.#rows = rows;
    this.#serialize = serialize;
    this.#onWhole = onWhole;
  }

  get bytes(): number {
    return (this.#rows.bytes ?? 0) + this.#text.length;
  }

  next(): IteratorResult<undefined, boolean> {
    const { done = false, value } = this.#parts.next();
    if (value === undefined) return NOT_YET;
    this.take(value);
    return { done: true, value: done };
  }

  close(): void {
    this.#rows.close?.();
  }

  *#makeParts(): Generator<ByteString | undefined, ByteString> {
    let separator = NOTHING;
    for (let step = this.#rows.next(); !step.done; step = this.#rows.next()) {
      let stepEnd = this.#text.length + STEP_BYTES;
      for (const row of step.value ?? []) {
        this.#text = joined(this.#text, separator, this.#serialize(row));
        separator = COMMA;
        if (this.#text.length < stepEnd) continue;
        yield this.#takePart();
        stepEnd = this.#text.length + STEP_BYTES;
      }
      yield this.#takePart();
    }
    const last = joined(this.#text, CLOSING);
    this.#text = NOTHING;
    if (this.#partBytes === FIRST_PART_BYTES) this.#onWhole?.(last);
    return last;
  }

  #takePart(): ByteString | undefined {
    if (this.#text.length < this.#partBytes) return undefined;
    const part = this.#text;
    this.#text = NOTHING;
    this.#partBytes = PART_BYTES;
    return part;
  }
}
