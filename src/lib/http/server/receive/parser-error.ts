import { type IncomingMessage, METHODS } from 'node:http';
import { type Problem, quoted, refusal } from '../../core/problem.ts';
import { MAX_TARGET_BYTES, targetTooLong } from '../../core/target.ts';
import { MAX_HEADER_FIELDS } from '../../request/header-section.ts';

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

const START_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.[01]\r\n$/;
/** What is before a request line: nothing, empty lines, or the end of a header section. */
const BEFORE_LINE = /^[\r\n]*$|\r\n\r\n$/;
/** The second is for methods that the parser knows from RTSP, and for versions. */
const METHOD_ERRORS: readonly unknown[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT'];
const SMALL_LETTER = /[a-z]/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
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
        ? `the method ${quoted(method)} has lower-case letters; methods are case-sensitive`
        : (error.reason ?? error.message);
      return refusal('malformed-request', `The request is not HTTP/1.1: ${reason}`);
    }
  }
}

/** What is read of a request that `node:http` does not parse: what the packet has of it. */
export type UnparsedHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** The head of a request that the parser refuses only for its unknown method. */
export function unknownMethodHead(error: ParserError): UnparsedHead | undefined {
  const { method = '', url, rest } = startLineOf(error) ?? {};
  // One with small letters is malformed, which nearly always is what the client has to know.
  if (rest === undefined || SMALL_LETTER.test(method)) return undefined;
  const [section = '', content] = rest.split('\r\n\r\n', 2);
  const fields = section.split('\r\n', MAX_HEADER_FIELDS);
  // The packet may end within a field.
  if (content === undefined) fields.pop();
  const headers = new Map<string, string>();
  for (const text of fields) {
    const [, name = '', value = ''] = FIELD.exec(text) ?? [];
    const before = headers.get(name.toLowerCase());
    if (name !== '') headers.set(name.toLowerCase(), before ? `${before}, ${value}` : value);
  }
  return { method, url, headers: Object.fromEntries(headers), rawHeaders: [...headers].flat() };
}

/**
 * The start line with a method that the parser refuses, and what follows it; undefined if it is not
 * certain where the line begins, as a part of it must not be taken for the method.
 */
function startLineOf(error: ParserError) {
  if (!METHOD_ERRORS.includes(error.code) || !error.isWhole) return undefined;
  const packet = packetOf(error);
  const { bytesParsed = 0 } = error;
  const lineStart = packet.lastIndexOf('\n', bytesParsed - 1) + 1;
  if (!BEFORE_LINE.test(packet.slice(0, lineStart))) return undefined;
  const lineEnd = packet.indexOf('\r\n', bytesParsed) + 2;
  const [, method, url] = START_LINE.exec(packet.slice(lineStart, lineEnd)) ?? [];
  if (method === undefined || url === undefined || METHODS.includes(method)) return undefined;
  return { method, url, rest: packet.slice(lineEnd) };
}

function packetOf({ rawPacket }: ParserError): string {
  return rawPacket?.toString('latin1') ?? '';
}
