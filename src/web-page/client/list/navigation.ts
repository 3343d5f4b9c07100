import type { Field } from '../api/item-field.ts';
import type { Service } from '../api/service.ts';
import { button, element, optionsOf, setAttributes, visuallyHidden } from '../shared/dom.ts';
import { announce, find, focusList, itemsText, onSubmit, setText } from '../shared/page.ts';
import { fillFilterForm } from './filter-form.ts';
import type { List } from './item-list.ts';
import { ListQuery, type Parameter } from './list-query.ts';

/** How long to wait after the last key before searching, in milliseconds. */
const TYPING_MS = 150;

/** Links to other parts of the list. */
const LINKS = 'main [href^="?"]';

/** Creates the controls that lead to other parts of the list, and follows the history. */
export function createNavigation(service: Service, list: List): void {
  const form = find('find', HTMLFormElement);
  const search = find('search', HTMLInputElement);
  const status = find('status', HTMLFieldSetElement);
  const sort = find('sort', HTMLSelectElement);
  /** Its value precedes a key of the parameter `sort`: a minus sign if the order is descending. */
  const direction = find('direction', HTMLButtonElement);
  const pager = find('pager');
  const chips = find('filters');
  /** The parameter of the radio buttons, which are no part of the form without one. */
  const done = service.done?.name ?? '';
  let rendered: ListQuery | undefined;
  let typing: number | undefined;
  /** The option of an order that was typed into the address. */
  let typed: HTMLOptionElement | undefined;

  /** Opens a query, and puts it into the address. Typing makes one history entry, not many. */
  function open(query: ListQuery, isTyping = false): Promise<void> {
    // The state of a history entry is true if typing has created it.
    const isSame = isTyping && history.state === true;
    const address = query.pageQuery || location.pathname;
    history[isSame ? 'replaceState' : 'pushState'](isTyping, '', address);
    return show(query);
  }

  async function show(query: ListQuery): Promise<void> {
    await list.load(query);
    if (list.query === query) announce(countOf(list));
  }

  /** Opens the query of the form, if it differs from the list's. */
  async function submit(): Promise<void> {
    clearTimeout(typing);
    const order = direction.value + sort.value;
    const query = list.query.with([
      ...new FormData(form),
      ['sort', order === service.idName ? '' : order],
    ]);
    if (query.pageQuery === list.query.pageQuery) return;
    await open(query, document.activeElement === search);
  }

  function chipOf(filter: Parameter): Node {
    const text = element('bdi', {}, filter.join('='));
    const remove = () => open(list.query.without(filter));
    return button({ class: 'chip' }, remove, visuallyHidden('Remove the filter '), text, ' \u00d7');
  }

  function renderPager(): void {
    const pages = list.query.pages(list.total);
    pager.hidden = pages.size === 0;
    for (const anchor of pager.querySelectorAll('a')) {
      const page = pages.get(anchor.rel);
      const href = page && (page.pageQuery || '?');
      setAttributes(anchor, { href, 'aria-disabled': String(page === undefined) });
    }
  }

  function showDirection(isDescending: boolean): void {
    direction.value = isDescending ? '-' : '';
    setText(direction, isDescending ? '\u2193' : '\u2191');
    direction.ariaLabel = direction.title = isDescending ? 'Descending' : 'Ascending';
  }

  /** Shows the current query in the controls. */
  function renderControls(query: ListQuery): void {
    search.value = query.get('search');
    for (const radio of status.querySelectorAll('input')) {
      radio.checked = radio.value === query.get(done);
    }
    const order = query.get('sort') || service.idName;
    const key = order.replace(/^-/, '');
    typed?.remove();
    sort.value = key;
    direction.disabled = sort.value !== key;
    if (direction.disabled) {
      typed = new Option(order, order, true, true);
      sort.append(typed);
    }
    showDirection(!direction.disabled && key !== order);
    const hadFocus = chips.contains(document.activeElement);
    chips.replaceChildren(...query.filters.map(chipOf));
    if (hadFocus) (chips.querySelector('button') ?? find('items')).focus();
  }

  // Typing waits for a pause. Everything else is immediate.
  form.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(submit, TYPING_MS);
  });
  form.addEventListener('change', submit);
  direction.addEventListener('click', () => {
    showDirection(direction.value === '');
    return submit();
  });
  onSubmit(form, submit);
  for (const radio of status.querySelectorAll('input')) radio.name = done;
  status.hidden = done === '';
  search.hidden = !service.isSearched;
  sort.append(...optionsOf(service.fields.filter(({ kind }) => kind !== 'json').map(orderOf)));
  fillFilterForm(service, (filter) => open(list.query.and(filter)));
  document.addEventListener('click', async (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    if (!(target instanceof HTMLAnchorElement) || !target.matches(LINKS)) return;
    // The browser handles clicks with a modifier key.
    if (ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    // Before the page has loaded, because later the user may have moved the focus.
    focusList();
    await open(new ListQuery(service, target.search));
  });
  addEventListener('popstate', () => show(new ListQuery(service, location.search)));
  list.addEventListener('change', () => {
    setText(find('count'), countOf(list));
    renderPager();
    if (list.query !== rendered) renderControls(list.query);
    rendered = list.query;
  });
}

/** A key of the parameter `sort`, and its name. Texts are sorted ignoring case. */
function orderOf({ name, label, kind }: Field): [string, string] {
  return [kind === 'text' ? `${name}.ignoreCase` : name, `By ${label.toLowerCase()}`];
}

function countOf({ hasLoaded, items, total, query }: List): string {
  if (!hasLoaded) return '';
  const all = itemsText(total);
  if (items.length === 0 || items.length === total) return all;
  const from = (query.offset + 1).toLocaleString('en');
  const to = (query.offset + items.length).toLocaleString('en');
  return `${from}\u2013${to} of ${all}`;
}
