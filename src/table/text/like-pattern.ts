import { ConditionError } from '../errors.ts';

/** A parsed `like` pattern. */
export interface LikePattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean;
  /** The literals between the wildcards. Every matching text contains all of them. */
  readonly literals: readonly string[];
}

const ANY_TEXT = -1;
const ONE_CODE_POINT = -2;

/**
 * Parses a pattern. `%` matches any text, even an empty one; `_` matches exactly one code point; a
 * backslash escapes the next code point (as in PostgreSQL and MySQL). Matching is case-sensitive.
 *
 * @throws ConditionError if the pattern ends in a lone backslash
 */
export function likePattern(pattern: string): LikePattern {
  const tokens: number[] = [];
  const literals: string[] = [];
  let literal = '';
  let escaped = false;
  for (const character of pattern) {
    if (!escaped && character === '\\') {
      escaped = true;
    } else if (!escaped && (character === '%' || character === '_')) {
      tokens.push(character === '%' ? ANY_TEXT : ONE_CODE_POINT);
      literals.push(literal);
      literal = '';
    } else {
      tokens.push(character.codePointAt(0) ?? 0);
      literal += character;
      escaped = false;
    }
  }
  if (escaped) throw new ConditionError('the pattern of "like" ends in a lone backslash');
  literals.push(literal);
  return {
    matches: (text) => matches(tokens, text),
    literals: literals.filter((run) => run !== ''),
  };
}

/**
 * Backtracks only to the last `%`, because backtracking to an earlier one could not find another
 * match. So the time is at most proportional to the product of the lengths, for any pattern.
 */
function matches(tokens: readonly number[], text: string): boolean {
  let token = 0;
  let at = 0;
  let lastAny = -1;
  let retryAt = 0;
  while (at < text.length) {
    const wanted = tokens[token];
    const found = text.codePointAt(at) ?? 0;
    if (wanted === ANY_TEXT) {
      lastAny = token++;
      retryAt = at;
    } else if (wanted === ONE_CODE_POINT || wanted === found) {
      token++;
      at += unitsOf(found);
    } else if (lastAny >= 0) {
      retryAt += unitsOf(text.codePointAt(retryAt) ?? 0);
      at = retryAt;
      token = lastAny + 1;
    } else {
      return false;
    }
  }
  while (tokens[token] === ANY_TEXT) token++;
  return token === tokens.length;
}

function unitsOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}

/** Whether a pattern is valid, which means that it does not end in a lone backslash. */
export function isLikePattern(pattern: string): boolean {
  return (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 0;
}
