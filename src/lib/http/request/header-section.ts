import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { closingProblem, Problem, type ProblemCode } from '../messages/problem.ts';
import type { Request } from '../messages/request.ts';
import { matchesMediaType, qualityOf } from './field-values.ts';

/* Reads and checks header sections. Content is read only after the checks of framing. */

/** The maximum number of header fields a request may have. */
export const MAX_HEADER_FIELDS = 100;

/** The largest content of a request, in bytes, unless its route takes more. */
export const MAX_CONTENT_BYTES = 64 * 1024;

/**
 * Singleton fields (RFC 9110, section 5.5). If one is repeated, an intermediary might use another
 * value than Node. By the length of the name, which is faster to compare than the name itself.
 */
const SINGLETON_FIELDS: Readonly<Record<number, string>> = {
  4: 'host',
  12: 'content-type',
  13: 'authorization',
};

/** The values of all header fields with a name, not joined, as they were sent. */
export function fieldsOf({ rawHeaders }: Pick<Request, 'rawHeaders'>, name: string): string[] {
  const wanted = name.toLowerCase();
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === wanted);
}

/** The codes of framing problems. Only these problems have such a code and close the connection. */
const FRAMING: ReadonlySet<string> = new Set<ProblemCode>([
  'malformed-request',
  'expectation-failed',
  'header-fields-too-large',
  'not-implemented',
  'http-version-not-supported',
]);

/**
 * Whether a request is refused for its framing or its host. Such a refusal comes before all others,
 * those of faults included: another reader of these bytes might see another request.
 */
export function isRefusedEarly({ refusal }: Pick<Request, 'refusal'>): boolean {
  if (refusal === undefined) return false;
  return refusal.close ? FRAMING.has(refusal.code) : refusal.code === 'misdirected-request';
}

/**
 * Whether the client closes its connection after the request (RFC 9112, section 9.3). `node:http`
 * keeps a connection of HTTP/1.0 that says both `close` and `keep-alive`.
 */
export function saysClose({ headers: { connection } }: Pick<IncomingMessage, 'headers'>): boolean {
  return connection !== undefined && /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(connection);
}

/**
 * Whether a request offers an upgrade (RFC 9110, section 7.8). Its response is the last one, because
 * `node:http` drops bytes behind it in the same segment, also with `Proxy-Connection` (decision 9).
 */
export function offersUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { connection = '', 'proxy-connection': proxyConnection = '', upgrade } = headers;
  return upgrade !== undefined && /upgrade/i.test(`${connection},${proxyConnection}`);
}

/** Whether content follows a header section (RFC 9112, section 6.3). */
export function hasContent(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  return coding !== undefined || (length !== undefined && Number(length) !== 0);
}

/** Whether a browser asks for permission to send another request (the Fetch standard, 3.2.2). */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Refuses header sections that `node:http` accepts although an intermediary could read them in
 * another way (RFC 9112, sections 2.3, 6.1 and 11), that exceed a limit, or that expect
 * something unsupported. @throws Problem
 */
export function checkFraming(message: IncomingMessage): void {
  const { method, httpVersion, rawHeaders, headers } = message;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    const code = httpVersion === '0.9' ? 'malformed-request' : 'http-version-not-supported';
    throw closingProblem(code, `HTTP/${httpVersion} is not supported; use HTTP/1.1`);
  }
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    const detail = `A request may have at most ${MAX_HEADER_FIELDS} header fields`;
    throw closingProblem('header-fields-too-large', detail);
  }
  checkRepeatedFields(rawHeaders);
  checkTransferCoding(headers['transfer-encoding'], httpVersion);
  if (method === 'CONNECT') throw closingProblem('not-implemented', 'CONNECT is not supported');
  checkExpectation(headers.expect, httpVersion);
}

function checkRepeatedFields(rawHeaders: readonly string[]): void {
  /** A bit for each length in SINGLETON_FIELDS. */
  let found = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const singleton = SINGLETON_FIELDS[name.length];
    if (singleton === undefined || singleton !== name.toLowerCase()) continue;
    const bit = 1 << name.length;
    if (found & bit) {
      throw closingProblem('malformed-request', `A request must have only one ${name} field`);
    }
    found |= bit;
  }
}

function checkTransferCoding(coding: string | undefined, httpVersion: string): void {
  if (coding === undefined) return;
  if (httpVersion === '1.0') {
    throw closingProblem(
      'malformed-request',
      'An HTTP/1.0 request must not have a Transfer-Encoding',
    );
  }
  const codings = coding.toLowerCase();
  if (codings === 'chunked') return;
  if (!/(?:^|,)[ \t]*chunked$/.test(codings)) {
    throw closingProblem(
      'malformed-request',
      'The last transfer coding of a request must be chunked',
    );
  }
  throw closingProblem('not-implemented', 'The only supported transfer coding is chunked');
}

/** Allows only 100-continue (RFC 9110, section 10.1.1). Ignores the field in HTTP/1.0. */
function checkExpectation(expect: string | undefined, httpVersion: string): void {
  if (!expect || httpVersion === '1.0' || expect.toLowerCase() === '100-continue') return;
  // Closes the connection, because content may or may not follow.
  throw closingProblem('expectation-failed', 'The only supported expectation is 100-continue');
}

/** Checks that the client accepts one of these types, if any. @throws Problem `not-acceptable` */
export function checkAccept({ headers }: IncomingMessage, mediaTypes: readonly string[]): void {
  const { accept } = headers;
  if (accept === undefined || mediaTypes.length === 0) return;
  if (mediaTypes.some((mediaType) => qualityOf(mediaType, accept) > 0)) return;
  const detail = `Accept must allow ${mediaTypes.join(' or ')}`;
  const options = mediaTypes.length > 1 ? { headers: { Vary: 'Accept' } } : {};
  throw new Problem('not-acceptable', detail, options);
}

/** Checks the declared length of the content. @throws Problem `content-too-large` */
export function checkContentLength(message: IncomingMessage, maxBytes = MAX_CONTENT_BYTES): void {
  const length = message.headers['content-length'];
  if (length !== undefined && Number(length) > maxBytes) throw contentTooLarge(maxBytes);
}

/** The problem of content that is too long. */
export function contentTooLarge(maxBytes: number): Problem {
  return closingProblem('content-too-large', `The content must be at most ${maxBytes} bytes long`);
}

/** Checks that content is of a type that the route accepts, and not coded. @throws Problem */
export function checkContentType(
  { headers: requestHeaders, method = '' }: Pick<IncomingMessage, 'headers' | 'method'>,
  accepts: readonly string[],
): void {
  const { 'content-encoding': coding, 'content-type': type } = requestHeaders;
  const isCoded = !['', 'identity'].includes((coding ?? '').trim().toLowerCase());
  if (!isCoded && type !== undefined && matchesMediaType(type, accepts)) return;
  const mediaTypes = accepts.filter((mediaType) => !mediaType.includes('*'));
  const names = mediaTypes.join(' or ');
  const wrongType =
    type === undefined
      ? `Content-Type is missing; send ${names}`
      : `Content-Type must be ${names} in UTF-8, not ${type}`;
  const detail = isCoded ? `Content-Encoding must be absent or identity, not ${coding}` : wrongType;
  const fields = { [acceptFieldOf(method)]: mediaTypes.join(', ') };
  const headers = isCoded ? { ...fields, 'Accept-Encoding': 'identity' } : fields;
  throw new Problem('unsupported-media-type', detail, { headers });
}

/** The response field for the media types that a method supports (RFC 5789 for PATCH). */
function acceptFieldOf(method: string): string {
  return method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post';
}

/** The ids of gateways: UUIDs, and those of HAProxy, AWS and Apache. */
const REQUEST_ID = /^[A-Za-z0-9._\-:=+/@;]{1,200}$/;

/** A `traceparent` (W3C Trace Context, 3.2), with the trace id; later versions may be longer. */
const TRACEPARENT =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** The request id that a client sent; undefined if it is absent or not allowed. */
export function requestIdOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' && REQUEST_ID.test(field) ? field : undefined;
}

/** The trace id of a valid `traceparent`. */
export function traceIdOf(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? TRACEPARENT.exec(field)?.[1] : undefined;
}
