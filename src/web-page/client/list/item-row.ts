import type { Todo } from '../api/todo.ts';
import { PriorityControl } from '../editor/priority.ts';
import { button, element, setAttributes, setText, show, visuallyHidden } from '../shared/dom.ts';

/** What a user can do with an item in the list. */
export interface RowActions {
  complete(todo: Todo, completed: boolean): void;
  prioritize(todo: Todo, priority: number): void;
  edit(todo: Todo): void;
  remove(todo: Todo): void;
}

/** How long a priority must stay the same before it is sent, in milliseconds. */
const SETTLE_MS = 300;

/** One item of the list. It keeps its elements when the item changes, and so the focus. */
export class ItemRow {
  readonly element = element('li');
  #todo: Todo;
  readonly #body: HTMLElement;
  readonly #done = element('input', { type: 'checkbox', 'data-control': 'done' });
  readonly #title = element('span', { dir: 'auto', class: 'title-text' });
  readonly #description = element('p', { class: 'description', dir: 'auto' });
  readonly #facts = element('p', { class: 'facts' });
  readonly #priority: PriorityControl;
  readonly #remove: HTMLButtonElement;
  #editor: HTMLElement | undefined;
  #settling: number | undefined;

  constructor(todo: Todo, actions: RowActions) {
    this.#todo = todo;
    this.#done.addEventListener('change', () => actions.complete(this.#todo, this.#done.checked));
    const settled = () => {
      clearTimeout(this.#settling);
      if (this.#settling === undefined) return;
      this.#settling = undefined;
      actions.prioritize(this.#todo, this.#priority.value);
    };
    this.#priority = new PriorityControl('', todo.priority, () => {
      clearTimeout(this.#settling);
      this.#settling = setTimeout(settled, SETTLE_MS);
    });
    const edit = button({ class: 'title', 'data-control': 'edit' }, visuallyHidden('Edit '), () => {
      settled();
      actions.edit(this.#shown);
    });
    edit.append(this.#title);
    this.#remove = button({ class: 'remove', 'data-control': 'remove' }, '\u00d7', () =>
      actions.remove(this.#todo),
    );
    const tick = element('label', { class: 'tick' }, this.#done);
    const text = element('div', { class: 'text' }, edit, this.#description, this.#facts);
    this.#body = element('div', { class: 'row' }, tick, text, this.#priority.element, this.#remove);
    this.element.append(this.#body);
    this.update(todo);
  }

  /** Shows the item as it is now. */
  update(todo: Todo): void {
    this.#todo = todo;
    const { id, title, description, completed, priority, createdAt } = todo;
    const name = title.trim() === '' ? `item ${id}` : title;
    this.element.dataset.id = id;
    this.element.classList.toggle('completed', completed);
    this.#done.checked = completed;
    setAttributes(this.#done, { 'aria-label': `Done: ${name}` });
    setText(this.#title, title.trim() === '' ? '(blank)' : title);
    setText(this.#description, description ?? 'null');
    this.#description.classList.toggle('is-null', description === null);
    show(this.#description, description !== '');
    setText(this.#facts, createdAt === undefined ? `#${id}` : `#${id} \u00b7 ${timeOf(createdAt)}`);
    setAttributes(this.#facts, { title: createdAt && `createdAt ${createdAt}` });
    this.#priority.rename(`Priority of ${name}`);
    if (this.#settling === undefined) this.#priority.value = priority;
    setAttributes(this.#remove, { 'aria-label': `Delete ${name}`, title: 'Delete' });
  }

  /** The item as the user sees it, with changes that are still being sent. */
  get #shown(): Todo {
    const { checked: completed } = this.#done;
    return { ...this.#todo, completed, priority: this.#priority.value };
  }

  /** Puts an editor in place of the item. */
  startEditing(editor: HTMLElement): void {
    this.#editor = editor;
    show(this.#body, false);
    this.element.append(editor);
  }

  stopEditing(): void {
    this.#editor?.remove();
    this.#editor = undefined;
    show(this.#body, true);
  }

  get isEditing(): boolean {
    return this.#editor !== undefined;
  }
}

/** A local date-time to the minute, as the service wrote it: it has no zone to convert from. */
function timeOf(createdAt: string): string {
  return createdAt.slice(0, 16).replace('T', ' ');
}
