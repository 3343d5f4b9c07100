import type { Api } from '../api/api.ts';
import type { Todo } from '../api/todo.ts';
import { type EditorObserver, ItemEditor } from '../editor/item-editor.ts';
import { find } from '../shared/dom.ts';
import { ItemRow, type RowActions } from './item-row.ts';
import type { List } from './list.ts';

/** The item that is being edited, its row and its editor. */
interface Editing {
  readonly id: string;
  readonly row: ItemRow;
  readonly editor: ItemEditor;
}

/** What the list view needs from the rest of the page. */
export interface ListContext {
  readonly actions: Omit<RowActions, 'edit'>;
  /** Whether a description may be null. */
  isNullable(): boolean;
  /** Resolves when all requested changes to items are done. */
  settled(): Promise<void>;
  readonly rescued: EditorObserver['rescued'];
  /** The row with the focus is gone, and there is no other. */
  emptied(): void;
}

/** Shows the items of the list. It keeps rows, so the focus stays where it is. */
export class ListView {
  readonly #api: Api;
  readonly #list: List;
  readonly #context: ListContext;
  readonly #actions: RowActions;
  readonly #element = find('items', HTMLUListElement);
  readonly #rows = new Map<string, ItemRow>();
  #editing: Editing | undefined;

  constructor(api: Api, list: List, context: ListContext) {
    this.#api = api;
    this.#list = list;
    this.#context = context;
    this.#actions = { ...context.actions, edit: (todo) => this.#edit(todo) };
  }

  /** Shows the current items. An item that is being edited stays, whatever happens to it. */
  render(): void {
    const focused = document.activeElement;
    const { shown } = this.#list;
    const place = this.#placeOf(focused);
    const wanted = shown.map((todo) => this.#rowFor(todo));
    this.#keepEditing(wanted);
    const kept = new Set(wanted);
    for (const [id, row] of this.#rows) {
      if (kept.has(row)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    for (const [index, { element }] of wanted.entries()) {
      const there = this.#element.children[index];
      if (there !== element) this.#element.insertBefore(element, there ?? null);
    }
    this.#element.setAttribute('aria-busy', String(this.#list.isLoading));
    this.#restoreFocus(focused, place);
  }

  /** An item was changed or deleted, no matter by whom. */
  itemChanged(id: string, todo: Todo | undefined): void {
    if (this.#editing?.id === id) this.#editing.editor.changedElsewhere(todo);
  }

  /** Moves the focus to an item. */
  focusItem(id: string): void {
    this.#focusControl(this.#rows.get(id)?.element, 'edit');
  }

  #rowFor(todo: Todo): ItemRow {
    const known = this.#rows.get(todo.id);
    if (known !== undefined) {
      known.update(todo);
      return known;
    }
    const row = new ItemRow(todo, this.#actions);
    this.#rows.set(todo.id, row);
    return row;
  }

  #keepEditing(wanted: ItemRow[]): void {
    const row = this.#editing?.row;
    if (row === undefined || wanted.includes(row)) return;
    const index = [...this.#element.children].indexOf(row.element);
    wanted.splice(index, 0, row);
  }

  #edit(todo: Todo): void {
    const row = this.#rows.get(todo.id);
    if (row === undefined) return;
    this.#stopEditing();
    const { isNullable, settled, rescued } = this.#context;
    const editor = new ItemEditor(this.#api, todo, isNullable(), settled(), {
      saved: (saved) => {
        this.#close(todo.id);
        this.#list.put(saved);
      },
      closed: () => this.#close(todo.id),
      rescued: (values) => {
        this.#stopEditing();
        this.render();
        rescued(values);
      },
    });
    this.#editing = { id: todo.id, row, editor };
    row.startEditing(editor.element);
    editor.focus();
  }

  #close(id: string): void {
    this.#stopEditing();
    this.render();
    const row = this.#rows.get(id) ?? [...this.#rows.values()][0];
    this.#focusControl(row?.element, 'edit');
  }

  #stopEditing(): void {
    this.#editing?.row.stopEditing();
    this.#editing = undefined;
  }

  /** Which row has the focus, and which of its controls. */
  #placeOf(focused: Element | null): { index: number; control: string } | undefined {
    const row = focused?.closest('#items > li');
    if (row == null) return undefined;
    const control = focused?.closest('[data-control]')?.getAttribute('data-control') ?? 'edit';
    return { index: [...this.#element.children].indexOf(row), control };
  }

  /** A row loses the focus when it moves, so give it back; if the row is gone, to its neighbour. */
  #restoreFocus(
    focused: Element | null,
    place: { index: number; control: string } | undefined,
  ): void {
    if (place === undefined || document.activeElement === focused) return;
    if (focused instanceof HTMLElement && focused.isConnected) {
      focused.focus();
      return;
    }
    const { children } = this.#element;
    const neighbour = children[Math.min(place.index, children.length - 1)];
    if (neighbour === undefined) this.#context.emptied();
    else this.#focusControl(neighbour, place.control);
  }

  #focusControl(row: Element | undefined, control: string): void {
    const target = row?.querySelector(`[data-control="${control}"]`);
    if (target instanceof HTMLElement) target.focus();
  }
}
