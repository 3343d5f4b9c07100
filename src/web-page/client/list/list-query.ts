import type { Service } from '../api/service.ts';

/** The default number of items of a page. */
const PAGE_SIZE = 50;

/** The parameters that select a page rather than items. */
const PAGING = ['limit', 'offset'];

/** A parameter and its value. */
export type Parameter = [name: string, value: string];

/** The query of the visible part of the list, from the page's address. Parameters are the API's. */
export class ListQuery {
  /** The conditions that have no control in the page. */
  readonly filters: readonly Parameter[];
  /** The number of items before the page, and the maximum number on it. */
  readonly offset: number;
  readonly limit: number;
  /** Whether the query has no conditions and begins with the first item. */
  readonly isWhole: boolean;
  /** The query string of the page's address when it shows this part of the list; may be empty. */
  readonly pageQuery: string;
  readonly #service: Service;
  readonly #query: URLSearchParams;

  constructor(service: Service, query: string | URLSearchParams) {
    this.#service = service;
    this.#query = new URLSearchParams(query);
    this.filters = this.#except(['search', 'sort', service.done?.name, ...PAGING]);
    this.offset = Number(this.get('offset')) || 0;
    this.limit = Number(this.get('limit')) || PAGE_SIZE;
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
    const conditions = this.with(name, value).#except(['sort', ...PAGING]);
    return `${this.#service.collection}?${new URLSearchParams(conditions)}`;
  }

  /** The page that begins after `offset` items; the first page if `offset` is not positive. */
  from(offset: number): ListQuery {
    return this.with('offset', offset > 0 ? String(offset) : '');
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
