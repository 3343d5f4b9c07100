import type { Api } from '../api/api.ts';
import { COLLECTION, readTodo, type Todo, type TodoValues } from '../api/todo.ts';
import type { List } from './list.ts';

/** Changes items straight from the list, one request after the other. */
export class ItemActions {
  readonly #api: Api;
  readonly #list: List;
  readonly #onError: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(api: Api, list: List, onError: (error: unknown) => void) {
    this.#api = api;
    this.#list = list;
    this.#onError = onError;
  }

  /** Resolves when all changes requested so far are done. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** Sets some fields, whatever the values of the others are by now. */
  patch(todo: Todo, values: TodoValues): void {
    this.#next(async () => {
      const { text } = await this.#api.sendJson('PATCH', `${COLLECTION}/${todo.id}`, values, {
        mediaType: 'application/merge-patch+json',
      });
      this.#list.put(readTodo(text));
    });
  }

  /** Deletes an item, even if the page is closed meanwhile. */
  async delete(todo: Todo): Promise<void> {
    try {
      await this.#api.send('DELETE', `${COLLECTION}/${todo.id}`, { keepalive: true });
      this.#list.removed(todo.id);
    } catch (error) {
      this.#list.hide(todo.id, false);
      this.#onError(error);
    }
  }

  #next(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error) => {
      this.#onError(error);
      this.#list.refresh();
    });
  }
}
