import { type HeaderFields, NOT_YET, type Steps, uriReference } from '../../http/core/response.ts';
import type { ListOptions } from './list-options.ts';

/** The rows of a list as they are found, and counted on the way. */
export interface CountingSteps<T> extends Steps<readonly T[], unknown> {
  /** How many there are in all; known once the end has been reached. */
  readonly total: number | undefined;
}

/** A part of a list, and the length of the whole list. */
export interface ListPage<T> {
  readonly rows: Steps<readonly T[]>;
  readonly total: number;
}

/** The size of a reference to a row, in bytes. */
const REFERENCE_BYTES = 8;

/** Finds the rows of a page, and counts all rows of the list. */
export class PageSearch<T> implements Steps<undefined, ListPage<T>> {
  readonly #rows: CountingSteps<T>;
  /** The rows that have been found. */
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
    const bytes = this.found.length * REFERENCE_BYTES;
    const rows = Object.assign([this.found].values(), { bytes });
    return { done: true, value: { rows, total: this.#rows.total ?? 0 } };
  }

  close(): void {
    this.#rows.close?.();
  }
}

/** The maximum bytes of references to lists: nginx takes 4 KiB of header fields by default. */
export const MAX_LINK_BYTES = 3 * 1024;

/** The relations that a client misses least, in order, if all links together are too long. */
const LEAST_NEEDED = ['first', 'last', 'prev', 'next'];

/** The header fields of the page at a target: the length of the list, and links to other pages. */
export function pageFields(target: string, options: ListOptions, total: number): HeaderFields {
  const links = new Map<string, string>();
  const others = target.length < MAX_LINK_BYTES ? pageLinks(options, total) : [];
  for (const [relation, offset] of others) {
    links.set(relation, `<${linkTo(target, options, offset)}>; rel="${relation}"`);
  }
  const text = () => [...links.values()].join(', ');
  for (const relation of LEAST_NEEDED) {
    if (text().length < MAX_LINK_BYTES) break;
    links.delete(relation);
  }
  return { 'X-Total-Count': String(total), ...(links.size > 0 && { Link: text() }) };
}

/** The offsets of other pages, by link relation (RFC 8288). */
function pageLinks(
  { limit = Number.POSITIVE_INFINITY, offset = 0 }: ListOptions,
  total: number,
): readonly (readonly [relation: string, offset: number])[] {
  if (limit === 0) return [];
  const last = limit < total ? Math.floor((total - 1) / limit) * limit : 0;
  return [
    ['first', 0],
    ...(offset > 0 && offset < total ? [['prev', Math.max(0, offset - limit)] as const] : []),
    ...(offset + limit < total ? [['next', offset + limit] as const] : []),
    ['last', last],
  ];
}

/** A reference to another page, with all other parameters exactly as sent. */
function linkTo(target: string, { limit }: ListOptions, offset: number): string {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const others = query.split('&').filter((pair) => pair !== '' && !isPart(pair));
  // An infinite limit becomes a huge number.
  const size = limit === undefined ? [] : [`limit=${Math.min(limit, Number.MAX_SAFE_INTEGER)}`];
  return uriReference(`${path}?${[...others, ...size, `offset=${offset}`].join('&')}`);
}

/** Whether a pair of a query string is `limit` or `offset`. */
function isPart(pair: string): boolean {
  const [name = ''] = pair.split('=', 1);
  return ['limit', 'offset'].includes(decodeURIComponent(name));
}
