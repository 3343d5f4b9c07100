import type { Api } from '../api/api.ts';
import { COLLECTION, readTodo, type Todo } from '../api/todo.ts';
import { button, element, find, setText, show } from '../shared/dom.ts';
import { ItemFields } from './item-fields.ts';

/** The form that creates items. A title is enough; the other fields are behind a button. */
export class Composer {
  readonly #api: Api;
  readonly #fields: ItemFields;
  readonly #more: HTMLButtonElement;
  readonly #onCreated: (todo: Todo) => void;
  #isSending = false;

  constructor(api: Api, onCreated: (todo: Todo) => void) {
    this.#api = api;
    this.#onCreated = onCreated;
    this.#fields = new ItemFields(false, 'New item');
    const { titleField, otherFields, title, general } = this.#fields;
    title.placeholder = 'What is to be done?';
    otherFields.id = 'composer-details';
    show(otherFields, false);
    const control = { 'aria-expanded': 'false', 'aria-controls': otherFields.id };
    this.#more = button({ class: 'quiet', ...control }, 'Details', () => this.#toggle());
    const add = element('button', { class: 'primary' }, 'Add');
    const line = element('div', { class: 'line' }, titleField, this.#more, add);
    const form = find('composer', HTMLFormElement);
    form.replaceChildren(line, otherFields, general);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    form.addEventListener('keydown', (event) => {
      const isShortcut = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (isShortcut && event.target !== title) form.requestSubmit();
    });
  }

  focus(): void {
    this.#fields.title.focus();
  }

  /** Puts values into the form, such as those of an item that somebody else has deleted. */
  fill(values: { title: string; description: string | null; priority: number }): void {
    this.#fields.values = values;
    this.#toggle(true);
    this.focus();
  }

  #toggle(isOpen = this.#fields.otherFields.hidden !== false): void {
    show(this.#fields.otherFields, isOpen);
    this.#more.setAttribute('aria-expanded', String(isOpen));
    setText(this.#more, isOpen ? 'Less' : 'Details');
  }

  /** Fields that are hidden are not sent, so they take the service's defaults. */
  async #submit(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const { title, description, priority } = this.#fields.values;
    const isOpen = !this.#fields.otherFields.hidden;
    const values = isOpen ? { title, description, priority } : { title };
    try {
      const { text } = await this.#api.sendJson('POST', COLLECTION, values);
      this.#fields.clearErrors();
      if (this.#fields.title.value === title) this.#fields.values = {};
      this.#onCreated(readTodo(text));
      this.focus();
    } catch (error) {
      this.#fields.showError(error);
    } finally {
      this.#isSending = false;
    }
  }
}
