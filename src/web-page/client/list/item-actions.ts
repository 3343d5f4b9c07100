import { sentenceOf } from '../api/exchange.ts';
import type { Field, Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { element } from '../shared/dom.ts';
import { announce, find, itemsText, showMessage, whileBusy } from '../shared/page.ts';
import { confirmDeletion } from './confirm-dialog.ts';
import type { List } from './list.ts';
import { createOutcomeBar } from './outcome-bar.ts';

/** Changes items straight from the list. Each change is sent at once; its errors are messages. */
export type ItemActions = ReturnType<typeof createItemActions>;

export function createItemActions(service: Service, list: List) {
  const bar = createOutcomeBar();

  async function run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The request may have arrived although there was no response.
      showMessage(sentenceOf(error, 'The change may not have been made.'));
      list.refresh();
    }
  }

  /** Offers to create an item again: by POST, then by PATCH for the fields that POST ignores. */
  function offerRestoring(item: Item): void {
    let created: Item | undefined;
    const restore = async () => {
      created ??= await service.createLike(item);
      const rest = service.changesTo(item, created);
      if (Object.keys(rest).length > 0) {
        created = await service.patch(created.id, rest, created.tag);
      }
      const { id } = created;
      const link = element('a', { href: `?${service.idName}=${id}` }, `item ${id}`);
      bar.show(['Restored as ', link]);
      list.showResult(created);
    };
    bar.show(['Deleted: ', element('bdi', {}, item.name)], () => run(restore));
  }

  /** Offers to delete items that were added together. After a failure, the others stay offered. */
  function offerRemoving(ids: readonly string[]): void {
    let left = ids;
    const remove = async () => {
      while (left.length > 0) left = await service.removeCreated(left);
      bar.show([`Undone: ${itemsText(ids.length)}`]);
      await list.load();
    };
    bar.show([`Added: ${itemsText(ids.length)}`], () => run(remove));
  }

  /** Shows or hides a button. A hidden one gives the focus to the list. */
  function showButton(button: HTMLButtonElement, isShown: boolean): void {
    if (!isShown && document.activeElement === button) find('items', HTMLElement).focus();
    button.hidden = !isShown;
  }

  /** Sets up the buttons for all items, on every page, that are open or done. */
  function addButtons({ name }: Field): void {
    const tick = find('tick-all', HTMLButtonElement);
    const clear = find('clear-done', HTMLButtonElement);
    const tickAll = async (path: string) => {
      const count = await service.patchAll(path, { [name]: true });
      bar.show([`Ticked: ${itemsText(count)}`]);
      await list.load();
    };
    const clearDone = async (path: string) => {
      const count = await service.removeAll(path);
      bar.show([`Deleted: ${itemsText(count)}`]);
      await list.load();
    };
    tick.addEventListener('click', () => {
      const path = list.query.selectionPath([name, 'false']);
      return whileBusy(tick, 'Ticking\u2026', () => run(() => tickAll(path)));
    });
    clear.addEventListener('click', () => {
      const path = list.query.selectionPath([name, 'true']);
      return run(async () => {
        const isConfirmed = await confirmDeletion(await service.count(path));
        if (isConfirmed) await whileBusy(clear, 'Deleting\u2026', () => clearDone(path));
      });
    });
    list.addEventListener('change', () => {
      const { query, items, total } = list;
      const isPart = items.length < total;
      const isDone = ({ values }: Item) => values[name] === true;
      showButton(tick, query.get(name) !== 'true' && (isPart || !items.every(isDone)));
      showButton(clear, query.get(name) !== 'false' && (isPart || items.some(isDone)));
    });
  }

  if (service.done !== undefined) addButtons(service.done);
  // Ids mean other items then.
  list.addEventListener('reset', bar.close);
  return {
    patch: ({ id }: Item, values: Values) =>
      run(async () => list.showResult(await service.patch(id, values))),
    /** Deletes an item if it is as the list shows it. */
    remove: (item: Item) =>
      run(async () => {
        const current = await service.fetchItem(item.id);
        if (service.differences(item, current).length > 0) {
          list.showResult(current);
          throw new Error('This item has just been changed, so it was not deleted.');
        }
        await service.remove(current);
        list.removeItem(item.id);
        offerRestoring(current);
      }),
    /** Shows items that were created. If they are several, they can be deleted again at once. */
    created(items: readonly Item[]): void {
      list.refresh();
      if (items.length > 1) offerRemoving(items.map(({ id }) => id));
      else announce(`Added: ${items.map(({ name }) => name)}`);
    },
  };
}
