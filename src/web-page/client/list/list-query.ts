import type { Service } from '../api/service.ts';

/** How many items a page has unless the address says otherwise. */
export const PAGE_SIZE = 50;

/** The parameters that select a page rather than items. */
const PAGING = ['limit', 'offset'];

/** A parameter and its value. */
export type Parameter = [name: string, value: string];

/**
 * Which part of the list is shown, and how. The address of the page has the same parameters as the
 * API, so everything that the API understands can be shown and shared; others are dropped.
 */
export class ListQuery {
  readonly #service: Service;
  readonly #query: URLSearchParams;

  constructor(service: Service, query: string | Parameter[]) {
    this.#service = service;
    const all = [...new URLSearchParams(query)];
    this.#query = new URLSearchParams(all.filter(([name]) => isKnown(service, name)));
  }

  /** The value of a parameter; empty if it is absent. */
  get(name: string): string {
    return this.#query.get(name) ?? '';
  }

  /** The first page with another value; an empty value removes the parameter. */
  with(name: string, value: string): ListQuery {
    const others = this.#without((each) => each === name || each === 'offset');
    return new ListQuery(this.#service, value === '' ? others : [...others, [name, value]]);
  }

  /** The first page of the items that satisfy one more condition. */
  and(condition: Parameter): ListQuery {
    return new ListQuery(this.#service, [...this.#without((each) => each === 'offset'), condition]);
  }

  /** The first page without one of the filters. */
  without([name, value]: Parameter): ListQuery {
    const others = this.#without(
      (each, its) => each === 'offset' || (each === name && its === value),
    );
    return new ListQuery(this.#service, others);
  }

  /** The conditions without a control of their own. */
  get filters(): readonly Parameter[] {
    const controlled = ['search', 'sort', this.#service.done?.name, ...PAGING];
    return this.#without((name) => controlled.includes(name));
  }

  /** How many items precede the page. */
  get offset(): number {
    return Number(this.get('offset')) || 0;
  }

  /** Whether a change to an item can add it to this part of the list, remove it or move it. */
  get dependsOnFields(): boolean {
    return this.#without((name) => PAGING.includes(name)).length > 0;
  }

  /** Whether all items are in it, on one page or another. */
  get isWhole(): boolean {
    return !this.with('sort', '').dependsOnFields;
  }

  /** The address of the page that shows this part of the list. */
  get pagePath(): string {
    return this.#query.size === 0 ? '/' : `/?${this.#query}`;
  }

  /** The target of the request for this part of the list, with more conditions. */
  apiPath(conditions: readonly Parameter[] = []): string {
    const query = new URLSearchParams([...this.#query, ...conditions]);
    if (!query.has('limit')) query.set('limit', String(PAGE_SIZE));
    return `${this.#service.collection}?${query}`;
  }

  /** The target of the request that deletes the items of all pages that satisfy a condition. */
  deletePath(condition: Parameter): string {
    const query = this.with(...condition).#without((name) => ['sort', ...PAGING].includes(name));
    return `${this.#service.collection}?${new URLSearchParams(query)}`;
  }

  /** The query that a link of the service leads to. */
  follow(reference: string): ListQuery {
    const query = new URLSearchParams(reference.slice(reference.indexOf('?') + 1));
    if (query.get('limit') === String(PAGE_SIZE)) query.delete('limit');
    if (query.get('offset') === '0') query.delete('offset');
    return new ListQuery(this.#service, [...query]);
  }

  #without(isDropped: (name: string, value: string) => boolean): Parameter[] {
    return [...this.#query].filter(([name, value]) => !isDropped(name, value));
  }
}

/** Whether the service understands a parameter, or says what is wrong with it. */
function isKnown({ parameters, fields }: Service, name: string): boolean {
  return parameters.has(name) || fields.some((field) => name.startsWith(`${field.name}.`));
}

/** The references in a `Link` field, by relation (RFC 8288). */
export function linksOf(field: string | null): ReadonlyMap<string, string> {
  const links = (field ?? '').matchAll(/<([^>]*)>;\s*rel="?(\w+)"?/g);
  return new Map([...links].map(([, reference = '', relation = '']) => [relation, reference]));
}
