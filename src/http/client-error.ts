import { STATUS_CODES } from 'node:http';
import { type ByteString, byteString, joined } from './byte-string.ts';
import { PROBLEM_MEDIA_TYPE, Problem, type ProblemCode } from './problem.ts';
import { MAX_TARGET_BYTES, targetTooLong } from './target.ts';

/** What `node:http` says of bytes that are no request: the code, and the packet the parser stopped in. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly reason?: string;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Z-]+) (\S+) HTTP\/1\.[01]\r\n/;
const TARGET = /^[A-Z]+ ([^ \r\n]*)/;

/** The answer to bytes that `node:http` could not read as a request. */
export function problemOf(error: ClientError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse('request-timeout', 'The request did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return (TARGET.exec(textOf(error))?.[1]?.length ?? 0) > MAX_TARGET_BYTES
        ? targetTooLong()
        : refuse('header-fields-too-large', 'The header fields are too large');
    case 'HPE_PAUSED_H2_UPGRADE':
      return refuse('http-version-not-supported', 'HTTP/2 is not supported; use HTTP/1.1');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refuse('content-too-large', 'The chunk extensions are too large');
    default:
      return refuse(
        'malformed-request',
        `The request is not HTTP/1.1: ${error.reason ?? error.message}`,
      );
  }
}

/** Method and target of a request that was refused only because the parser does not know its method. */
export function unknownMethod(error: ClientError): { method: string; target: string } | undefined {
  if (error.code !== 'HPE_INVALID_METHOD') return undefined;
  const [, method, target] = REQUEST_LINE.exec(textOf(error)) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/** A whole HTTP/1.1 response, for a client whose request could not be parsed. */
export function responseOf(problem: Problem): ByteString {
  const body = problem.toJson(`urn:uuid:${crypto.randomUUID()}`);
  const head = {
    Date: new Date().toUTCString(),
    Connection: 'close',
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'Content-Length': body.length,
    ...problem.headers,
  };
  const fields = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const statusLine = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`;
  return joined(byteString(`${statusLine}${fields.join('')}\r\n`), body);
}

function textOf({ rawPacket }: ClientError): string {
  return rawPacket?.toString('latin1') ?? '';
}

function refuse(code: ProblemCode, detail: string): Problem {
  return new Problem(code, detail, { close: true });
}
