import { nearest } from '../../../lib/nearest.ts';
import { type Fields, filterOperatorsOf } from '../field.ts';

/** The parameter that clients add to bypass caches. It is accepted, and has no effect. */
export const CACHE_BUSTER = '_';

const INSTEAD_OF_LIKE = ['contains', 'startsWith', 'endsWith'];

/** Creates a function that suggests what to use instead of an unknown parameter, if anything. */
export function createSuggestionFinder(fields: Fields, names: readonly string[]) {
  const operators: Record<string, readonly string[]> = {};
  for (const [column, field] of Object.entries(fields)) {
    operators[column] = filterOperatorsOf(field);
  }
  // Other servers' parameters with quite different names.
  const synonyms = new Map([
    ['q', 'search'],
    ['like', oneOf(INSTEAD_OF_LIKE)],
  ]);
  if (names.includes('limit')) synonyms.set('page', 'limit and offset');
  return (name: string): string | undefined =>
    synonyms.get(name.replace(/^_/, '')) ?? insteadOfLike(name) ?? nearest(name, names, operators);

  function insteadOfLike(name: string): string | undefined {
    const [, column = ''] = LIKE.exec(name) ?? [];
    if (!operators[column]?.includes('contains')) return undefined;
    return oneOf(INSTEAD_OF_LIKE.map((operator) => `${column}.${operator}`));
  }
}

/** A field with the operator `like`, in any notation. */
const LIKE = /^([a-z]+)[^a-z0-9]+i?like\]?$/i;

/** Suggests what to use instead of an unknown member of a condition. */
export function suggestedMember(name: string, members: readonly string[]): string | undefined {
  const isText = members.includes('contains');
  return isText && name === 'like' ? oneOf(INSTEAD_OF_LIKE) : nearest(name, members);
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The rule that an unknown parameter breaks. @param isIgnorable whether a setting allows it */
export function unknownRule(suggestion: string | undefined, isIgnorable: boolean): string {
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  const mark = suggestion === undefined ? ';' : '';
  const setting = isIgnorable ? `${mark} STRICT_QUERY=off ignores unknown parameters` : '';
  return `is not a parameter${hint}${setting}`;
}
