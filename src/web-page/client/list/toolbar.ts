import type { Kind } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import { button, find, onSubmit, optionsOf, userText, visuallyHidden } from '../shared/dom.ts';
import { fillFilterForm } from './filter-form.ts';
import { filterText } from './filter-text.ts';
import type { ListQuery, Parameter } from './list-query.ts';

/** How long to wait after the last key before searching, in milliseconds. */
const TYPING_MS = 150;

/** What ascending and descending mean to people. */
const ORDERS: Readonly<Record<Kind, readonly [string, string]>> = {
  text: ['A to Z', 'Z to A'],
  integer: ['lowest first', 'highest first'],
  timestamp: ['earliest first', 'latest first'],
  boolean: ['no first', 'yes first'],
};

/** The controls that choose which part of the list is shown, and how. */
export interface Toolbar {
  /** Sets the controls to a query. */
  render(query: ListQuery): void;
}

/**
 * Fills the controls with what the service can search, filter and sort by.
 * @param open shows another query; while the user types, it replaces the previous one
 */
export function createToolbar(
  service: Service,
  open: (query: ListQuery, isTyping?: boolean) => void,
): Toolbar {
  const { done } = service;
  const search = find('search', HTMLInputElement);
  const status = find('status', HTMLFieldSetElement);
  const sort = find('sort', HTMLSelectElement);
  const filters = find('filters', HTMLElement);
  let query: ListQuery;
  let typing: number | undefined;

  function searchNow(): void {
    clearTimeout(typing);
    typing = undefined;
    if (search.value !== query.get('search')) open(query.with('search', search.value), true);
  }

  function chipOf(filter: Parameter): Node {
    const attributes = { class: 'chip', title: filter.join('=') };
    const chip = button(attributes, '', () => open(query.without(filter)));
    const text = userText(filterText(service, filter));
    chip.append(visuallyHidden('Remove the filter '), text, ' \u00d7');
    return chip;
  }

  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(searchNow, TYPING_MS);
  });
  onSubmit(find('find', HTMLFormElement), searchNow);
  status.hidden = done === undefined;
  status.addEventListener('change', ({ target }) => {
    if (done && target instanceof HTMLInputElement) open(query.with(done.name, target.value));
  });
  sort.append(...optionsOf(ordersOf(service)));
  sort.addEventListener('change', () => open(query.with('sort', sort.value)));
  fillFilterForm(service, (filter) => open(query.and(filter)));
  return {
    render(next) {
      query = next;
      const isTyping = document.activeElement === search && typing !== undefined;
      if (!isTyping) search.value = query.get('search');
      for (const radio of status.querySelectorAll('input')) {
        radio.checked = radio.value === query.get(done?.name ?? '');
      }
      choose(sort, query.get('sort'));
      filters.replaceChildren(...query.filters.map(chipOf));
    },
  };
}

/** The orders of the list: by id, and by each other field that the service can sort by. */
function ordersOf(service: Service): readonly (readonly [value: string, text: string])[] {
  const { fields, idName, parameters } = service;
  const pattern = new RegExp(String(parameters.get('sort')?.schema.pattern));
  const sortable = fields.filter(({ name }) => name !== idName && pattern.test(name));
  return [
    ['', 'Oldest first'],
    [`-${idName}`, 'Newest first'],
    ...sortable.flatMap(({ name, label, kind }) => {
      const [ascending, descending] = ORDERS[kind];
      return [
        [name, `${label}, ${ascending}`],
        [`-${name}`, `${label}, ${descending}`],
      ] as const;
    }),
  ];
}

/** Selects an option. A value that somebody typed into the address gets its own option. */
function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.append(...optionsOf([[value, value]]));
  }
  select.value = value;
}
