import { isJsonObject, type JsonSchema } from '../../../lib/json/index.ts';
import { formatValue, quoted } from '../../../lib/printable.ts';
import type { MemberRule } from '../../resource/member-rule.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that the server sets in every response: framing, the connection, the date, CORS. */
const RESERVED_FIELD =
  /^(?:content-length|transfer-encoding|te|trailer|connection|keep-alive|upgrade|date|access-control-.*)$/i;

/** The rule for the header fields that a request must have. */
export const REQUEST_FIELDS: MemberRule = fieldsRule(
  'an object of header fields, each with a text',
  { type: 'string' },
  (name, value) => {
    if (!TOKEN.test(name)) return `${quoted(name)} is not the name of a header field`;
    if (typeof value !== 'string')
      return `${quoted(name)} must have a text, not ${formatValue(value)}`;
    return undefined;
  },
);

/** The rule for the header fields of an injected response. */
export const RESPONSE_FIELDS: MemberRule = fieldsRule(
  'an object of header fields, each with a text or an array of texts',
  // No type, because many generators of clients read one type only.
  { description: 'A text, or an array of texts.' },
  (name, given) => {
    if (!TOKEN.test(name)) return `${quoted(name)} is not the name of a header field`;
    if (RESERVED_FIELD.test(name)) {
      return `${quoted(name)} is not allowed: the server sets the fields of framing, the connection, the date and CORS`;
    }
    for (const value of [given].flat()) {
      if (typeof value !== 'string')
        return `${quoted(name)} must have a text, not ${formatValue(value)}`;
      if (!FIELD_VALUE.test(value)) {
        return `${quoted(name)} must have a text of printable Latin-1 characters, not ${formatValue(value)}`;
      }
    }
    return undefined;
  },
);

/** @param reasonAgainst says what is wrong with a field; undefined if nothing is */
function fieldsRule(
  allowed: string,
  schemaOfValue: JsonSchema,
  reasonAgainst: (name: string, value: unknown) => string | undefined,
): MemberRule {
  const reason = (fields: unknown) => {
    if (!isJsonObject(fields)) return undefined;
    const names = new Map<string, string>();
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const other = names.get(name.toLowerCase());
      if (other !== undefined) return `${quoted(other)} and ${quoted(name)} name the same field`;
      names.set(name.toLowerCase(), name);
      const against = reasonAgainst(name, value);
      if (against !== undefined) return against;
    }
    return undefined;
  };
  return {
    schema: { type: 'object', additionalProperties: schemaOfValue },
    allowed,
    accepts: (fields) => isJsonObject(fields) && reason(fields) === undefined,
    hint: reason,
  };
}
