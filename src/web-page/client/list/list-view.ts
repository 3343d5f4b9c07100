import type { Api } from '../api/api.ts';
import type { Values } from '../api/field.ts';
import type { Item } from '../api/item.ts';
import type { Service } from '../api/service.ts';
import { createEditor, type ItemEditor } from '../editor/item-editor.ts';
import { find } from '../shared/dom.ts';
import type { ItemActions } from './item-actions.ts';
import { createRow, type ItemRow } from './item-row.ts';
import type { List } from './list.ts';

/** The item that is being edited, its row and its editor. */
interface Editing {
  readonly id: string;
  readonly row: ItemRow;
  readonly editor: ItemEditor;
}

/** What the list view reports. */
export interface ListViewObserver {
  /** The user wants a new item with the values of one that somebody else has deleted. */
  rescued(values: Values): void;
  /** The row with the focus is gone, and there is no other. */
  emptied(): void;
}

/** The items of the list as one sees them. */
export interface ListView {
  /** Shows the current items. An item that is being edited stays, whatever happens to it. */
  render(): void;
  /** An item was changed, or deleted if there is none, no matter by whom. */
  itemChanged(id: string, item?: Item): void;
  /** Moves the focus to an item, or else to the whole list. */
  focus(item?: Item): void;
}

/** Shows the items of the list. It keeps rows, so the focus stays where it is. */
export function createListView(
  api: Api,
  service: Service,
  list: List,
  actions: ItemActions,
  observer: ListViewObserver,
): ListView {
  const whole = find('items', HTMLUListElement);
  const rows = new Map<string, ItemRow>();
  let editing: Editing | undefined;
  const rowActions = {
    patch: (item: Item, values: Values) => actions.patch(item, values),
    remove: (item: Item) => actions.remove(item),
    edit,
  };

  function rowOf(item: Item): ItemRow {
    const known = rows.get(item.id);
    known?.update(item);
    const row = known ?? createRow(service, item, rowActions);
    rows.set(item.id, row);
    return row;
  }

  function render(): void {
    const before = document.activeElement;
    const index = [...whole.children].findIndex((row) => row.contains(before));
    const wanted = list.shown.map(rowOf);
    if (editing && !wanted.includes(editing.row)) {
      wanted.splice([...whole.children].indexOf(editing.row.element), 0, editing.row);
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

  /** A row loses the focus when it moves, so give it back; if the row is gone, to its neighbour. */
  function restoreFocus(before: Element | null, index: number): void {
    const neighbour = whole.children[Math.min(index, whole.children.length - 1)];
    const control = before?.closest('[data-control]')?.getAttribute('data-control');
    if (before instanceof HTMLElement && before.isConnected) before.focus();
    else if (neighbour === undefined) observer.emptied();
    else focusControl(neighbour, control ?? 'edit');
  }

  function focusControl(row: Element | undefined, control: string): void {
    const target = row?.querySelector(`[data-control="${control}"]`);
    if (target instanceof HTMLElement) target.focus();
  }

  function edit(item: Item): void {
    const row = rows.get(item.id);
    if (row === undefined) return;
    stopEditing();
    const close = () => {
      stopEditing();
      render();
      const next = rows.get(item.id) ?? [...rows.values()][0];
      focusControl(next?.element, 'edit');
    };
    const editor = createEditor(api, service, item, actions.settled(), {
      saved(saved) {
        close();
        list.put(saved);
      },
      closed: close,
      rescued(values) {
        stopEditing();
        render();
        observer.rescued(values);
      },
    });
    editing = { id: item.id, row, editor };
    row.show(editor.element);
    editor.focus();
  }

  function stopEditing(): void {
    editing?.row.show();
    editing = undefined;
  }

  return {
    render,
    itemChanged(id, item) {
      if (editing?.id === id) editing.editor.itemChanged(item);
    },
    focus(item) {
      const row = item && rows.get(item.id);
      if (row === undefined) whole.focus();
      else focusControl(row.element, 'edit');
    },
  };
}
