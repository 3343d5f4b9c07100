import type { JsonSchema } from '../../lib/json/index.ts';

/** The schemas of the header fields that descriptions of responses may have. */
export const RESPONSE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  ETag: { type: 'string', pattern: '^\\x22[!#-~]+\\x22$' },
  'Cache-Control': { type: 'string', enum: ['no-cache', 'no-store', 'no-cache, no-transform'] },
  'Content-Security-Policy': { type: 'string' },
  'Referrer-Policy': { type: 'string', const: 'no-referrer' },
  'Cross-Origin-Opener-Policy': { type: 'string', const: 'same-origin' },
  Location: { type: 'string', format: 'uri-reference' },
  Link: { type: 'string' },
  'X-Total-Count': { type: 'integer', minimum: 0 },
  'X-Request-Id': { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
  'X-Accel-Buffering': { type: 'string', const: 'no' },
  'X-Content-Type-Options': { type: 'string', const: 'nosniff' },
  'Retry-After': { type: 'integer', minimum: 0 },
  'WWW-Authenticate': { type: 'string', const: 'Bearer' },
  'Accept-Post': { type: 'string' },
  'Accept-Patch': { type: 'string' },
  'Accept-Encoding': { type: 'string', const: 'identity' },
};

/** Fields that are in every response whose description has them. */
export const REQUIRED_FIELDS: readonly string[] = [
  ...['ETag', 'Cache-Control', 'X-Accel-Buffering', 'X-Content-Type-Options'],
];
