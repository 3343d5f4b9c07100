import { closingProblem, type Problem } from '../messages/problem.ts';
import { MAX_TARGET_BYTES, targetTooLong } from '../messages/target.ts';

/** The error of `node:http` for bytes that are not a request, or for a request that is late. */
export interface ParserError {
  readonly message: string;
  readonly code?: string;
  readonly reason?: string;
  /** The bytes in which the parser stopped. */
  readonly rawPacket?: Buffer;
}

/** The error of a client that ends its side within a request. */
export const ENDED: ParserError = { message: 'the end', code: 'HPE_INVALID_EOF_STATE' };

const TARGET = /^[A-Z]+ ([^ \r\n]*)/;

/**
 * The problem of bytes that `node:http` could not parse. Does not quote them.
 * @param progress the part of the content that has arrived, if content is arriving
 */
export function parserProblem(
  { code, message, reason, rawPacket }: ParserError,
  progress?: string,
): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timeoutProblem(progress);
    case ENDED.code: {
      const where = progress === undefined ? '' : `, after ${progress} of content`;
      return closingProblem('malformed-request', `The connection ended within the request${where}`);
    }
    case 'HPE_HEADER_OVERFLOW': {
      const [, target = ''] = TARGET.exec(rawPacket?.toString('latin1') ?? '') ?? [];
      if (target.length > MAX_TARGET_BYTES) return targetTooLong();
      const detail = 'The header fields are too large; send fewer or shorter ones';
      return closingProblem('header-fields-too-large', detail);
    }
    case 'HPE_PAUSED_H2_UPGRADE':
      return closingProblem('http-version-not-supported', 'HTTP/2 is not supported; use HTTP/1.1');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return closingProblem(
        'content-too-large',
        'The chunk extensions are too long; leave them out',
      );
    case 'HPE_INVALID_METHOD':
      if (rawPacket !== undefined && isTls(rawPacket)) {
        return malformedRequest('it is TLS; use http://, or a gateway for https://');
      }
      return malformedRequest('it begins with an unknown method; methods are case-sensitive');
    default:
      return malformedRequest(reason ?? message);
  }
}

/** Whether bytes begin with a handshake of TLS or SSL 3 (RFC 8446, section 5.1). */
function isTls([type, version]: Buffer): boolean {
  return type === 22 && version === 3;
}

/** The problem of a request that takes too long. @param progress as for `parserProblem` */
export function timeoutProblem(progress?: string): Problem {
  const late = progress === undefined ? 'request' : `content (${progress} so far)`;
  const detail = `The ${late} did not arrive in time; send the request again`;
  return closingProblem('request-timeout', detail);
}

/** The problem of bytes that are not a request. */
function malformedRequest(reason: string): Problem {
  return closingProblem('malformed-request', `The request is not HTTP/1.1: ${reason}`);
}
