import { sentenceOf, statusOf } from '../api/exchange.ts';
import type { Item, Service } from '../api/service.ts';
import type { Composer } from '../editor/composer.ts';
import { createEditor } from '../editor/item-editor.ts';
import { find, setText } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';
import { createRow } from './item-row.ts';
import type { List } from './list.ts';

/** Shows the items of the list. It keeps rows, so the focus stays where it is. */
export function showList(service: Service, list: List, actions: ItemActions, composer: Composer) {
  const whole = find('items', HTMLUListElement);
  const rows = new Map<string, ReturnType<typeof createRow>>();
  const editors = new Map<string, ReturnType<typeof createEditor>>();

  function rowOf(item: Item) {
    const row = rows.get(item.id) ?? createRow(service, actions, edit);
    row.update(item);
    rows.set(item.id, row);
    return row;
  }

  /** Shows the current items. An item that is being edited stays, whatever happens to it. */
  function render(): void {
    const before = document.activeElement;
    const index = [...whole.children].findIndex((row) => row.contains(before));
    const wanted = list.shown.map(rowOf);
    for (const id of editors.keys()) {
      const row = rows.get(id);
      if (row === undefined || wanted.includes(row)) continue;
      wanted.splice([...whole.children].indexOf(row.element), 0, row);
    }
    for (const [id, row] of rows) {
      if (wanted.includes(row)) continue;
      row.element.remove();
      rows.delete(id);
    }
    for (const [at, { element }] of wanted.entries()) {
      const there = whole.children[at];
      if (there !== element) whole.insertBefore(element, there ?? null);
    }
    whole.ariaBusy = String(list.isLoading);
    if (index !== -1 && document.activeElement !== before) restoreFocus(before, index);
  }

  function explain(): void {
    const { problem, shown, query, hasLoaded, isOffline } = list;
    const isTold = statusOf(problem) === 0 && isOffline;
    const sentence = problem === undefined || isTold ? '' : sentenceOf(problem);
    setText(find('list-problem', HTMLElement), sentence);
    find('empty', HTMLElement).hidden = problem !== undefined || shown.length > 0;
    const nothing = query.isWhole ? 'Nothing to do yet.' : 'No items match.';
    setText(find('empty-text', HTMLElement), hasLoaded ? nothing : 'Loading\u2026');
    find('show-all', HTMLElement).hidden = query.isWhole || !hasLoaded;
  }

  /** Gives the focus back to a row that has moved; else to its neighbour, or to the composer. */
  function restoreFocus(before: Element | null, index: number): void {
    const neighbour = whole.children[Math.min(index, whole.children.length - 1)];
    const control = before?.closest<HTMLElement>('[data-control]')?.dataset.control;
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    else if (neighbour === undefined) composer.focus();
    else focusIn(neighbour, control);
  }

  function focusIn(row?: Element, control = 'edit'): void {
    const target = row?.querySelector(`[data-control="${control}"]`) ?? whole;
    if (target instanceof HTMLElement) target.focus();
  }

  /** Edits an item. What has been typed into other editors stays there. */
  function edit(item: Item): void {
    for (const other of editors.values()) other.leave();
    const opened = createEditor(service, composer, item, actions.settled(), (saved) => {
      if (editors.get(item.id) !== opened) return;
      const hadFocus = opened.element.contains(document.activeElement);
      editors.delete(item.id);
      rows.get(item.id)?.show();
      render();
      if (hadFocus) focusIn(rows.get(item.id)?.element);
      if (saved !== undefined) list.showResult(saved);
    });
    editors.set(item.id, opened);
    rows.get(item.id)?.show(opened.element);
    opened.focus();
  }

  for (const each of [render, explain]) list.addEventListener('change', each);
  list.onItemChange = (id, item) => editors.get(id)?.itemChanged(item);
  return { focus: (item?: Item) => focusIn(item && rows.get(item.id)?.element) };
}
