import { type ByteString, byteString } from '../../json/index.ts';
import type { Steps } from '../../steps.ts';

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The response of a handler: an immutable value. */
export interface Response {
  readonly status: number;
  readonly headers?: HeaderFields | undefined;
  /** Fields besides `headers`: one for each value, even if `headers` has the name. */
  readonly extraHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly mediaType?: string | undefined;
  /** Absent for a response without content. */
  readonly content?: Content | undefined;
  /** The connection closes after this response. */
  readonly close?: boolean | undefined;
  /** Closes the connection instead of responding, normally or with a TCP reset. */
  readonly abort?: 'close' | 'reset';
  /**
   * Only half of the content is sent, or of its first part, and the connection closes when this is
   * fulfilled. It must never be rejected.
   */
  readonly cut?: Promise<void> | undefined;
}

/** Whole content, long content in parts, or content that becomes available while it is sent. */
export type Content = ByteString | Buffer | ContentParts | StreamedContent;

/**
 * Long content. Running its steps to their end makes the first part; running them again makes the
 * next one, in the same buffer. The sender does so when it has written the previous part.
 */
export interface ContentParts extends Steps {
  /** The part that has been made. */
  readonly part: ByteString | Buffer;
  readonly isLast: boolean;
  /** Whether the part is a short text so far, which takes no buffer. */
  readonly isShort: boolean;
  /** Frees what has been made. Its steps begin again, and make the same content. */
  restart(): void;
}

/** Writes content as it becomes available. Called after the head of the response was sent. */
export type StreamedContent = (writer: StreamWriter) => unknown;

/** The receiver of streamed content. */
export interface StreamWriter {
  /** Whether the client has read everything so far. If not, wait for `drain`. */
  readonly isDrained: boolean;
  write(text: ByteString): void;
  /** Ends the content; a client that has not read all of it is disconnected. */
  end(): void;
  /** `drain`: the client has read all; `close`: it is gone; `end`: it sends no more. */
  on(event: 'drain' | 'close' | 'end', callback: () => void): void;
}

/** For responses that caches must not store (RFC 9111, section 5.2.2.5). */
export const NO_STORE: HeaderFields = { 'Cache-Control': 'no-store' };

/** No response. The connection is closed instead. */
export const NO_RESPONSE: Response = { status: 0, abort: 'close' };

/** The media type of JSON (RFC 8259, section 11). */
export const JSON_MEDIA_TYPE = 'application/json';

/** A response with JSON content. */
export function jsonResponse(status: number, content: Content, headers?: HeaderFields): Response {
  return { status, headers, mediaType: JSON_MEDIA_TYPE, content };
}

/** A response that contains a value as JSON. */
export function valueResponse(status: number, value: unknown, headers?: HeaderFields): Response {
  return jsonResponse(status, byteString(JSON.stringify(value)), headers);
}

/** The response with more header fields, which override existing fields. */
export function withHeaders(response: Response, headers: HeaderFields): Response {
  return { ...response, headers: { ...response.headers, ...headers } };
}
