import { Problem } from '../../../lib/http/index.ts';
import { jsonPointer } from '../../../lib/json/index.ts';
import { nearest, type OperatorsByName } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
import { ALIASES } from '../aliases.ts';
import type { Path } from '../validation.ts';

/** The parameter that clients add to bypass caches. It is accepted, and has no effect. */
export const CACHE_BUSTER = '_';

/** The problem of a parameter, or of a place in its JSON. */
export function invalidParameter([name = '', ...place]: Path, detail: string): Problem {
  const at = place.length === 0 ? '' : ` at ${jsonPointer(...place)}`;
  return new Problem('invalid-parameter', `${name}${at} ${detail}`);
}

/** The detail of a violation by a text that is not allowed. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}

/**
 * The problem of an unknown parameter. Without a hint, it lists the parameters.
 * @param isIgnorable whether a setting allows it
 */
export function unknownParameter(
  name: string,
  hint: string,
  [first = '', ...others]: readonly string[],
  isIgnorable: boolean,
): Problem {
  const list = others.length === 0 ? ` is ${first}` : `s are ${[first, ...others].join(', ')}`;
  const help = hint === '' ? `; the parameter${list}` : hint;
  const mark = hint === '' ? ';' : '';
  const setting = isIgnorable ? `${mark} STRICT_QUERY=off ignores unknown parameters` : '';
  return invalidParameter([quoted(name)], `is not a parameter${help}${setting}`);
}

const INSTEAD_OF_LIKE = ['contains', 'startsWith', 'endsWith'];

/** Parameter names of other APIs, and our names for them. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['q', ['search']],
  ['page', ['limit', 'offset']],
  ['like', INSTEAD_OF_LIKE],
  ['ilike', INSTEAD_OF_LIKE],
  ...Object.entries(ALIASES).flatMap(([field, aliases]) =>
    aliases.map((alias) => [alias, [field]] as const),
  ),
]);

/** Suggests a known name for an unknown one, at the end of a sentence; may be empty. */
export function hintFor(
  name: string,
  names: readonly string[],
  operators?: OperatorsByName,
): string {
  const suggestion = nearest(name, names, operators, SYNONYMS);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}
