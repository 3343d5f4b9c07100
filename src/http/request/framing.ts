import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { Problem, type ProblemCode } from '../core/problem.ts';

/** The maximum number of header fields a request may have. */
export const MAX_HEADER_FIELDS = 100;

/** The maximum bytes that the header fields of a request may have in all. */
export const MAX_HEADER_BYTES = 8 * 1024;

/** uri-host [":" port] (RFC 9110, section 7.2; RFC 3986, section 3.2.2). */
const NAMED_HOST = /^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::\d*)?$/;
const LITERAL_HOST = /^\[([0-9A-Fa-f:.]+)\](?::\d*)?$/;

/** Found valid before; nearly all requests name the same one. */
let lastHost: string | undefined;

/**
 * Refuses what `node:http` lets through although an intermediary could read the same bytes
 * differently (RFC 9112, sections 2.3, 3.2, 6.1 and 11), and what exceeds a limit.
 * @throws Problem that closes the connection
 */
export function checkFraming(request: IncomingMessage): void {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw unsupportedVersion(httpVersion);
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    const detail = `A request may have at most ${MAX_HEADER_FIELDS} header fields`;
    throw refusal('header-fields-too-large', detail);
  }
  checkHeaderFields(rawHeaders, httpVersion);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) checkTransferCoding(coding, httpVersion);
}

function checkHeaderFields(rawHeaders: readonly string[], httpVersion: string): void {
  let host: string | undefined;
  let contentType: string | undefined;
  let authorization: string | undefined;
  let bytes = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    bytes += name.length + value.length + 4;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      checkOnlyOne(name, host);
      host = value;
    } else if (name.length === 12 && name.toLowerCase() === 'content-type') {
      checkOnlyOne(name, contentType);
      contentType = value;
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      checkOnlyOne(name, authorization);
      authorization = value;
    }
  }
  if (bytes > MAX_HEADER_BYTES) {
    const detail = `The header fields must be at most ${MAX_HEADER_BYTES} bytes long`;
    throw refusal('header-fields-too-large', detail);
  }
  checkHost(host, httpVersion);
}

/** `node:http` would take the first of two, an intermediary perhaps the last. */
function checkOnlyOne(name: string, before: string | undefined): void {
  if (before === undefined) return;
  throw refusal('malformed-request', `A request must have only one ${name} field`);
}

function checkHost(host: string | undefined, httpVersion: string): void {
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw refusal('malformed-request', 'An HTTP/1.1 request must have a Host field');
  }
  if (host === lastHost) return;
  if (!NAMED_HOST.test(host) && !isIPv6(LITERAL_HOST.exec(host)?.[1] ?? '')) {
    throw refusal('malformed-request', 'The Host field must be a host and an optional port');
  }
  lastHost = host;
}

function checkTransferCoding(coding: string, httpVersion: string): void {
  if (httpVersion === '1.0') {
    throw refusal('malformed-request', 'An HTTP/1.0 request must not have a Transfer-Encoding');
  }
  const codings = coding.toLowerCase();
  if (codings === 'chunked') return;
  if (!/(?:^|,)[ \t]*chunked$/.test(codings)) {
    throw refusal('malformed-request', 'The last transfer coding of a request must be chunked');
  }
  throw refusal('not-implemented', 'The only supported transfer coding is chunked');
}

function unsupportedVersion(httpVersion: string): Problem {
  if (httpVersion === '0.9') {
    return refusal('malformed-request', 'HTTP/0.9 is not supported; use HTTP/1.1');
  }
  const detail = `HTTP/${httpVersion} is not supported; use HTTP/1.1`;
  return refusal('http-version-not-supported', detail);
}

function refusal(code: ProblemCode, detail: string): Problem {
  return new Problem(code, detail, { close: true });
}
