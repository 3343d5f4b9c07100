import type { JsonSchema } from '../../json/index.ts';
import type { HeaderFields } from '../core/response.ts';

/** The header fields in descriptions of responses, with the schemas of their values. */
export const RESPONSE_FIELDS = {
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
  'Preference-Applied': { type: 'string', const: 'handling=strict' },
  'Retry-After': { type: 'integer', minimum: 0 },
  'WWW-Authenticate': { type: 'string', const: 'Bearer' },
  'Accept-Post': { type: 'string' },
  'Accept-Patch': { type: 'string' },
  'Accept-Query': { type: 'string' },
  'Accept-Encoding': { type: 'string', const: 'identity' },
} as const satisfies Record<string, JsonSchema>;

/** Those of them that every response described with one has. */
export const CERTAIN_FIELDS: readonly string[] = [
  ...['ETag', 'Cache-Control', 'X-Accel-Buffering', 'X-Content-Type-Options'],
];

/** What nobody may store, because it says how things are now (RFC 9111, section 5.2.2.5). */
export const NO_STORE: HeaderFields = { 'Cache-Control': 'no-store' };

/** Describes {@link NO_STORE}. */
export const NO_STORE_FIELD: FieldDescriptions = { 'Cache-Control': 'Not to be stored.' };

/** Descriptions of header fields by name. */
export type FieldDescriptions = Readonly<Partial<Record<keyof typeof RESPONSE_FIELDS, string>>>;
