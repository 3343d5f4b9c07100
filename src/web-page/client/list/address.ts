/** How many items a page has unless the address says otherwise. */
export const PAGE_SIZE = 50;

/** The parameters that the page has controls for. */
export const CONTROLLED = ['search', 'completed', 'priority.gte', 'sort'] as const;

/** A parameter that the page has a control for. */
export type Controlled = (typeof CONTROLLED)[number];

/**
 * Which part of the list is shown, and how. The address of the page has the same parameters as the
 * API, so everything that the API understands can be shown and shared.
 */
export class View {
  readonly #query: URLSearchParams;

  constructor(query: string) {
    this.#query = new URLSearchParams(query);
  }

  /** The value of a parameter; empty if it is absent. */
  get(name: Controlled): string {
    return this.#query.get(name) ?? '';
  }

  /** The first page of this view with another value; an empty value removes the parameter. */
  with(name: Controlled, value: string): View {
    const query = new URLSearchParams(this.#query);
    if (value === '') query.delete(name);
    else query.set(name, value);
    query.delete('offset');
    return new View(query.toString());
  }

  /** The parameters without a control, which somebody typed into the address. */
  get others(): readonly (readonly [name: string, value: string])[] {
    const known: readonly string[] = [...CONTROLLED, 'offset', 'limit'];
    return [...this.#query].filter(([name]) => !known.includes(name));
  }

  /** The first page of this view without one of its other parameters. */
  without(name: string, value: string): View {
    const query = new URLSearchParams(this.#query);
    query.delete(name, value);
    query.delete('offset');
    return new View(query.toString());
  }

  /** How many items precede the page. */
  get offset(): number {
    return Number(this.#query.get('offset') ?? 0) || 0;
  }

  /** Whether a change to an item can add it to the view, remove it or move it. */
  get dependsOnFields(): boolean {
    const { others } = this;
    return others.length > 0 || CONTROLLED.some((name) => this.get(name) !== '');
  }

  /** Whether no filter is set. */
  get isWhole(): boolean {
    return this.others.length === 0 && this.with('sort', '').dependsOnFields === false;
  }

  /** The address of the page that shows this view. */
  get pagePath(): string {
    return this.#query.size === 0 ? '/' : `/?${this.#query}`;
  }

  /** The target of the API request for this view. */
  apiPath(collection: string): string {
    const query = new URLSearchParams(this.#query);
    if (!query.has('limit')) query.set('limit', String(PAGE_SIZE));
    return `${collection}?${query}`;
  }
}

/** The view that a link to a page of the list leads to. */
export function viewOfLink(reference: string): View {
  const query = new URLSearchParams(reference.slice(reference.indexOf('?') + 1));
  if (query.get('limit') === String(PAGE_SIZE)) query.delete('limit');
  if (query.get('offset') === '0') query.delete('offset');
  return new View(query.toString());
}

/** The references in a `Link` field, by relation (RFC 8288). */
export function linksOf(field: string | null): ReadonlyMap<string, string> {
  const links = (field ?? '').matchAll(/<([^>]*)>;\s*rel="?(\w+)"?/g);
  return new Map([...links].map(([, reference = '', relation = '']) => [relation, reference]));
}
