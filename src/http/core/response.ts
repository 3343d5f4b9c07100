import { type ByteString, byteString } from '../../json/byte-string.ts';

/** Header fields by name. */
export type HeaderFields = Readonly<Record<string, string>>;

/** What a handler answers: a value, which nobody changes. */
export interface Response {
  readonly status: number;
  readonly headers?: HeaderFields | undefined;
  /** The media type of the content. */
  readonly mediaType?: string | undefined;
  /** None where it is absent. */
  readonly content?: ByteString | Buffer | Chunks | Live | undefined;
  /** The connection ends after this response. */
  readonly close?: boolean | undefined;
  /** There is no response at all: the connection is closed. */
  readonly isAborted?: boolean;
}

/**
 * Content that is made as it is sent, so that neither its length nor its making holds up others.
 */
export interface Chunks {
  /**
   * Makes the next chunk, a fraction of a millisecond of work: an empty one where more work is
   * needed before there is any, undefined at the end.
   */
  next(): ByteString | undefined;
  /** The memory held for the rest of the content, in bytes. */
  readonly bytes: number;
  /** Gives up what is held. It is called once, whether or not the end was reached. */
  close(): void;
  /** Is told the whole content where it turned out to be short, so that it can be cached. */
  whole?(content: ByteString): void;
}

/** Content that comes when there is something to say, until the client or the service ends it. */
export interface Live {
  /** Is called when the head of the response is sent. */
  open(sink: Sink): void;
}

/** Where live content goes. */
export interface Sink {
  /**
   * Whether the client takes what it is sent; while it does not, nothing more should be written.
   */
  readonly isDrained: boolean;
  write(text: ByteString): void;
  /** Ends the content; a client that has not taken all of it is cut. */
  end(): void;
  cut(): void;
  /** Calls back whenever the client has taken what it had not. */
  onDrain(callback: () => void): void;
  onClose(callback: () => void): void;
  /**
   * Calls back when the client has ended its side: nearly always it has gone, but only something
   * that is written tells.
   */
  onHalfClosed(callback: () => void): void;
}

/** What a request gets for which nothing is sent. */
export const NO_RESPONSE: Response = { status: 0, isAborted: true };

const JSON_MEDIA_TYPE = 'application/json';

/** A response with a JSON text. */
export function jsonResponse(
  status: number,
  content: ByteString | Buffer | Chunks,
  headers?: HeaderFields,
): Response {
  return { status, headers, mediaType: JSON_MEDIA_TYPE, content };
}

/** A response with a value as JSON. */
export function valueResponse(status: number, value: unknown, headers?: HeaderFields): Response {
  return jsonResponse(status, byteString(JSON.stringify(value)), headers);
}

/** Whether content comes in chunks. */
export function isChunks(content: Response['content']): content is Chunks {
  return typeof content === 'object' && 'next' in content;
}

/** Whether content comes when there is something to say. */
export function isLive(content: Response['content']): content is Live {
  return typeof content === 'object' && 'open' in content;
}

/** Gives up the content of a response that is not sent. */
export function closeContent({ content }: Response): void {
  if (isChunks(content)) content.close();
}

/** A response with another status and without its content, which is given up. */
export function withoutContent(response: Response, status: number): Response {
  closeContent(response);
  return { status, headers: response.headers };
}

/** A response with more header fields, which win over those it has. */
export function withHeaders(response: Response, headers: HeaderFields): Response {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** A response that depends on one more field of the request (RFC 9110, section 12.5.5). */
export function withVary(response: Response, field: string): Response {
  const before = response.headers?.Vary;
  return withHeaders(response, { Vary: before === undefined ? field : `${before}, ${field}` });
}
