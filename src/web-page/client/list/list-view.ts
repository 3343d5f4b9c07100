import { sentenceOf, statusOf } from '../api/exchange.ts';
import type { Item, Service } from '../api/service.ts';
import type { Composer } from '../editor/composer.ts';
import { type Editor, openEditor } from '../editor/item-editor.ts';
import { find, setText, showMessage } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';
import { createRow } from './item-row.ts';
import type { List } from './list.ts';

/** Shows the items of the list. It keeps rows, so the focus stays where it is. */
export function showList(service: Service, list: List, actions: ItemActions, composer: Composer) {
  const whole = find('items', HTMLUListElement);
  const rows = new Map<string, ReturnType<typeof createRow>>();
  const editors = new Map<string, Editor>();

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
    const wanted = list.items.map(rowOf);
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
    const { problem, items, query, hasLoaded, isOffline } = list;
    const isTold = statusOf(problem) === 0 && isOffline;
    const sentence = problem === undefined || isTold ? '' : sentenceOf(problem);
    setText(find('list-problem', HTMLElement), sentence);
    find('empty', HTMLElement).hidden = problem !== undefined || items.length > 0;
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

  /** Edits an item. Text in other editors stays there. */
  async function edit({ id }: Item): Promise<void> {
    for (const other of editors.values()) other.leave();
    const close = (saved?: Item) => {
      if (editors.get(id) !== opened) return;
      const hadFocus = opened?.element.contains(document.activeElement);
      editors.delete(id);
      rows.get(id)?.show();
      render();
      if (hadFocus) focusIn(rows.get(id)?.element);
      if (saved !== undefined) list.showResult(saved);
    };
    const opened = await openEditor(service, composer, id, close).catch((error) => {
      showMessage(sentenceOf(error));
      list.refresh();
    });
    const row = rows.get(id);
    if (!opened || row === undefined) return;
    const hasFocus = row.element.contains(document.activeElement);
    editors.set(id, opened);
    row.show(opened.element);
    if (hasFocus) opened.focus();
  }

  for (const each of [render, explain]) list.addEventListener('change', each);
  list.addEventListener('reset', () => {
    for (const row of rows.values()) row.dropUnsent();
  });
  list.onItemChange = (id, item) => editors.get(id)?.itemChanged(item);
}
