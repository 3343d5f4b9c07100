import type { Kind } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import { button, find, onSubmit, optionsOf, userText, visuallyHidden } from '../shared/dom.ts';
import { fillFilterForm } from './filter-form.ts';
import type { List } from './list.ts';
import { filterText, type ListQuery, type Parameter } from './list-query.ts';

/** How long to wait after the last key before searching, in milliseconds. */
const TYPING_MS = 150;

/** What ascending and descending mean to people. */
const ORDERS: Readonly<Record<Kind, readonly [string, string]>> = {
  text: ['A to Z', 'Z to A'],
  integer: ['lowest first', 'highest first'],
  timestamp: ['earliest first', 'latest first'],
  boolean: ['last', 'first'],
};

/**
 * Fills the controls that choose which part of the list is shown, and how, with what the service
 * can search, filter and sort by.
 * @param open shows another query; while the user types, it replaces the previous one
 * @returns sets the controls to the query of the list
 */
export function createNavigation(
  service: Service,
  list: List,
  open: (query: ListQuery, isTyping?: boolean) => void,
): () => void {
  const { done } = service;
  const search = find('search', HTMLInputElement);
  const status = find('status', HTMLFieldSetElement);
  const sort = find('sort', HTMLSelectElement);
  let rendered: ListQuery | undefined;
  let typing: number | undefined;

  function searchNow(): void {
    clearTimeout(typing);
    typing = undefined;
    const text = search.value;
    if (text !== list.query.get('search')) open(list.query.with('search', text), true);
  }

  function chipOf(filter: Parameter): Node {
    const text = userText(filterText(service, filter));
    const content = [visuallyHidden('Remove the filter '), text, ' \u00d7'];
    const attributes = { class: 'chip', title: filter.join('=') };
    return button(attributes, content, () => open(list.query.without(filter)));
  }

  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(searchNow, TYPING_MS);
  });
  onSubmit(find('find', HTMLFormElement), searchNow);
  status.hidden = done === undefined;
  status.addEventListener('change', ({ target }) => {
    if (done && target instanceof HTMLInputElement) open(list.query.with(done.name, target.value));
  });
  sort.append(...optionsOf(ordersOf(service)));
  sort.addEventListener('change', () => open(list.query.with('sort', sort.value)));
  fillFilterForm(service, (filter) => open(list.query.and(filter)));

  return () => {
    const { query } = list;
    if (query === rendered) return;
    rendered = query;
    const isTyping = document.activeElement === search && typing !== undefined;
    if (!isTyping) search.value = query.get('search');
    for (const radio of status.querySelectorAll('input')) {
      radio.checked = radio.value === query.get(done?.name ?? '');
    }
    choose(sort, query.get('sort'));
    find('filters', HTMLElement).replaceChildren(...query.filters.map(chipOf));
  };
}

/** The orders of the list: by id, and by each other field that the service can sort by. */
function ordersOf({ fields, idName, parameters }: Service): readonly [string, string][] {
  const pattern = new RegExp(String(parameters.get('sort')?.schema.pattern));
  const sortable = fields.filter(({ name }) => name !== idName && pattern.test(name));
  return [
    ['', 'Oldest first'],
    [`-${idName}`, 'Newest first'],
    ...sortable.flatMap(({ name, label, kind }): [string, string][] => [
      [name, `${label}, ${ORDERS[kind][0]}`],
      [`-${name}`, `${label}, ${ORDERS[kind][1]}`],
    ]),
  ];
}

/** Selects an option. A value that somebody typed into the address gets its own option. */
function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.append(...optionsOf([[value, value]]));
  }
  select.value = value;
}
