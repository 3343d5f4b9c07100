import { element, find, setText, show } from '../shared/dom.ts';
import { PAGE_SIZE, type View, viewOfLink } from './address.ts';
import type { List } from './list.ts';

const RELATIONS = ['first', 'prev', 'next', 'last'] as const;

const LABELS = { first: 'First', prev: 'Previous', next: 'Next', last: 'Last' };

/** Shows how much of the list is visible, and links to its other pages as the service does. */
export class Pager {
  readonly #element = find('pager', HTMLElement);
  readonly #count = find('count', HTMLElement);
  readonly #open: (view: View) => void;
  readonly #anchors = new Map(RELATIONS.map((name) => [name, element('a', {}, LABELS[name])]));

  constructor(open: (view: View) => void) {
    this.#open = open;
    this.#element.append(...this.#anchors.values());
    this.#element.addEventListener('click', (event) => this.#follow(event));
  }

  render(list: List): void {
    setText(this.#count, countOf(list));
    show(this.#element, list.total > PAGE_SIZE || list.view.offset > 0);
    const here = list.view.pagePath;
    for (const [relation, anchor] of this.#anchors) {
      const reference = list.links.get(relation);
      const path = reference === undefined ? here : viewOfLink(reference).pagePath;
      if (path === here) anchor.removeAttribute('href');
      else anchor.setAttribute('href', path);
      anchor.setAttribute('aria-disabled', String(path === here));
    }
  }

  /** Leaves clicks with a modifier key to the browser. */
  #follow(event: MouseEvent): void {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    if (!(target instanceof HTMLAnchorElement) || !target.hasAttribute('href')) return;
    if (ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    this.#open(viewOfLink(target.search));
  }
}

function countOf({ hasLoaded, shown, shownTotal, view }: List): string {
  if (!hasLoaded) return '';
  const all = shownTotal.toLocaleString('en');
  const noun = shownTotal === 1 ? 'item' : 'items';
  if (shown.length === 0 || shown.length === shownTotal) return `${all} ${noun}`;
  const from = (view.offset + 1).toLocaleString('en');
  const to = (view.offset + shown.length).toLocaleString('en');
  return `${from}\u2013${to} of ${all} ${noun}`;
}
