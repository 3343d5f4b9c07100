import { isJsonObject, type JsonObject, type JsonSchema } from '../../../lib/json/index.ts';
import { quoted } from '../../../lib/printable.ts';
import type { MemberRule } from './member-rule.ts';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that the server sets in every response: framing, the connection, the date, CORS. */
const RESERVED =
  /^(?:content-length|transfer-encoding|te|trailer|(?:proxy-)?connection|keep-alive|upgrade|date|access-control-.*)$/i;

/** The rule for the header fields that a request must have. */
export const REQUEST_FIELDS = fieldsRule(
  'an object of header fields with different names, each with a text',
  { type: 'string' },
  (_, value) => typeof value === 'string',
);

/** The rule for the header fields of an injected response. */
export const RESPONSE_FIELDS = fieldsRule(
  'an object of header fields with different names, not those of framing, the connection, the ' +
    'date and CORS, each with a text of printable Latin-1 characters or an array of such texts',
  // No type, because many generators of clients read one type only.
  { description: 'A text, or an array of texts.' },
  (name, given) => {
    const values = [given].flat();
    return (
      !RESERVED.test(name) &&
      values.every((value) => typeof value === 'string' && FIELD_VALUE.test(value))
    );
  },
);

/** @param accepts whether a field is allowed */
function fieldsRule(
  allowed: string,
  schema: JsonSchema,
  accepts: (name: string, value: unknown) => boolean,
): MemberRule {
  const invalidNames = (fields: JsonObject): readonly string[] => {
    const before = new Set<string>();
    const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
    return names.filter((name) => {
      const isRepeated = before.has(name.toLowerCase());
      before.add(name.toLowerCase());
      return isRepeated || !TOKEN.test(name) || !accepts(name, fields[name]);
    });
  };
  return {
    schema: { type: 'object', additionalProperties: schema },
    allowed,
    accepts: (fields) => isJsonObject(fields) && invalidNames(fields).length === 0,
    hint: (fields) =>
      isJsonObject(fields) ? `see ${invalidNames(fields).map(quoted).join(', ')}` : undefined,
  };
}
