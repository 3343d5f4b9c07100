import type { IncomingMessage } from 'node:http';
import { Problem } from '../core/problem.ts';
import { qualityOf } from './media-type.ts';

/**
 * Checks that the client accepts one of the media types of the response (RFC 9110, section 12.5.1).
 * A response without content is always acceptable.
 * @throws Problem `not-acceptable`
 */
export function checkAccept({ headers }: IncomingMessage, mediaTypes: readonly string[]): void {
  const { accept } = headers;
  if (accept === undefined || mediaTypes.length === 0) return;
  if (mediaTypes.some((mediaType) => qualityOf(mediaType, accept) > 0)) return;
  const detail = `Accept must allow ${mediaTypes.join(' or ')}`;
  const options = mediaTypes.length > 1 ? { headers: { Vary: 'Accept' } } : {};
  throw new Problem('not-acceptable', detail, options);
}

/**
 * Checks that the client expects nothing but `100-continue` (RFC 9110, section 10.1.1). HTTP/1.0
 * has no expectations.
 * @throws Problem `expectation-failed`, which closes the connection, because it is unknown whether
 * a body follows
 */
export function checkExpectation({ headers, httpVersion }: IncomingMessage): void {
  const expectation = headers.expect;
  if (expectation === undefined || httpVersion === '1.0') return;
  if (expectation.toLowerCase() === '100-continue') return;
  const detail = 'The only supported expectation is 100-continue';
  throw new Problem('expectation-failed', detail, { close: true });
}
