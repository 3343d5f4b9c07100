import { mapValues } from '../../../lib/json/index.ts';
import { type Aliases, nearest, plain } from '../../../lib/nearest.ts';
import { operatorsOf } from '../../../lib/table/index.ts';
import type { Fields } from '../field.ts';

const INSTEAD_OF_LIKE = ['contains', 'startsWith', 'endsWith'];

/** Words of other APIs, as `plain` returns them, and the names that are suggested for each. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['q', ['search']],
  ['query', ['search']],
  ['page', ['limit', 'offset']],
  ['perpage', ['limit']],
  ['pagesize', ['limit']],
  ['size', ['limit']],
  ['skip', ['offset']],
  ['order', ['sort']],
  ['orderby', ['sort']],
  ['ordering', ['sort']],
  ['sortby', ['sort']],
  ['like', INSTEAD_OF_LIKE],
  ['ilike', INSTEAD_OF_LIKE],
]);

const SIGNS: Readonly<Record<string, string>> = { '>': 'gte', '<': 'lte', '!': 'ne' };

/** The UTF-16 units of a name that are looked at. */
const MAX_LENGTH = 60;

/** Suggests known names for an unknown one: the names for a word of other APIs, or the nearest. */
export function suggestionsFor(
  text: string,
  names: readonly string[],
  aliases: Aliases = {},
): readonly string[] {
  const [first, ...others] = WORDS.get(plain(text)) ?? [];
  if (first === undefined) return [nearest(text, names, aliases) ?? []].flat();
  const all = [first, ...others];
  if (all.every((name) => names.includes(name))) return all;
  // An operator is the end of a parameter's name, such as `title.contains`.
  return names.filter((name) => name.endsWith(`.${first}`));
}

/**
 * Suggests parameters of the list for an unknown one. Understands other notations of filters:
 * `id[]` for `id.in`, `priority[gte]`, `priority_gte` and `priority:gte` for `priority.gte`, and
 * `priority>`, the name that is parsed from `priority>=1`. Ignores a leading `_`.
 */
export function parameterSuggestions(
  text: string,
  names: readonly string[],
  fields: Fields,
): readonly string[] {
  const given = text.replace(/^_+/, '').slice(0, MAX_LENGTH);
  // The longest name counts: `due_at_lt` is about `dueAt`, even if there is a `due`.
  const longestFirst = Object.entries(fields).sort(([a], [b]) => b.length - a.length);
  for (const [name, field] of longestFirst) {
    const rest = textAfter(name, given);
    if (rest === '') return [name];
    if (rest === undefined) continue;
    const operators = suggestionsFor(operatorIn(rest), operatorsOf(field));
    return operators.map((operator) => `${name}.${operator}`);
  }
  return suggestionsFor(given, names, aliasesOf(fields));
}

/** The other names of fields, by field. */
function aliasesOf(fields: Fields): Aliases {
  return mapValues(fields, ({ aliases = [] }) => aliases);
}

/** The rest of a text that begins with a name; undefined if a letter or digit follows the name. */
function textAfter(name: string, text: string): string | undefined {
  for (let end = text.length; end > 0; end--) {
    const isEnd = end === text.length || /[^a-z0-9]/i.test(text.charAt(end));
    if (isEnd && plain(text.slice(0, end)) === plain(name)) return text.slice(end);
  }
  return undefined;
}

/** The operator in the text after a name, as other notations write it. */
function operatorIn(rest: string): string {
  if (/^\[\d*\]$/.test(rest)) return 'in';
  return SIGNS[rest] ?? rest.replaceAll(/[^a-z]/gi, '');
}
