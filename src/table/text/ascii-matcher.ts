import { isAscii } from './case-folding.ts';

/** Compiling a regular expression costs as much as it saves in this many texts. */
const TEXTS_BEFORE_COMPILING = 1_000;

/** A needle of more characters is rare, and takes long to compile. */
const MAX_COMPILED_LENGTH = 64;

/**
 * Makes a test whether an ASCII text contains a needle, ignoring case. A regular expression needs
 * no folded copy of the text, but has to be compiled, so only a long search uses one.
 *
 * @param needle a folded text
 */
export function asciiMatcher(needle: string): (text: string) => boolean {
  if (!isAscii(needle)) return () => false;
  const canCompile = needle.length <= MAX_COMPILED_LENGTH;
  let untilCompiling = canCompile ? TEXTS_BEFORE_COMPILING : Number.POSITIVE_INFINITY;
  let pattern: RegExp | undefined;
  return (text) => {
    if (pattern) return pattern.test(text);
    if (--untilCompiling === 0) pattern = patternOf(needle);
    return text.includes(needle) || text.toLowerCase().includes(needle);
  };
}

/** A pattern that matches an ASCII needle in either case. */
function patternOf(needle: string): RegExp {
  const units = Array.from(needle, (unit) => {
    if (/[a-z]/.test(unit)) return `[${unit}${unit.toUpperCase()}]`;
    return `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return new RegExp(units.join(''));
}
