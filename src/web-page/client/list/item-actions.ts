import { sentenceOf } from '../api/exchange.ts';
import type { Field, Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { announce, find, itemsText, showMessage, whileBusy } from '../shared/page.ts';
import type { Deletion, List } from './list.ts';
import { createUndoBar } from './undo-bar.ts';

/** Changes items straight from the list, one request after the other. */
export type ItemActions = ReturnType<typeof createItemActions>;

/**
 * A deletion is held back as long as it can be undone; further requests undo all other changes.
 * @param restored called when a deletion is undone, with its first item
 */
export function createItemActions(service: Service, list: List, restored: (item?: Item) => void) {
  const bar = createUndoBar();
  let last: Promise<unknown> = Promise.resolve();
  let held: Deletion | undefined;
  let resets = 0;

  /**
   * Makes a change after a pause and the changes before it, or as the page is hidden; resolves when
   * it is done, or has failed. A reset drops what still waits: its ids mean other items then.
   */
  async function change(work: () => Promise<unknown>, pauseMs = 0): Promise<void> {
    const asked = resets;
    const pause = new Promise((resolve) => setTimeout(resolve, pauseMs));
    // A page that closes is hidden; phones end hidden pages without another event.
    const hidden = new Promise((resolve) =>
      document.addEventListener('visibilitychange', resolve, { once: true }),
    );
    last = Promise.race([Promise.all([settled(), pause]), hidden])
      .then(() => asked === resets && work())
      .catch(failed);
    await last;
  }

  /** Resolves when all changes requested so far are done. */
  function settled(): Promise<unknown> {
    // A deletion of all that is done must not extend to what is changed next.
    if (held?.rest !== undefined) bar.confirm();
    return last;
  }

  function failed(error: unknown): void {
    // The request may have arrived although there was no response.
    showMessage(sentenceOf(error, 'The change may not have been made.'));
    list.refresh();
  }

  /** Hides what is deleted, and deletes it once that can no longer be undone. */
  function holdBack(name: string, deletion: Deletion): void {
    const { path, has } = deletion;
    const undo = () => {
      held = undefined;
      list.setHidden(deletion, false);
      restored(list.shown.find(has));
      announce(`Restored: ${name}`);
    };
    const confirm = () => {
      held = undefined;
      const sent = service.remove(path).then(() => list.removeItems(deletion));
      const ended = sent.catch(failed).then(() => list.setHidden(deletion, false));
      // Later changes wait for it, but it waits for nothing: the page may be closing.
      last = Promise.all([last, ended]);
    };
    bar.offer('Deleted', name, undo, confirm);
    held = deletion;
    list.setHidden(deletion, true);
  }

  /** Offers to undo a change of several items. What is left when that fails is offered again. */
  function offerUndo(what: string, ids: readonly string[], send: Service['remove']): void {
    const undo = async () => {
      let left = ids;
      try {
        while (left.length > 0) {
          const { path, count } = service.selection(left);
          await send(path);
          left = left.slice(count);
        }
        announce(`Undone: ${itemsText(ids.length)}`);
      } catch (error) {
        offerUndo(what, left, send);
        throw error;
      }
      await list.load();
    };
    bar.offer(what, itemsText(ids.length), () => change(undo));
  }

  /** Shows or hides a button. One that is hidden gives the focus to the list. */
  function show(button: HTMLButtonElement, isShown: boolean): void {
    if (!isShown && document.activeElement === button) find('items', HTMLElement).focus();
    button.hidden = !isShown;
  }

  /** Makes the buttons for all items that are open, and for all that are done, on every page. */
  function addButtons({ name }: Field): void {
    const tick = find('tick-all', HTMLButtonElement);
    const clear = find('clear-done', HTMLButtonElement);
    const isDone = ({ values }: Item) => values[name] === true;
    const tickAll = async (path: string) => {
      const { text } = await service.get(path);
      const ids = service.readItems(text).map(({ id }) => id);
      // Not those that somebody has added since: they could not be undone.
      const known = `${path}&${service.idName}.lte=${ids.at(-1) ?? 0}`;
      await service.patchAll(known, { [name]: true });
      offerUndo('Done', ids, (some) => service.patchAll(some, { [name]: false }));
      await list.load();
    };
    tick.addEventListener('click', () => {
      const path = list.query.selectionPath([name, 'false']);
      return whileBusy(tick, 'Marking\u2026', () => change(() => tickAll(path)));
    });
    clear.addEventListener('click', () => {
      const path = list.query.selectionPath([name, 'true']);
      holdBack('everything done', { path, has: isDone, rest: [name, 'false'] });
    });
    list.addEventListener('change', () => {
      const { query, shown, shownTotal } = list;
      const chosen = query.get(name);
      const isPart = shown.length < shownTotal;
      show(tick, chosen !== 'true' && (isPart || !shown.every(isDone)));
      show(clear, chosen !== 'false' && (isPart || shown.some(isDone)));
    });
  }

  if (service.done !== undefined) addButtons(service.done);
  list.addEventListener('reset', () => {
    resets++;
    bar.withdraw();
    if (held !== undefined) list.setHidden(held, false);
    held = undefined;
  });
  return {
    settled,
    /** Sets fields of an item after a pause, if that is still wanted then. */
    patch({ id }: Item, values: Values, isWanted: () => boolean, pauseMs: number) {
      const work = async () => list.showResult(await service.patch(id, values));
      return change(async () => isWanted() && work(), pauseMs);
    },
    /** Deletes an item, unless that is undone. */
    remove({ id, name }: Item): void {
      holdBack(name, { path: service.itemPath(id), has: (item) => item.id === id });
    },
    /** Items have been created; several of them can be undone. */
    created(items: readonly Item[]): void {
      list.refresh();
      const ids = items.map(({ id }) => id);
      if (ids.length > 1) offerUndo('Added', ids, service.remove);
      else announce(`Added: ${items.map(({ name }) => name)}`);
    },
  };
}
