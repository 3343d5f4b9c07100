import { find, setAttributes, setText } from '../shared/dom.ts';
import type { List } from './list.ts';
import { type ListQuery, PAGE_SIZE } from './list-query.ts';

/**
 * Makes what shows how much of the list is visible, with links to its other pages.
 * @param open shows another page
 * @returns shows the list as it is now
 */
export function createPager(list: List, open: (query: ListQuery) => void): () => void {
  const pager = find('pager', HTMLElement);
  pager.addEventListener('click', (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    if (!(target instanceof HTMLAnchorElement) || !target.hasAttribute('href')) return;
    // Clicks with a modifier key are for the browser.
    if (ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    open(list.query.follow(target.search));
  });

  return () => {
    const { links, query, total } = list;
    setText(find('count', HTMLElement), countOf(list));
    pager.hidden = total <= PAGE_SIZE && query.offset === 0;
    for (const anchor of pager.querySelectorAll('a')) {
      const path = query.follow(links.get(anchor.rel) ?? query.pagePath).pagePath;
      const isHere = path === query.pagePath;
      setAttributes(anchor, { href: !isHere && path, 'aria-disabled': String(isHere) });
    }
  };
}

function countOf({ hasLoaded, shown, shownTotal, query }: List): string {
  if (!hasLoaded) return '';
  const all = `${shownTotal.toLocaleString('en')} ${shownTotal === 1 ? 'item' : 'items'}`;
  if (shown.length === 0 || shown.length === shownTotal) return all;
  const from = (query.offset + 1).toLocaleString('en');
  const to = (query.offset + shown.length).toLocaleString('en');
  return `${from}\u2013${to} of ${all}`;
}
