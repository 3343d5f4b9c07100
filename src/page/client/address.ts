/** How many items a page has where the address does not say. */
export const PAGE_SIZE = 50;

/** The parameters that the page has controls for. */
export const CONTROLLED = ['search', 'completed', 'priority.gte', 'sort'] as const;

/** A parameter that the page has a control for. */
export type Controlled = (typeof CONTROLLED)[number];

/**
 * What part of the list is shown, and how. The address of the page has the very parameters that
 * the API takes, so whatever the API understands can be shown and shared.
 */
export class View {
  readonly #query: URLSearchParams;

  constructor(query: string) {
    this.#query = new URLSearchParams(query);
  }

  /** The value of a parameter; the empty text where it is absent. */
  get(name: Controlled): string {
    return this.#query.get(name) ?? '';
  }

  /** The same view with another value, from the first page on; an empty value is none. */
  with(name: Controlled, value: string): View {
    const query = new URLSearchParams(this.#query);
    if (value === '') query.delete(name);
    else query.set(name, value);
    query.delete('offset');
    return new View(query.toString());
  }

  /** The parameters that have no control: what somebody wrote into the address. */
  get others(): readonly (readonly [name: string, value: string])[] {
    const known: readonly string[] = [...CONTROLLED, 'offset', 'limit'];
    return [...this.#query].filter(([name]) => !known.includes(name));
  }

  /** The same view without one of its other parameters. */
  without(name: string, value: string): View {
    const query = new URLSearchParams(this.#query);
    query.delete(name, value);
    query.delete('offset');
    return new View(query.toString());
  }

  /** Where the page of the list begins. */
  get offset(): number {
    return Number(this.#query.get('offset') ?? 0) || 0;
  }

  /** Whether an item's being in the list, or its place there, depends on more than its id. */
  get dependsOnFields(): boolean {
    const { others } = this;
    return others.length > 0 || CONTROLLED.some((name) => this.get(name) !== '');
  }

  /** Whether the view is the whole list rather than what some filter leaves of it. */
  get isWhole(): boolean {
    return this.others.length === 0 && this.with('sort', '').dependsOnFields === false;
  }

  /** The address of the page that shows this. */
  get pagePath(): string {
    return this.#query.size === 0 ? '/' : `/?${this.#query}`;
  }

  /** The request for what this shows. */
  apiPath(collection: string): string {
    const query = new URLSearchParams(this.#query);
    if (!query.has('limit')) query.set('limit', String(PAGE_SIZE));
    return `${collection}?${query}`;
  }
}

/** The view that a reference to a page of the list leads to. */
export function viewOfLink(reference: string): View {
  const query = new URLSearchParams(reference.slice(reference.indexOf('?') + 1));
  if (query.get('limit') === String(PAGE_SIZE)) query.delete('limit');
  if (query.get('offset') === '0') query.delete('offset');
  return new View(query.toString());
}

/** The references of a `Link` field by their relation (RFC 8288). */
export function linksOf(field: string | null): ReadonlyMap<string, string> {
  const links = (field ?? '').matchAll(/<([^>]*)>;\s*rel="?(\w+)"?/g);
  return new Map([...links].map(([, reference = '', relation = '']) => [relation, reference]));
}
