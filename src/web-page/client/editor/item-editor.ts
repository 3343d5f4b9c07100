import type { Api } from '../api/api.ts';
import { ProblemError } from '../api/problem.ts';
import { COLLECTION, differences, readTodo, type Todo, type TodoValues } from '../api/todo.ts';
import { button, element, show } from '../shared/dom.ts';
import { ItemFields } from './item-fields.ts';

/** What an editor reports. */
export interface EditorObserver {
  saved(todo: Todo): void;
  closed(): void;
  /** Somebody else has deleted the item; the user wants a new one with the typed values. */
  rescued(values: { title: string; description: string | null; priority: number }): void;
}

/** A fetched item and its entity tag. */
interface Fetched {
  readonly todo: Todo;
  readonly tag: string;
}

/**
 * Edits an item in its place in the list. Saving succeeds only if the item is as it was when
 * editing began (`If-Match`). If somebody else has changed it, the editor shows what, and the user
 * decides.
 */
export class ItemEditor {
  readonly element: HTMLFormElement;
  readonly #api: Api;
  readonly #path: string;
  readonly #observer: EditorObserver;
  readonly #fields: ItemFields;
  readonly #notice = element('div', { class: 'notice', role: 'alert', hidden: true });
  /** The item that the fields were filled from. */
  #base: Todo;
  #fetched: Promise<Fetched | undefined>;
  /** Why the item could not be fetched. */
  #failure: unknown;
  #isBusy = false;

  /** @param settled resolves when earlier changes to the item are done */
  constructor(
    api: Api,
    todo: Todo,
    isNullable: boolean,
    settled: Promise<void>,
    observer: EditorObserver,
  ) {
    this.#api = api;
    this.#path = `${COLLECTION}/${todo.id}`;
    this.#base = todo;
    this.#observer = observer;
    this.#fields = new ItemFields(isNullable, 'Title');
    this.#fields.values = todo;
    const { titleField, otherFields, general } = this.#fields;
    this.element = element(
      'form',
      { class: 'editor', novalidate: true, 'aria-label': `Edit item ${todo.id}` },
      titleField,
      otherFields,
      this.#notice,
      general,
      element(
        'div',
        { class: 'buttons' },
        element('button', { class: 'primary' }, 'Save'),
        button({}, 'Cancel', () => observer.closed()),
      ),
    );
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save();
    });
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.#fetched = settled.then(() => this.#fetch(true));
  }

  focus(): void {
    this.#fields.title.focus();
  }

  /** The item was changed or deleted while it was being edited, possibly by this editor. */
  changedElsewhere(todo: Todo | undefined): void {
    if (this.#isBusy) return;
    if (todo === undefined) this.#showDeleted();
    else if (differences(this.#base, todo).length > 0) this.#fetched = this.#fetch();
  }

  /**
   * Fetches the item, and shows how it differs from what the fields were filled from.
   * @param isFirst whether editing has just begun: the list may have been out of date, so untouched
   * fields are filled again
   */
  async #fetch(isFirst = false): Promise<Fetched | undefined> {
    try {
      const headers = [['Accept', 'application/json']] as const;
      const { text, headers: fields } = await this.#api.send('GET', this.#path, { headers });
      const fetched = { todo: readTodo(text), tag: fields.get('ETag') ?? '' };
      if (isFirst) this.#takeOver(fetched.todo);
      if (differences(this.#base, fetched.todo).length > 0) this.#showChanged(fetched.todo);
      return fetched;
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404) this.#showDeleted();
      this.#failure = error;
      return undefined;
    }
  }

  #takeOver(todo: Todo): void {
    const { touched } = this.#fields;
    if (Object.keys(touched).length > 0) return;
    this.#base = todo;
    this.#fields.values = todo;
  }

  async #save(): Promise<void> {
    if (this.#isBusy) return;
    if (!this.#notice.hidden) {
      this.#notice.querySelector('button')?.focus();
      return;
    }
    const values = this.#fields.touched;
    if (Object.keys(values).length === 0) {
      this.#observer.closed();
      return;
    }
    this.#isBusy = true;
    try {
      await this.#send(values);
    } finally {
      this.#isBusy = false;
    }
  }

  async #send(values: TodoValues): Promise<void> {
    const fetched = (await this.#fetched) ?? (await this.#fetch());
    if (!this.#notice.hidden) return;
    if (fetched === undefined) {
      this.#fields.showError(this.#failure);
      return;
    }
    this.#fetched = Promise.resolve(fetched);
    try {
      const { text } = await this.#api.sendJson('PATCH', this.#path, values, {
        mediaType: 'application/merge-patch+json',
        headers: [['If-Match', fetched.tag]],
      });
      this.#observer.saved(readTodo(text));
    } catch (error) {
      const status = error instanceof ProblemError ? error.status : 0;
      if (status === 412) this.#fetched = this.#fetch();
      else if (status === 404) this.#showDeleted();
      else this.#fields.showError(error);
    }
  }

  #showChanged(theirs: Todo): void {
    const rows = differences(this.#base, theirs).flatMap((name) => [
      element('dt', {}, name),
      element('dd', { dir: 'auto' }, String(theirs[name])),
    ]);
    this.#showNotice(
      'Somebody else has changed this item meanwhile. It is now:',
      [element('dl', {}, ...rows)],
      button({}, 'Take theirs', () => {
        this.#base = theirs;
        this.#fields.values = theirs;
        this.#hideNotice();
      }),
      button({}, 'Keep mine', () => {
        this.#base = theirs;
        this.#fields.refill(theirs);
        this.#hideNotice();
      }),
    );
  }

  #showDeleted(): void {
    const { closed, rescued } = this.#observer;
    this.#showNotice(
      'Somebody else has deleted this item meanwhile.',
      [],
      button({}, 'Create it again', () => rescued(this.#fields.values)),
      button({}, 'Let it go', () => closed()),
    );
  }

  #showNotice(text: string, more: readonly Node[], ...buttons: readonly Node[]): void {
    const line = element('div', { class: 'buttons' }, ...buttons);
    this.#notice.replaceChildren(element('p', {}, text), ...more, line);
    this.#fields.clearErrors();
    show(this.#notice, true);
  }

  #hideNotice(): void {
    show(this.#notice, false);
    this.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#observer.closed();
    const isShortcut = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isShortcut && event.target !== this.#fields.title) this.element.requestSubmit();
  }
}
