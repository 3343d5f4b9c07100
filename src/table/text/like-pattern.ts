import { ConditionError } from '../errors.ts';
import { ANY_CODE_POINT, ANY_TEXT, LikeAutomaton } from './like-automaton.ts';

/** A parsed `like` pattern. */
export interface LikePattern {
  /** Whether the whole text matches. */
  matches(text: string): boolean;
  /** The literals between the wildcards. Every matching text contains all of them. */
  readonly literals: readonly string[];
}

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
      tokens.push(character === '%' ? ANY_TEXT : ANY_CODE_POINT);
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
  // Whoever checks a pattern, or only needs its literals, needs no automaton.
  let automaton: LikeAutomaton | undefined;
  return {
    matches: (text) => {
      automaton ??= new LikeAutomaton(tokens);
      return automaton.matches(text);
    },
    literals: literals.filter((run) => run !== ''),
  };
}

/** Whether a pattern is valid, which means that it does not end in a lone backslash. */
export function isLikePattern(pattern: string): boolean {
  return (/\\*$/.exec(pattern)?.[0].length ?? 0) % 2 === 0;
}
