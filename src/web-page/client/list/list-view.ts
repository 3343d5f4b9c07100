import { sentenceOf } from '../api/api-request.ts';
import type { Item, Service } from '../api/service.ts';
import { openEditor } from '../editor/item-editor.ts';
import { find, setShown, setText, showMessage } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';
import type { List } from './item-list.ts';
import { createRow } from './item-row.ts';

/** Shows the items of the list. It keeps rows, so the focus stays where it is. */
export function showList(service: Service, list: List, actions: ItemActions): void {
  const listElement = find('items', HTMLUListElement);
  let rows: ReadonlyMap<string, ReturnType<typeof createRow>> = new Map();

  async function edit({ id }: Item): Promise<void> {
    try {
      await openEditor(service, id, () => list.refresh());
    } catch (error) {
      showMessage(sentenceOf(error));
      await list.refresh();
    }
  }

  function render(): void {
    const before = document.activeElement;
    const index = [...listElement.children].findIndex((row) => row.contains(before));
    const previous = rows;
    rows = new Map(
      list.items.map((item) => {
        const row = previous.get(item.id) ?? createRow(service, actions, edit);
        row.update(item);
        return [item.id, row];
      }),
    );
    for (const [id, { element }] of previous) if (!rows.has(id)) element.remove();
    // Moves only rows in the wrong place, because moving a row takes its focus.
    for (const [at, { element }] of [...rows.values()].entries()) {
      const current = listElement.children[at];
      if (current !== element) listElement.insertBefore(element, current ?? null);
    }
    listElement.ariaBusy = String(list.isLoading);
    if (index !== -1 && document.activeElement !== before) restoreFocus(before, index);
  }

  /** Gives the focus back to a row that has moved; else to its neighbour, or to the list. */
  function restoreFocus(before: Element | null, index: number): void {
    const neighbour = listElement.children[Math.min(index, listElement.children.length - 1)];
    const control = before?.getAttribute('data-control') ?? 'edit';
    const sameControl = neighbour?.querySelector(`[data-control="${control}"]`);
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    else if (sameControl instanceof HTMLElement) sameControl.focus();
    else listElement.focus();
  }

  function explain(): void {
    const { problem, items, total, query, hasLoaded } = list;
    setText(find('list-problem'), problem === undefined ? '' : sentenceOf(problem));
    const isListEmpty = query.isUnfiltered && total === 0;
    const { none, many } = service.words;
    const nothing = isListEmpty ? none : `No ${many} match.`;
    setText(find('empty-text'), hasLoaded ? nothing : 'Loading\u2026');
    find('show-all').hidden = isListEmpty || !hasLoaded;
    setShown(find('samples'), isListEmpty && hasLoaded && service.samples.length > 0);
    setShown(find('empty'), problem === undefined && items.length === 0);
  }

  for (const each of [render, explain]) list.addEventListener('change', each);
}
