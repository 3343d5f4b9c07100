import type { Api } from '../api/api.ts';
import type { Values } from '../api/field.ts';
import type { Item } from '../api/item.ts';
import type { Service } from '../api/service.ts';
import { announce } from '../shared/status.ts';
import type { List } from './list.ts';
import { createUndoBar, type Deletion, type UndoBar } from './undo.ts';

/** What changes straight from the list report. */
export interface ActionObserver {
  failed(error: unknown): void;
  /** Items are shown again that were about to be deleted; it is there if it is a single one. */
  restored(item?: Item): void;
}

/** Changes items straight from the list, one request after the other. */
export class ItemActions {
  readonly #api: Api;
  readonly #service: Service;
  readonly #list: List;
  readonly #observer: ActionObserver;
  readonly #undoBar: UndoBar;
  #last: Promise<unknown> = Promise.resolve();

  constructor(api: Api, service: Service, list: List, observer: ActionObserver) {
    this.#api = api;
    this.#service = service;
    this.#list = list;
    this.#observer = observer;
    this.#undoBar = createUndoBar({
      // Later changes wait for it, but it waits for nothing: the page may be closing.
      confirmed: (deletion) => {
        this.#last = Promise.all([this.#last, this.#delete(deletion)]);
      },
      undone: (deletion) => {
        list.unhide(deletion);
        observer.restored(deletion.item);
        announce(`Restored: ${deletion.name}`);
      },
    });
  }

  /** Sets some fields, whatever the values of the others are by now. */
  patch({ id }: Item, values: Values): Promise<void> {
    const done = this.settled().then(async () => {
      try {
        const { text } = await this.#api.sendJson('PATCH', this.#service.itemPath(id), values);
        this.#list.put(this.#service.readItem(text));
      } catch (error) {
        this.#observer.failed(error);
        this.#list.refresh();
      }
    });
    this.#last = done;
    return done;
  }

  /**
   * Resolves when all changes requested so far are done. A deletion of everything that is done
   * happens now, so that it does not extend to what is changed next.
   */
  settled(): Promise<unknown> {
    this.#undoBar.confirmMany();
    return this.#last;
  }

  /** Deletes an item unless that is undone. */
  remove(item: Item): void {
    const { id, name } = item;
    this.#begin({ name, item, path: this.#service.itemPath(id), has: (each) => each.id === id });
  }

  /** Whether the service can delete everything that is done, and there may be something. */
  get canClear(): boolean {
    const { canDeleteMany, done } = this.#service;
    const { query, shown, shownTotal } = this.#list;
    if (!canDeleteMany || done === undefined || query.get(done.name) === 'false') return false;
    return shown.length < shownTotal || shown.some(({ values }) => values[done.name] === true);
  }

  /** Deletes everything that is done and matches what is shown, unless that is undone. */
  clearDone(): void {
    const { name = '' } = this.#service.done ?? {};
    this.#begin({
      name: 'everything done',
      path: this.#list.query.deletePath([name, 'true']),
      has: ({ values }) => values[name] === true,
      rest: [name, 'false'],
    });
  }

  #begin(deletion: Deletion): void {
    this.#undoBar.begin(deletion);
    this.#list.hide(deletion);
  }

  async #delete(deletion: Deletion): Promise<void> {
    try {
      await this.#api.send('DELETE', deletion.path, { keepalive: true });
      this.#list.deleted(deletion);
    } catch (error) {
      this.#list.unhide(deletion);
      this.#observer.failed(error);
    }
  }
}
