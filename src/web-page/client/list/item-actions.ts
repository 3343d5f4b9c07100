import { sentenceOf } from '../api/api-request.ts';
import type { Field, Values } from '../api/item-field.ts';
import type { Item, Service } from '../api/service.ts';
import { element } from '../shared/dom.ts';
import {
  announce,
  find,
  itemsText,
  setShown,
  setText,
  showMessage,
  whileBusy,
} from '../shared/page.ts';
import { confirmAction } from './confirm-dialog.ts';
import type { List } from './item-list.ts';
import type { OutcomeBar } from './outcome-bar.ts';

const ALL_DONE = 'These are all done items that the search and the filters show, on every page.';

/** Changes items from the list. Sends each change immediately, and shows errors as messages. */
export type ItemActions = ReturnType<typeof createItemActions>;

export function createItemActions(service: Service, list: List, bar: OutcomeBar) {
  /** Shows an error. The request may have arrived although there was no response. */
  function fail(error: unknown): undefined {
    showMessage(sentenceOf(error, 'The change may not have been made.'));
  }

  /**
   * Runs a change, fetches the list again unless it shows the result already, then calls back. Shows
   * an error as a message.
   */
  async function run<T>(
    change: () => Promise<T>,
    report = (_: T): unknown => undefined,
    isShown = (_: T) => false,
  ): Promise<void> {
    try {
      const result = await change();
      if (!isShown(result)) await list.refresh();
      report(result);
    } catch (error) {
      fail(error);
      await list.refresh();
    }
  }

  /** Offers to create an item again. */
  function offerRestoring(item: Item): void {
    const restore = service.restorer(item);
    const report = ({ id }: Item) => {
      const link = element('a', { href: `?${service.idName}=${id}` }, `${service.words.one} ${id}`);
      bar.show(['Restored as ', link]);
    };
    bar.show(['Deleted: ', element('bdi', {}, item.name)], () => run(restore, report));
  }

  /** Offers to delete items that were added together. A failure keeps the offer. */
  function offerRemoving(items: readonly Item[]): void {
    const report = (kept: number) => {
      const undone = `Undone: ${itemsText(items.length - kept)}`;
      bar.show([
        kept === 0 ? undone : `${undone}. Kept, because changed since: ${itemsText(kept)}`,
      ]);
    };
    const remove = () => run(() => service.removeUnchanged(items), report);
    bar.show([`Added: ${itemsText(items.length)}`], remove);
  }

  /** Reports created items. Offers to delete them if there are several. */
  function reportCreated(items: readonly Item[]): void {
    if (items.length > 1) offerRemoving(items);
    else announce(`Added: ${items.map(({ name }) => name)}`);
  }

  /** Sets up the buttons for all items, on every page, that are open or done. */
  function addButtons({ name }: Field): void {
    const tick = find('tick-all');
    const clear = find('clear-done');
    tick.addEventListener('click', () => {
      const change = () => service.patchAll(list.query.openPath, { [name]: true });
      const report = (count: number) => bar.show([`Ticked: ${itemsText(count)}`]);
      return whileBusy(tick, () => run(change, report));
    });
    const clearDone = async (path: string) => {
      const count = await service.count(path).catch(fail);
      if (count === undefined) return;
      const title = `Delete ${itemsText(count, 'done ')}?`;
      if (!(await confirmAction(title, ALL_DONE, `Delete ${itemsText(count)}`))) return;
      const report = (count: number) => bar.show([`Deleted: ${itemsText(count)}`]);
      await run(() => service.removeAll(path), report);
    };
    clear.addEventListener('click', () => whileBusy(clear, () => clearDone(list.query.donePath)));
    list.addEventListener('change', () => {
      const { query, items, total } = list;
      const isPart = items.length < total;
      const isDone = ({ values }: Item) => values[name] === true;
      setShown(tick, query.get(name) !== 'true' && (isPart || !items.every(isDone)));
      setShown(clear, query.get(name) !== 'false' && (isPart || items.some(isDone)));
    });
  }

  if (service.done) addButtons(service.done);
  const samples = find('samples');
  const { samples: sampleItems } = service;
  setText(samples, `Add ${itemsText(sampleItems.length, 'sample ')}`);
  samples.addEventListener('click', () =>
    whileBusy(samples, () => run(() => service.create(sampleItems), reportCreated)),
  );
  // After a reset, ids stand for other items.
  list.addEventListener('reset', bar.listReset);
  return {
    patch: ({ id }: Item, values: Values) =>
      run(
        () => service.patch(id, values),
        undefined,
        (item) => list.isLive && list.put(item),
      ),
    /** Deletes an item if it has not changed since it was fetched. */
    remove: (item: Item) =>
      run(async () => {
        const current = await service.fetchItem(item.id);
        if (service.differences(item, current).length > 0) {
          throw new Error('This item has just been changed, so it was not deleted.');
        }
        await service.remove(current);
        return current;
      }, offerRestoring),
    /** Shows created items. */
    created: (items: readonly Item[]) => run(async () => items, reportCreated),
  };
}
