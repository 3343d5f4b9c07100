import { isToken } from '../../lib/http/index.ts';
import { isJsonObject, type JsonSchema } from '../../lib/json/index.ts';
import { formatValue, quoted } from '../../lib/printable.ts';
import type { Shape } from './shape.ts';

/** The maximum length of the name of a field. */
const MAX_NAME = 100;

/**
 * The shape of an object of header fields.
 * @param allowed completes the sentence "must be …"
 * @param schema the schema of a value
 * @param copyOf returns a copy of the value of a field; undefined if it is not allowed
 */
export function headerFields<V>(
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
      // A text and the values of fields are not shown, because they may be credentials.
      const isShown = typeof given !== 'string' && !isJsonObject(given);
      const found = isShown ? `, not ${formatValue(given)}` : '';
      const hint = invalid.length === 0 ? '' : `; see ${invalid.map(quoted).join(', ')}`;
      return validation.violate('value', `must be ${allowed}${found}${hint}`);
    },
  };
}
