import { type Fields, filterOperatorsOf } from '../field.ts';

/** A name ends here in the notations of other servers: `id[]`, `priority_gte`, `title.like`. */
const SEPARATORS = '[_.';

/** Left out where names are compared. */
const JOINERS = '_-';

/**
 * Finds out which field or option a name nearly is: whole, or as far as one of its `[`, `_` or `.`,
 * it differs from that by case, `_` and `-` alone (api.md: "Filters").
 */
export class NearNames {
  readonly #fields: Fields;
  /** The names of fields and options by what is compared. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #maxLength: number;

  constructor(fields: Fields, options: readonly string[]) {
    const names = [...Object.keys(fields), ...options];
    this.#fields = fields;
    this.#names = new Map(names.map((name) => [comparable(name), name]));
    this.#maxLength = Math.max(...names.map(({ length }) => length));
  }

  /** The parameter that was meant by a name that is none; undefined if it is near none. */
  meantBy(name: string): string | undefined {
    let compared = '';
    let meant: string | undefined;
    // The longest part counts: `due_at_lt` is about `dueAt`, whether or not there is a `due`.
    for (let at = 0; at <= name.length && compared.length <= this.#maxLength; at++) {
      const isEnd = at === name.length || SEPARATORS.includes(name.charAt(at));
      const near = isEnd ? this.#names.get(compared) : undefined;
      if (near !== undefined) meant = this.#withOperator(near, name.slice(at));
      compared += comparable(name.charAt(at));
    }
    return meant;
  }

  /** The name with the operator that the rest of a name says: `[]`, `[gte]`, `__gte`. */
  #withOperator(name: string, rest: string): string {
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (field === undefined || rest === '') return name;
    const wanted = IS_INDEX.test(rest) ? 'in' : rest.replace(/[^a-z]/gi, '').toLowerCase();
    const operator = filterOperatorsOf(field).find((each) => each.toLowerCase() === wanted);
    return operator === undefined || operator === 'eq' ? name : `${name}.${operator}`;
  }
}

/** Brackets, as clients write them that send arrays. */
const IS_INDEX = /^\[\d*\]$/;

function comparable(name: string): string {
  let compared = '';
  for (const character of name) if (!JOINERS.includes(character)) compared += character;
  return compared.toLowerCase();
}
