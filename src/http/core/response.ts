import { type ByteString, byteString } from '../../json/byte-string.ts';
import type { Steps } from './steps.ts';

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The response of a handler: an immutable value. */
export interface Response {
  readonly status: number;
  readonly headers?: HeaderFields | undefined;
  /** The media type of the content. */
  readonly mediaType?: string | undefined;
  /** Absent if there is none. Steps are made while it is sent, so that others are not held up. */
  readonly content?: ByteString | Buffer | Steps<ByteString> | StreamingContent | undefined;
  /** What follows the content: set by the server if content in steps turns out to be long. */
  readonly rest?: Steps<ByteString> | undefined;
  /** The connection closes after this response. */
  readonly close?: boolean | undefined;
  /** There is no response: the connection is closed. */
  readonly isAborted?: boolean;
  /** Pages of other origins never read it. */
  readonly isPrivate?: boolean;
}

/** Content without a fixed end: it is sent as things happen, until client or service ends it. */
export interface StreamingContent {
  /** Called when the head of the response has been sent. */
  open(writer: StreamWriter): void;
}

/** The receiver of live content. */
export interface StreamWriter {
  /** Whether the client has read everything so far. If not, write nothing more. */
  readonly isDrained: boolean;
  write(text: ByteString): void;
  /** Ends the content; a client that has not read all of it is disconnected. */
  end(): void;
  disconnect(): void;
  /** Calls back whenever the client has caught up. */
  onDrain(callback: () => void): void;
  onClose(callback: () => void): void;
  /** Calls back when the client has ended its side. It has probably gone; only a write can tell. */
  onHalfClosed(callback: () => void): void;
}

/** The response of a request whose connection is closed without one. */
export const NO_RESPONSE: Response = { status: 0, isAborted: true };

/** The media type of JSON (RFC 8259, section 11). */
export const JSON_MEDIA_TYPE = 'application/json';

/** A response that contains a JSON text. */
export function jsonResponse(
  status: number,
  content: Exclude<Response['content'], StreamingContent | undefined>,
  headers?: HeaderFields,
): Response {
  return { status, headers, mediaType: JSON_MEDIA_TYPE, content };
}

/** A response that contains a value as JSON. */
export function valueResponse(status: number, value: unknown, headers?: HeaderFields): Response {
  return jsonResponse(status, byteString(JSON.stringify(value)), headers);
}

/** Whether content is made in steps. */
export function isInSteps(content: Response['content']): content is Steps<ByteString> {
  return typeof content === 'object' && 'next' in content;
}

/** Whether content is live. */
export function isStreamingContent(content: Response['content']): content is StreamingContent {
  return typeof content === 'object' && 'open' in content;
}

/** Releases the content of a response that will not be sent. */
export function closeContent({ content, rest }: Response): void {
  if (isInSteps(content)) content.close?.();
  rest?.close?.();
}

/** The response with more header fields, which override those it has. */
export function withHeaders(response: Response, headers: HeaderFields): Response {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** The response with one more field name in `Vary` (RFC 9110, section 12.5.5). */
export function withVary(response: Response, field: string): Response {
  const { Vary } = response.headers ?? {};
  return withHeaders(response, { Vary: Vary === undefined ? field : `${Vary}, ${field}` });
}

/** Applies a function to the response to a request: at once, or later if it is a promise. */
export function mapResponse<R>(
  response: Response | Promise<Response>,
  request: R,
  map: (response: Response, request: R) => Response | Promise<Response>,
): Response | Promise<Response> {
  return response instanceof Promise
    ? response.then((each) => map(each, request))
    : map(response, request);
}
