import { labelOf } from '../api/field.ts';
import type { Service } from '../api/service.ts';

/** How many items a page has unless the address says otherwise. */
export const PAGE_SIZE = 50;

/** The parameters that select a page rather than items. */
const PAGING = ['limit', 'offset'];

/** A parameter and its value. */
export type Parameter = [name: string, value: string];

/** The part of the list that is shown: the parameters of the page's address that the API knows. */
export class ListQuery {
  /** The conditions without a control of their own. */
  readonly filters: readonly Parameter[];
  /** How many items precede the page. */
  readonly offset: number;
  /** Whether a change to an item can add it to this part of the list, remove it or move it. */
  readonly dependsOnFields: boolean;
  /** Whether it begins with the first of all items. */
  readonly isWhole: boolean;
  /** The query string of the page's address when it shows this part of the list; may be empty. */
  readonly pageQuery: string;
  readonly #service: Service;
  readonly #query: URLSearchParams;

  constructor(service: Service, query: string | URLSearchParams) {
    const { parameters, fields } = service;
    // Other parameters are not for the service, and it would refuse them.
    const isKnown = ([name]: Parameter) =>
      parameters.has(name) || fields.some((field) => name.startsWith(`${field.name}.`));
    this.#service = service;
    this.#query = new URLSearchParams([...new URLSearchParams(query)].filter(isKnown));
    this.filters = this.#except(['search', 'sort', service.done?.name, ...PAGING]);
    this.offset = Number(this.get('offset')) || 0;
    this.dependsOnFields = this.#except(PAGING).length > 0;
    this.isWhole = this.#except(['sort', 'limit']).length === 0;
    this.pageQuery = this.#query.size === 0 ? '' : `?${this.#query}`;
  }

  /** The value of a parameter; empty if it is absent. */
  get(name: string): string {
    return this.#query.get(name) ?? '';
  }

  /** The first page with another value; an empty value removes the parameter. */
  with(name: string, value: string): ListQuery {
    return this.#changed((query) => {
      query.delete(name);
      if (value !== '') query.append(name, value);
    });
  }

  /** The first page of the items that satisfy one more condition. */
  and(condition: Parameter): ListQuery {
    return this.#changed((query) => query.append(...condition));
  }

  /** The first page without one of the filters. */
  without(filter: Parameter): ListQuery {
    return this.#changed((query) => query.delete(...filter));
  }

  /** The target of the request for this part of the list. */
  get apiPath(): string {
    const query = new URLSearchParams(this.#query);
    if (!query.has('limit')) query.set('limit', String(PAGE_SIZE));
    return `${this.#service.collection}?${query}`;
  }

  /** The target that selects the items of all pages that satisfy one more condition. */
  selectionPath([name, value]: Parameter): string {
    const query = new URLSearchParams(this.with(name, value).#except(['sort', ...PAGING]));
    // A blank search finds everything, but the service refuses it as a condition of a write.
    if (/^\p{White_Space}*$/u.test(this.get('search'))) query.delete('search');
    return `${this.#service.collection}?${query}`;
  }

  /** The query that a link of the service leads to. */
  follow(reference: string): ListQuery {
    const query = new URLSearchParams(reference.slice(reference.indexOf('?') + 1));
    query.delete('limit', String(PAGE_SIZE));
    query.delete('offset', '0');
    return new ListQuery(this.#service, query);
  }

  #changed(change: (query: URLSearchParams) => void): ListQuery {
    const query = new URLSearchParams(this.#query);
    query.delete('offset');
    change(query);
    return new ListQuery(this.#service, query);
  }

  #except(names: readonly (string | undefined)[]): Parameter[] {
    return [...this.#query].filter(([name]) => !names.includes(name));
  }
}

/** The references in a `Link` field, by relation (RFC 8288). */
export function linksOf(field: string | null): ReadonlyMap<string, string> {
  const links = (field ?? '').matchAll(/<([^>]*)>;\s*rel="?(\w+)"?/g);
  return new Map([...links].map(([, reference = '', relation = '']) => [relation, reference]));
}

/** Operators that people know by a symbol; the others are called by their names. */
const SYMBOLS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '\u2260',
  gt: '>',
  gte: '\u2265',
  lt: '<',
  lte: '\u2264',
};

/** A filter as people read it: `priority.gte=4` is "Priority ≥ 4". */
export function filterText({ fields }: Service, [name, value]: Parameter): string {
  const { operator, text, isFlag } = operatorOf(name);
  const field = fields.find((each) => [each.name, `${each.name}.${operator}`].includes(name));
  if (field === undefined) return `${name}=${value}`;
  return `${field.label} ${text}${isFlag && value === 'true' ? '' : ` ${value}`}`;
}

/** The operator in the name of a parameter, as people read it, and whether it needs no value. */
export function operatorOf(name: string) {
  const operator = name.replace(/^[^.]*\.?/, '') || 'eq';
  const text = SYMBOLS[operator] ?? labelOf(operator).toLowerCase();
  return { operator, text, isFlag: operator.startsWith('is') };
}
