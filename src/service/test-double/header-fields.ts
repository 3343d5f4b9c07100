import { fieldsOf, isToken, type Request } from '../../lib/http/index.ts';
import { isJsonObject, type JsonSchema } from '../../lib/json/index.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import type { Shape } from '../resource/shape.ts';

/** The maximum length of the name of a field. */
const MAX_NAME = 100;

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that the server sets in every response: framing, the connection, the date, CORS. */
const RESERVED =
  /^(?:content-length|transfer-encoding|te|trailer|(?:proxy-)?connection|keep-alive|upgrade|date|access-control-.*)$/i;

/** The header fields that a request must have. */
export const REQUEST_FIELDS = headerFields(
  'an object of header fields with different names, each with a text',
  { type: 'string' },
  (_, value) => (typeof value === 'string' ? value : undefined),
);

/** The header fields of an injected response. */
export const RESPONSE_FIELDS = headerFields<string | readonly string[]>(
  'an object of header fields with different names, not those of framing, the connection, the ' +
    'date and CORS, each with a text of printable Latin-1 characters or an array of such texts',
  // No type, because many generators of clients read one type only.
  { description: 'A text, or an array of texts.' },
  (name, value) => {
    const values = [value].flat();
    if (RESERVED.test(name) || !values.every(isFieldValue)) return undefined;
    return typeof value === 'string' ? value : values;
  },
);

function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && FIELD_VALUE.test(value);
}

/** Whether a request has all fields, each with its value. */
export function hasFields(fields: Readonly<Record<string, string>>, request: Request): boolean {
  return Object.entries(fields).every(([name, value]) => fieldsOf(request, name).includes(value));
}

/** @param copyOf returns a copy of the value of a field; undefined if it is not allowed */
function headerFields<V>(
  allowed: string,
  schema: JsonSchema,
  copyOf: (name: string, value: unknown) => V | undefined,
): Shape<Readonly<Record<string, V>>> {
  return {
    schema: { type: 'object', additionalProperties: schema },
    read(given, validation) {
      const members = isJsonObject(given) ? Object.entries(given) : [];
      const fields = new Map<string, V>();
      const invalid: string[] = [];
      const names = new Set<string>();
      for (const [name, value] of members) {
        if (value === undefined) continue;
        const copy = copyOf(name, value);
        const isName = isToken(name) && name.length <= MAX_NAME;
        const isRepeated = names.has(name.toLowerCase());
        names.add(name.toLowerCase());
        if (copy === undefined || isRepeated || !isName) invalid.push(name);
        else fields.set(name, copy);
      }
      if (isJsonObject(given) && invalid.length === 0) return Object.fromEntries(fields);
      const found = isJsonObject(given) ? '' : `, not ${formatValue(given)}`;
      const hint = invalid.length === 0 ? '' : `; see ${invalid.map(quoted).join(', ')}`;
      return validation.violate('value', `must be ${allowed}${found}${hint}`);
    },
  };
}
