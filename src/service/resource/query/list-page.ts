import { type HeaderFields, uriReference } from '../../../lib/http/index.ts';
import { NOT_YET, type Steps } from '../../../lib/steps.ts';
import type { ListOptions } from './list-options.ts';

/** The rows of a list as they are found; their number is known once the end has been reached. */
type CountingSteps<T> = Steps<readonly T[], unknown> & { readonly total: number | undefined };

interface ListPage<T> {
  readonly rows: Steps<readonly T[]>;
  readonly total: number;
}

const REFERENCE_BYTES = 8;

/** Finds the rows of a page, and counts all rows of the list. */
export class PageSearch<T> implements Steps<undefined, ListPage<T>> {
  readonly #rows: CountingSteps<T>;
  readonly found: T[] = [];

  constructor(rows: CountingSteps<T>) {
    this.#rows = rows;
  }

  get bytes(): number {
    return (this.#rows.bytes ?? 0) + this.found.length * REFERENCE_BYTES;
  }

  next(): IteratorResult<undefined, ListPage<T>> {
    const step = this.#rows.next();
    if (!step.done) {
      for (const row of step.value ?? []) this.found.push(row);
      return NOT_YET;
    }
    const { total } = this.#rows;
    if (total === undefined) throw new TypeError('the rows of a page are counted');
    const bytes = this.found.length * REFERENCE_BYTES;
    const rows = Object.assign([this.found].values(), { bytes });
    return { done: true, value: { rows, total } };
  }

  close(): void {
    this.#rows.close?.();
  }
}

/** The maximum bytes of references to lists: nginx takes 4 KiB of header fields by default. */
const MAX_LINK_BYTES = 3 * 1024;

/** The relations that a client misses least, in order, if all links together are too long. */
const LEAST_NEEDED = ['first', 'last', 'prev', 'next'];

/** The header fields of the page of a query: the length of the list, and links to other pages. */
export function pageFields(query: string, options: ListOptions, total: number): HeaderFields {
  const links = pageLinks(query, options, total);
  const text = () => [...links.values()].join(', ');
  for (const relation of LEAST_NEEDED) {
    if (text().length < MAX_LINK_BYTES) break;
    links.delete(relation);
  }
  return { 'X-Total-Count': String(total), ...(links.size > 0 && { Link: text() }) };
}

/** Links to other pages, by relation (RFC 8288): of the query alone, to hold below any prefix. */
function pageLinks(query: string, { limit, offset = 0 }: ListOptions, total: number) {
  const links = new Map<string, string>();
  if (limit === 0 || query.length >= MAX_LINK_BYTES) return links;
  const size = limit ?? Number.POSITIVE_INFINITY;
  const kept = query.split('&').filter((pair) => pair !== '' && !isPart(pair));
  if (limit !== undefined) kept.push(`limit=${limit}`);
  const add = (relation: string, start: number) => {
    const page = uriReference(`?${[...kept, `offset=${start}`].join('&')}`);
    links.set(relation, `<${page}>; rel="${relation}"`);
  };
  add('first', 0);
  if (offset > 0 && offset < total) add('prev', Math.max(0, offset - size));
  if (offset + size < total) add('next', offset + size);
  add('last', size < total ? Math.floor((total - 1) / size) * size : 0);
  return links;
}

function isPart(pair: string): boolean {
  const [name = ''] = pair.split('=', 1);
  return ['limit', 'offset'].includes(decodeURIComponent(name));
}
