import type { JsonSchema } from '../../json/schema.ts';

/** A header field of responses, wherever it stands: what its value is, and whether it can miss. */
interface ResponseField {
  readonly schema: JsonSchema;
  /** Whether a response that is described with it always has it. */
  readonly isCertain: boolean;
}

/** The header fields that responses are described with. Those that HTTP itself needs are not. */
export const RESPONSE_FIELDS = {
  ETag: certain({ type: 'string', pattern: '^"[!#-~]+"$' }),
  'Cache-Control': certain({ type: 'string', const: 'no-cache' }),
  'Content-Security-Policy': possible({ type: 'string' }),
  'Referrer-Policy': possible({ type: 'string', const: 'no-referrer' }),
  'Cross-Origin-Opener-Policy': possible({ type: 'string', const: 'same-origin' }),
  Location: certain({ type: 'string', format: 'uri-reference' }),
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
  'Accept-Encoding': possible({ type: 'string', const: 'identity' }),
} as const satisfies Record<string, ResponseField>;

/** The name of a header field that a response can be described with. */
export type ResponseFieldName = keyof typeof RESPONSE_FIELDS;

/** What header fields say in a response, by their names. */
export type FieldDescriptions = Readonly<Partial<Record<ResponseFieldName, string>>>;

function certain(schema: JsonSchema): ResponseField {
  return { schema, isCertain: true };
}

function possible(schema: JsonSchema): ResponseField {
  return { schema, isCertain: false };
}
