import type { IncomingMessage } from 'node:http';
import { Problem } from '../core/problem.ts';
import { isOneOf } from './media-type.ts';

/** The largest content of a request, in bytes, unless its route takes more. */
export const MAX_CONTENT_BYTES = 64 * 1024;

/**
 * Checks what the header section says about the content, before any of it is read.
 * @param accepts the media types that the route accepts
 * @throws Problem `unsupported-media-type`, or `malformed-request` for a QUERY without any
 * (RFC 10008, section 2)
 */
export function checkContentType(
  { headers, method = '' }: IncomingMessage,
  accepts: readonly string[],
): void {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    throw unsupported(
      method,
      accepts,
      `Content-Encoding must be absent or identity, not ${coding}`,
      {
        'Accept-Encoding': 'identity',
      },
    );
  }
  const type = headers['content-type'];
  if (type === undefined && method === 'QUERY') {
    const detail = `A QUERY must say in Content-Type what it is: ${namesOf(accepts)}`;
    throw new Problem('malformed-request', detail);
  }
  if (type === undefined || !isOneOf(type, accepts)) {
    const found = type ?? 'absent';
    throw unsupported(
      method,
      accepts,
      `Content-Type must be ${namesOf(accepts)} in UTF-8, not ${found}`,
    );
  }
}

/**
 * Checks the declared length of the content.
 * @throws Problem `content-too-large`
 */
export function checkContentLength(
  { headers }: IncomingMessage,
  maxBytes: number = MAX_CONTENT_BYTES,
): void {
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > maxBytes) throw contentTooLarge(maxBytes);
}

/** The problem of content that is too long. */
export function contentTooLarge(maxBytes: number): Problem {
  const detail = `The content must be at most ${maxBytes} bytes long`;
  return new Problem('content-too-large', detail, { close: true });
}

const ACCEPT_FIELDS: Readonly<Record<string, string>> = {
  PATCH: 'Accept-Patch',
  QUERY: 'Accept-Query',
};

/** The field that names the media types that a method supports (RFC 5789, RFC 10008). */
export function acceptFieldOf(method: string): string {
  return ACCEPT_FIELDS[method] ?? 'Accept-Post';
}

function unsupported(
  method: string,
  accepts: readonly string[],
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return new Problem('unsupported-media-type', detail, {
    headers: { [acceptFieldOf(method)]: exactOf(accepts).join(', '), ...headers },
  });
}

function namesOf(accepts: readonly string[]): string {
  return exactOf(accepts).join(' or ');
}

/** Leaves out wildcards such as `application/*+json`. */
function exactOf(accepts: readonly string[]): readonly string[] {
  return accepts.filter((mediaType) => !mediaType.includes('*'));
}
