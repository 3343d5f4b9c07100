import { Problem } from '../../../lib/http/index.ts';
import { jsonPointer } from '../../../lib/json/index.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
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
 * The problem of an unknown parameter. Without a suggestion, it lists the parameters.
 * @param isIgnorable whether a setting allows it
 */
export function unknownParameter(
  name: string,
  suggestions: readonly string[],
  [first = '', ...others]: readonly string[],
  isIgnorable: boolean,
): Problem {
  const list = others.length === 0 ? ` is ${first}` : `s are ${[first, ...others].join(', ')}`;
  const help = suggestions.length === 0 ? `; the parameter${list}` : didYouMean(...suggestions);
  const mark = suggestions.length === 0 ? ';' : '';
  const setting = isIgnorable ? `${mark} STRICT_QUERY=off ignores unknown parameters` : '';
  return invalidParameter([quoted(name)], `is not a parameter${help}${setting}`);
}
