import type { Kind } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import { button, element, optionsOf, setAttributes, visuallyHidden } from '../shared/dom.ts';
import { announce, find, itemsText, onSubmit, setText } from '../shared/page.ts';
import { fillFilterForm } from './filter-form.ts';
import type { List } from './list.ts';
import { filterText, ListQuery, PAGE_SIZE, type Parameter } from './list-query.ts';

/** How long to wait after the last key before searching, in milliseconds. */
const TYPING_MS = 150;

/** Links to other parts of the list. */
const LINKS = '#pager [href], #outcome [href]';

/** Labels of both orders, by the sign of the order. */
const ORDERS: Readonly<Record<Kind, Readonly<Record<'' | '-', string>>>> = {
  text: { '': 'A to Z', '-': 'Z to A' },
  integer: { '': 'lowest first', '-': 'highest first' },
  timestamp: { '': 'earliest first', '-': 'latest first' },
  boolean: { '': 'last', '-': 'first' },
};

/** Creates the controls that lead to other parts of the list, and follows the history. */
export function createNavigation(service: Service, list: List): void {
  const { done } = service;
  const search = find('search', HTMLInputElement);
  const status = find('status', HTMLFieldSetElement);
  const sort = find('sort', HTMLSelectElement);
  const pager = find('pager', HTMLElement);
  const chips = find('filters', HTMLElement);
  let rendered: ListQuery | undefined;
  let typing: number | undefined;

  /** Opens a query, and puts it into the address. Typing makes one history entry, not many. */
  function open(query: ListQuery, isTyping = false): Promise<void> {
    // The state of an entry says whether typing has made it.
    const isSame = isTyping && history.state === true;
    const address = query.pageQuery || location.pathname;
    history[isSame ? 'replaceState' : 'pushState'](isTyping, '', address);
    return show(query);
  }

  async function show(query: ListQuery): Promise<void> {
    await list.load(query);
    if (list.query === query) announce(countOf(list));
  }

  async function searchNow(): Promise<void> {
    clearTimeout(typing);
    typing = undefined;
    const text = search.value;
    if (text !== list.query.get('search')) await open(list.query.with('search', text), true);
  }

  function chipOf(filter: Parameter): Node {
    const text = element('bdi', {}, filterText(service, filter));
    const remove = () => open(list.query.without(filter));
    const attributes = { class: 'chip', title: filter.join('=') };
    return button(attributes, remove, visuallyHidden('Remove the filter '), text, ' \u00d7');
  }

  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(searchNow, TYPING_MS);
  });
  search.addEventListener('change', searchNow);
  onSubmit(find('find', HTMLFormElement), searchNow);
  status.hidden = done === undefined;
  for (const radio of status.querySelectorAll('input')) {
    radio.addEventListener('change', () => done && open(list.query.with(done.name, radio.value)));
  }
  sort.append(...optionsOf(ordersOf(service)));
  sort.addEventListener('change', () => open(list.query.with('sort', sort.value)));
  fillFilterForm(service, (filter) => open(list.query.and(filter)));
  document.addEventListener('click', async (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    if (!(target instanceof HTMLAnchorElement) || !target.matches(LINKS)) return;
    // Clicks with a modifier key are for the browser.
    if (ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    // Moves the focus before the page has loaded: later, the user may be elsewhere.
    find('items', HTMLElement).focus();
    await open(list.query.follow(target.search));
  });
  const showAll = find('show-all', HTMLElement);
  showAll.addEventListener('click', () => open(new ListQuery(service, '')));
  showAll.addEventListener('click', () => search.focus());
  addEventListener('popstate', () => show(new ListQuery(service, location.search)));
  list.addEventListener('change', () => {
    const { links, query, total } = list;
    setText(find('count', HTMLElement), countOf(list));
    pager.hidden = total <= Number(query.get('limit') || PAGE_SIZE) && query.offset === 0;
    for (const anchor of pager.querySelectorAll('a')) {
      const target = query.follow(links.get(anchor.rel) ?? query.pageQuery);
      const isHere = target.pageQuery === query.pageQuery;
      setAttributes(anchor, {
        href: !isHere && (target.pageQuery || location.pathname),
        'aria-disabled': String(isHere),
      });
    }
    if (query === rendered) return;
    rendered = query;
    const isTyping = document.activeElement === search && typing !== undefined;
    if (!isTyping) search.value = query.get('search');
    for (const radio of status.querySelectorAll('input')) {
      radio.checked = done !== undefined && radio.value === query.get(done.name);
    }
    const order = query.get('sort');
    sort.value = order;
    // An order that was typed into the address gets an option of its own.
    if (sort.value !== order) sort.append(new Option(order, order, true, true));
    const hadFocus = chips.contains(document.activeElement);
    chips.replaceChildren(...query.filters.map(chipOf));
    if (hadFocus) (chips.querySelector('button') ?? find('items', HTMLElement)).focus();
  });
}

function ordersOf({ fields, idName, parameters }: Service): readonly [string, string][] {
  const pattern = new RegExp(String(parameters.get('sort')?.schema.pattern));
  const others = fields.filter(({ name }) => name !== idName);
  return [
    ['', 'Oldest first'],
    [`-${idName}`, 'Newest first'],
    ...others.flatMap(({ name, label, kind }): [string, string][] => {
      // Texts are sorted ignoring case where that is possible.
      const order = [`${name}.ignoreCase`, name].find((each) => pattern.test(each));
      if (order === undefined) return [];
      return Object.entries(ORDERS[kind]).map(([sign, way]) => [sign + order, `${label}, ${way}`]);
    }),
  ];
}

function countOf({ hasLoaded, items, total, query }: List): string {
  if (!hasLoaded) return '';
  const all = itemsText(total);
  if (items.length === 0 || items.length === total) return all;
  const from = (query.offset + 1).toLocaleString('en');
  const to = (query.offset + items.length).toLocaleString('en');
  return `${from}\u2013${to} of ${all}`;
}
