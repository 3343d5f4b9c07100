import { METHODS } from 'node:http';
import { type Problem, refusal } from '../../core/problem.ts';
import { MAX_TARGET_BYTES, targetTooLong } from '../../core/target.ts';

/** The error of `node:http` for bytes that are not a request, with the packet it stopped in. */
export interface ParserError {
  readonly message: string;
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly reason?: string;
  readonly bytesParsed?: number;
  /** Whether all of the request is in the packet, and no content of the one before: set by us. */
  isWhole?: boolean;
}

const START_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) \S+ HTTP\/1\.[01]\r\n$/;
/** What is before a request line: nothing, empty lines, or the end of a header section. */
const BEFORE_LINE = /^[\r\n]*$|\r\n\r\n$/;
/** The second is for methods that the parser knows from RTSP, and for versions. */
const METHOD_ERRORS: readonly unknown[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT'];
const SMALL_LETTER = /[a-z]/;
const TARGET = /^[A-Z]+ ([^ \r\n]*)/;

/** The problem of bytes that `node:http` could not parse. */
export function parserProblem(error: ParserError): Problem {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request-timeout', 'The request did not arrive in time; send it again');
    case 'HPE_HEADER_OVERFLOW':
      if ((TARGET.exec(packetOf(error))?.[1] ?? '').length > MAX_TARGET_BYTES)
        return targetTooLong();
      return refusal(
        'header-fields-too-large',
        'The header fields are too large; send fewer or shorter ones',
      );
    case 'HPE_PAUSED_H2_UPGRADE':
      return refusal('http-version-not-supported', 'HTTP/2 is not supported; use HTTP/1.1');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return refusal('content-too-large', 'The chunk extensions are too long; leave them out');
    default: {
      const { method = '' } = startLineOf(error) ?? {};
      const reason = SMALL_LETTER.test(method)
        ? 'the method has lower-case letters; methods are case-sensitive'
        : (error.reason ?? error.message);
      return refusal('malformed-request', `The request is not HTTP/1.1: ${reason}`);
    }
  }
}

/** The method for which alone the parser refuses a request, and its bytes with POST instead. */
export function withKnownMethod(error: ParserError) {
  const { method = '', rest } = startLineOf(error) ?? {};
  // A method with small letters is malformed; that is nearly always what the client must know.
  if (rest === undefined || SMALL_LETTER.test(method)) return undefined;
  return { method, bytes: Buffer.from(`POST${rest}`, 'latin1') };
}

/**
 * A method that the parser refuses, and what follows it; undefined unless it is certain where its
 * line begins, since a part of the line must not be taken for the method.
 */
function startLineOf(error: ParserError) {
  if (!METHOD_ERRORS.includes(error.code) || !error.isWhole) return undefined;
  const packet = packetOf(error);
  const { bytesParsed = 0 } = error;
  const lineStart = packet.lastIndexOf('\n', bytesParsed - 1) + 1;
  if (!BEFORE_LINE.test(packet.slice(0, lineStart))) return undefined;
  const lineEnd = packet.indexOf('\r\n', bytesParsed) + 2;
  const [, method] = START_LINE.exec(packet.slice(lineStart, lineEnd)) ?? [];
  if (method === undefined || METHODS.includes(method)) return undefined;
  return { method, rest: packet.slice(lineStart + method.length) };
}

function packetOf({ rawPacket }: ParserError): string {
  return rawPacket?.toString('latin1') ?? '';
}
