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
  let editor: ReturnType<typeof createEditor> | undefined;

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
    const edited = editor && rows.get(editor.id);
    if (edited && !wanted.includes(edited)) {
      wanted.splice([...whole.children].indexOf(edited.element), 0, edited);
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

  /** Says why there are no items. */
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

  /** Moves the focus to a control of a row, or else to the whole list. */
  function focusIn(row?: Element, control = 'edit'): void {
    const target = row?.querySelector(`[data-control="${control}"]`) ?? whole;
    if (target instanceof HTMLElement) target.focus();
  }

  function edit(item: Item): void {
    stopEditing();
    const opened = createEditor(service, composer, item, actions.settled(), (saved) => {
      if (editor !== opened) return;
      const hadFocus = opened.element.contains(document.activeElement);
      stopEditing();
      render();
      if (hadFocus) focusIn(rows.get(item.id)?.element);
      if (saved !== undefined) list.showResult(saved);
    });
    editor = opened;
    rows.get(item.id)?.show(opened.element);
    opened.focus();
  }

  function stopEditing(): void {
    if (editor !== undefined) rows.get(editor.id)?.show();
    editor = undefined;
  }

  for (const each of [render, explain]) list.addEventListener('change', each);
  list.onItemChange = (id, item) => editor?.id === id && editor.itemChanged(item);
  return { focus: (item?: Item) => focusIn(item && rows.get(item.id)?.element) };
}
