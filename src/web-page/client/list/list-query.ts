import type { Field } from '../api/item-field.ts';
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
  /** The number of items before the page. */
  readonly offset: number;
  /** The maximum number of items of a page. */
  readonly limit: number;
  /** Whether the query has no conditions and begins with the first item. */
  readonly isUnfiltered: boolean;
  /** The query string of the page's address when it shows this part of the list; may be empty. */
  readonly pageQuery: string;
  readonly #service: Service;
  readonly #query: URLSearchParams;

  constructor(service: Service, query: string | URLSearchParams) {
    this.#service = service;
    this.#query = new URLSearchParams(query);
    this.filters = this.#except(['search', 'sort', service.done?.name, ...PAGING]);
    this.offset = Number(this.get('offset')) || 0;
    this.limit = Number(this.get('limit') || PAGE_SIZE);
    this.isUnfiltered = this.offset === 0 && this.#except(['sort', ...PAGING]).length === 0;
    this.pageQuery = this.#query.size === 0 ? '' : `?${this.#query}`;
  }

  /** The value of a parameter; empty if it is absent. */
  get(name: string): string {
    return this.#query.get(name) ?? '';
  }

  /** The first page with other values of some parameters. A blank value removes its parameter. */
  with(values: Iterable<readonly [name: string, value: unknown]>): ListQuery {
    return this.#changed((query) => {
      for (const [name, value] of values) {
        if (String(value).trim() === '') query.delete(name);
        else query.set(name, String(value));
      }
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

  /** The other pages of a list of `total` items, by relation (RFC 8288). */
  pages(total: number): ReadonlyMap<string, ListQuery> {
    const { limit, offset } = this;
    // Pages begin at whole limits from this one, so that `next` leads to `last`.
    const last = offset + Math.floor((total - 1 - offset) / limit) * limit;
    const pages: [relation: string, start: number][] = [];
    // Beyond the end, the previous page is the last one.
    if (offset > 0) pages.push(['first', 0], ['prev', Math.min(offset - limit, last)]);
    if (limit > 0 && offset + limit < total) pages.push(['next', offset + limit], ['last', last]);
    return new Map(pages.map(([relation, start]) => [relation, this.#from(start)]));
  }

  /** Whether a changed value of a field may move an item, or take it out of the result. */
  isAffectedBy({ name, kind }: Field): boolean {
    const isNamed = (key: string) => key.replace(/^-/, '').split('.')[0] === name;
    return [...this.#query].some(([parameter, value]) => {
      if (parameter === 'sort') return value.split(',').some(isNamed);
      if (parameter === 'search') return kind === 'text';
      return parameter === 'where' || isNamed(parameter);
    });
  }

  /** The target of the request for this part of the list. */
  get apiPath(): string {
    const query = new URLSearchParams(this.#query);
    query.set('limit', this.get('limit') || String(PAGE_SIZE));
    return `${this.#service.collection}?${query}`;
  }

  /** The target that selects the open items of all pages. */
  get openPath(): string {
    return this.#selectionPath('false');
  }

  /** The target that selects the done items of all pages. */
  get donePath(): string {
    return this.#selectionPath('true');
  }

  #selectionPath(isDone: string): string {
    const conditions = this.with([[this.#service.done?.name ?? '', isDone]]).#except([
      'sort',
      ...PAGING,
    ]);
    return `${this.#service.collection}?${new URLSearchParams(conditions)}`;
  }

  #from(start: number): ListQuery {
    return this.#changed((query) => start > 0 && query.set('offset', String(start)));
  }

  #changed(change: (query: URLSearchParams) => unknown): ListQuery {
    const query = new URLSearchParams(this.#query);
    query.delete('offset');
    change(query);
    return new ListQuery(this.#service, query);
  }

  #except(names: readonly (string | undefined)[]): Parameter[] {
    return [...this.#query].filter(([name]) => !names.includes(name));
  }
}
