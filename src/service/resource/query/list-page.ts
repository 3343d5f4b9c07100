import { type HeaderFields, uriReference } from '../../../lib/http/index.ts';
import { isPaged, type ListOptions } from './list-options.ts';

/** The maximum bytes of `Link`, because nginx takes 4 KiB of header fields by default. */
const MAX_LINK_BYTES = 3 * 1024;

/** The header fields of a list: the number of items that match, and of a page links to others. */
export function listFields(query: string, options: ListOptions, total: number): HeaderFields {
  const count = { 'X-Total-Count': String(total) };
  if (!isPaged(options)) return count;
  const Link = pageLinks(query, options, total).join(', ');
  const hasLink = Link !== '' && Link.length <= MAX_LINK_BYTES;
  return hasLink ? { ...count, Link } : count;
}

/**
 * Links to other pages (RFC 8288), as query strings only, so that they work below any prefix. The
 * pages begin at multiples of the limit from the offset. The first one is shorter if need be.
 */
function pageLinks(query: string, { limit, offset = 0 }: ListOptions, total: number) {
  const links: string[] = [];
  if (limit === 0) return links;
  const size = limit ?? Number.POSITIVE_INFINITY;
  const others = query.split('&').filter((pair) => pair !== '' && !isPageParameter(pair));
  // Commas and semicolons would end the link for a simple reader of the field.
  const kept = others.map((pair) => pair.replaceAll(',', '%2C').replaceAll(';', '%3B'));
  const link = (relation: string, start: number, length = size) => {
    const part = Number.isFinite(length) ? [`limit=${length}`] : [];
    const page = uriReference(`?${[...kept, ...part, `offset=${start}`].join('&')}`);
    links.push(`<${page}>; rel="${relation}"`);
  };
  const linkToPageBefore = (relation: string, end: number) =>
    link(relation, Math.max(0, end - size), Math.min(size, end));

  link('first', 0);
  if (total === 0) link('last', 0);
  else if (offset >= total) {
    const end = total + ((offset - total) % size);
    linkToPageBefore('prev', end);
    linkToPageBefore('last', end);
  } else {
    if (offset > 0) linkToPageBefore('prev', offset);
    if (offset + size < total) link('next', offset + size);
    const lastItem = total - 1;
    link('last', lastItem - ((lastItem - offset) % size));
  }
  return links;
}

function isPageParameter(pair: string): boolean {
  const [name = ''] = pair.split('=', 1);
  return ['limit', 'offset'].includes(decodeURIComponent(name));
}
