import type { Request } from '../http/core/request.ts';
import type { HeaderFields } from '../http/core/response.ts';
import { uriReference } from '../http/core/uri.ts';
import type { Work } from '../http/core/work.ts';
import type { Source } from '../http/response/json-array.ts';
import type { ListOptions } from './list-options.ts';

/** Rows found step by step, and counted on the way. */
export interface CountingSource<T> extends Source<T> {
  /** How many there are in all; known once the end has been reached. */
  readonly total: number | undefined;
}

/** A part of a list, and the length of the whole list. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** The size of a reference to a row, in bytes. */
const REFERENCE_BYTES = 8;

/** Finds the rows of a page, and counts all rows of the list. */
export class PageWork<T> implements Work<Page<T>> {
  readonly #source: CountingSource<T>;
  readonly #rows: T[] = [];

  constructor(source: CountingSource<T>) {
    this.#source = source;
  }

  get bytes(): number {
    return this.#source.bytes + this.#rows.length * REFERENCE_BYTES;
  }

  next(): IteratorResult<undefined, Page<T>> {
    const found = this.#source.step();
    if (found !== undefined) {
      for (const row of found) this.#rows.push(row);
      return { done: false, value: undefined };
    }
    return { done: true, value: { rows: this.#rows, total: this.#source.total ?? 0 } };
  }
}

/** Rows that have been found already, as a source. */
export class FoundRows<T> implements Source<T> {
  readonly #rows: readonly T[];
  #isTaken = false;

  constructor(rows: readonly T[]) {
    this.#rows = rows;
  }

  get bytes(): number {
    return this.#rows.length * REFERENCE_BYTES;
  }

  step(): readonly T[] | undefined {
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    return this.#rows;
  }

  close(): void {}
}

/** Whether a client wants a part of a list. */
export function isPaged({ limit, offset }: ListOptions): boolean {
  return limit !== undefined || offset !== undefined;
}

/** The most bytes of links to other pages: nginx takes 4 KiB of header fields unless told more. */
const MAX_LINK_BYTES = 3 * 1024;

/** The relations that a client misses least, in order, if all links together are too long. */
const LEAST_NEEDED = ['first', 'last', 'prev', 'next'];

/** The header fields of a page: the length of the list, and links to other pages. */
export function pageFields(request: Request, options: ListOptions, total: number): HeaderFields {
  const links = new Map<string, string>();
  for (const [relation, offset] of pageLinks(options, total)) {
    links.set(relation, `<${linkTo(request, options, offset)}>; rel="${relation}"`);
  }
  let text = [...links.values()].join(', ');
  for (const relation of LEAST_NEEDED) {
    if (text.length <= MAX_LINK_BYTES) break;
    links.delete(relation);
    text = [...links.values()].join(', ');
  }
  return {
    'X-Total-Count': String(total),
    ...(text === '' ? {} : { Link: text }),
  };
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
function linkTo({ path, target }: Request, { limit }: ListOptions, offset: number): string {
  const mark = target.indexOf('?');
  const others = target
    .slice(mark + 1)
    .split('&')
    .filter((pair) => pair !== '' && !isPart(pair));
  const size = limit === undefined ? [] : [`limit=${digitsOf(limit)}`];
  return uriReference(`${path}?${[...others, ...size, `offset=${offset}`].join('&')}`);
}

/** Whether a pair of a query string is `limit` or `offset`. */
function isPart(pair: string): boolean {
  const [name = ''] = pair.split('=', 1);
  return ['limit', 'offset'].includes(decodeURIComponent(name));
}

/** Writes a limit; an infinite one becomes a huge number. */
function digitsOf(limit: number): string {
  return String(Math.min(limit, Number.MAX_SAFE_INTEGER));
}
