import type { ContentRules } from '../field.ts';

/** The names of pages in other services, in the form of {@link plainName}. */
const PAGING = [
  ...['page', 'pagenumber', 'pageindex', 'pagesize', 'perpage'],
  ...['skip', 'start', 'end', 'range', 'after', 'cursor'],
];

/** Names of orders and searches in other services, likewise. */
const ORDER = ['sort', 'order', 'sortby', 'orderby', 'sortorder'];
const SEARCH = ['q', 'query'];
const FILTER = ['filter', 'filters'];

/** A name without letter case, and without characters such as `_` and `$`. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/**
 * Creates the test whether an unknown parameter is ignored (api.md: "Names"): with `STRICT=off`, all
 * but those of pages, because a client whose pages never end would ask for ever.
 */
export function ignoredNames({ fields, isStrict }: Pick<ContentRules, 'fields' | 'isStrict'>) {
  const own = Object.keys(fields).map(plainName);
  return (name: string): boolean => {
    const plain = plainName(name);
    return !isStrict && (!PAGING.includes(plain) || own.includes(plain));
  };
}

/** No unknown parameter is ignored. */
export const nothingIgnored = (): boolean => false;

/** The parts of a query string that can stand for parameters of other services. */
interface Cures {
  /** A value of `sort`; undefined if there is neither `sort`, nor `limit` and `offset`. */
  readonly order: string | undefined;
  /** A filter that finds a part of a text; undefined if no field is a text. */
  readonly contains: string | undefined;
}

/** What to use in place of a usual parameter of other services: the end of a sentence. */
export function cureFor(name: string, { order, contains }: Cures): string | undefined {
  const plain = plainName(name);
  if (order !== undefined) {
    if (ORDER.includes(plain)) return `; use sort, such as sort=-${order}`;
    if (PAGING.includes(plain)) return '; use limit and offset, such as limit=20&offset=40';
  }
  if (contains === undefined) return undefined;
  if (SEARCH.includes(plain)) return '; use search';
  return FILTER.includes(plain) ? `; use search, or a filter such as ${contains}` : undefined;
}
