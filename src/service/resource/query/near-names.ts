import { type Fields, filterOperatorsOf } from '../field.ts';

/** A name ends here in the notations of other servers: `id[]`, `priority_gte`, `title.like`. */
const SEPARATORS = '[_.';

/**
 * Makes what finds the parameter that was meant by a name, if that, whole or as far as one of its
 * `[`, `_` or `.`, is a field or an option but for case, `_` and `-` (api.md: "Filters").
 */
export function nearNames(fields: Fields, options: readonly string[]) {
  const names = [...Object.keys(fields), ...options];
  const byComparable = new Map(names.map((name) => [comparable(name), name]));
  const maxLength = Math.max(...names.map(({ length }) => length));

  return (name: string): string | undefined => {
    let compared = '';
    let meant: string | undefined;
    // The longest part counts: `due_at_lt` is about `dueAt`, whether or not there is a `due`.
    for (let at = 0; at <= name.length && compared.length <= maxLength; at++) {
      const isEnd = at === name.length || SEPARATORS.includes(name.charAt(at));
      const near = isEnd ? byComparable.get(compared) : undefined;
      if (near !== undefined) meant = withOperator(near, name.slice(at));
      compared += comparable(name.charAt(at));
    }
    return meant;
  };

  /** The name with the operator that the rest of a name says: `[]`, `[gte]`, `__gte`. */
  function withOperator(name: string, rest: string): string {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined || rest === '') return name;
    const wanted = IS_INDEX.test(rest) ? 'in' : rest.replace(/[^a-z]/gi, '').toLowerCase();
    const operator = filterOperatorsOf(field).find((each) => each.toLowerCase() === wanted);
    return operator === undefined || operator === 'eq' ? name : `${name}.${operator}`;
  }
}

/** Brackets, as clients write them that send arrays. */
const IS_INDEX = /^\[\d*\]$/;

function comparable(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
