import type { JsonSchema } from '../../json/schema.ts';
import type { HeaderFields } from '../core/response.ts';

/** A header field of responses, the same in all: its description, and whether it is optional. */
interface ResponseField {
  readonly schema: JsonSchema;
  /** Whether every response described with it has it. */
  readonly isCertain: boolean;
}

/** The header fields in descriptions of responses, except those that HTTP itself needs. */
export const RESPONSE_FIELDS = {
  ETag: certain({ type: 'string', pattern: '^\\x22[!#-~]+\\x22$' }),
  'Cache-Control': certain({ type: 'string', enum: ['no-cache', 'no-store'] }),
  'Content-Security-Policy': possible({ type: 'string' }),
  'Referrer-Policy': possible({ type: 'string', const: 'no-referrer' }),
  'Cross-Origin-Opener-Policy': possible({ type: 'string', const: 'same-origin' }),
  Location: possible({ type: 'string', format: 'uri-reference' }),
  Link: possible({ type: 'string' }),
  'X-Total-Count': possible({ type: 'integer', minimum: 0 }),
  'X-Request-Id': possible({ type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' }),
  'X-Accel-Buffering': certain({ type: 'string', const: 'no' }),
  'X-Content-Type-Options': certain({ type: 'string', const: 'nosniff' }),
  'Preference-Applied': possible({ type: 'string', const: 'handling=strict' }),
  'Retry-After': possible({ type: 'integer', minimum: 0 }),
  'WWW-Authenticate': possible({ type: 'string', const: 'Bearer' }),
  'Accept-Post': possible({ type: 'string' }),
  'Accept-Patch': possible({ type: 'string' }),
  'Accept-Query': possible({ type: 'string' }),
  'Accept-Encoding': possible({ type: 'string', const: 'identity' }),
} as const satisfies Record<string, ResponseField>;

/** What nobody may store, because it says how things are now (RFC 9111, section 5.2.2.5). */
export const NO_STORE: HeaderFields = { 'Cache-Control': 'no-store' };

/** Describes {@link NO_STORE}. */
export const NO_STORE_FIELD: FieldDescriptions = { 'Cache-Control': 'Not to be stored.' };

/** The name of a header field in descriptions. */
export type ResponseFieldName = keyof typeof RESPONSE_FIELDS;

/** Descriptions of header fields by name. */
export type FieldDescriptions = Readonly<Partial<Record<ResponseFieldName, string>>>;

function certain(schema: JsonSchema): ResponseField {
  return { schema, isCertain: true };
}

function possible(schema: JsonSchema): ResponseField {
  return { schema, isCertain: false };
}
