import type { IncomingMessage } from 'node:http';
import { acceptsJson } from './media-type.ts';
import { Problem } from './problem.ts';

/**
 * Checks that the client takes the answers there are (RFC 9110, section 12.5.1). An answer to DELETE has no content.
 * @throws Problem `not-acceptable`.
 */
export function checkAccept({ headers, method }: IncomingMessage): void {
  if (method === 'DELETE' || acceptsJson(headers.accept)) return;
  const detail = 'Answers are application/json; the Accept field must allow it';
  throw new Problem('not-acceptable', detail);
}

/**
 * Checks that the client expects nothing but a 100 (RFC 9110, section 10.1.1). HTTP/1.0 knows no expectations.
 * @throws Problem `expectation-failed`, which closes the connection: whether a body follows is not known.
 */
export function checkExpectation({ headers, httpVersion }: IncomingMessage): void {
  const expectation = headers.expect;
  if (expectation === undefined || httpVersion === '1.0') return;
  if (expectation.toLowerCase() === '100-continue') return;
  const detail = 'The only expectation understood is 100-continue';
  throw new Problem('expectation-failed', detail, { close: true });
}
