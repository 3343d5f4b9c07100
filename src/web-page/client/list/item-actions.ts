import { ConnectionError, sentenceOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { find } from '../shared/dom.ts';
import { announce, showMessage } from '../shared/status.ts';
import type { List, Removal } from './list.ts';

/** How long a deletion can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** A deletion that is held back. */
interface Deletion {
  /** What is deleted, for people. */
  readonly name: string;
  readonly path: string;
  readonly removal: Removal;
  /** Undefined if it is of more than one item. */
  readonly item?: Item;
}

/** Changes items straight from the list. */
export type ItemActions = ReturnType<typeof createItemActions>;

/**
 * Changes items straight from the list, one request after the other. A deletion is held back for
 * some seconds, since an item that is created again has another id.
 * @param restored called when a deletion is undone, with the item if it was a single one
 */
export function createItemActions(service: Service, list: List, restored: (item?: Item) => void) {
  const { canDeleteMany, done } = service;
  const bar = find('undo', HTMLElement);
  let last: Promise<unknown> = Promise.resolve();
  let held: Deletion | undefined;
  let timer: number | undefined;
  const stop = () => clearTimeout(timer);

  /** Holds a deletion back. The previous one can no longer be undone. */
  function hold(deletion: Deletion): void {
    confirm();
    held = deletion;
    find('undo-name', HTMLElement).textContent = deletion.name;
    bar.hidden = false;
    wait();
    list.hide(deletion.removal);
  }

  function wait(): void {
    stop();
    timer = setTimeout(confirm, UNDO_MS);
  }

  function release(): Deletion | undefined {
    const released = held;
    stop();
    held = undefined;
    bar.hidden = true;
    return released;
  }

  function confirm(): void {
    const deletion = release();
    // Later changes wait for it, but it waits for nothing: the page may be closing.
    if (deletion !== undefined) last = Promise.all([last, send(deletion)]);
  }

  function undo(): void {
    const { name, removal, item } = release() ?? {};
    if (removal === undefined) return;
    list.hide(removal, false);
    restored(item);
    announce(`Restored: ${name}`);
  }

  async function send({ path, removal }: Deletion): Promise<void> {
    try {
      await service.send({ method: 'DELETE', path, headers: [], keepalive: true });
      list.deleted(removal);
    } catch (error) {
      list.hide(removal, false);
      failed(error);
    }
  }

  /**
   * Resolves when all changes requested so far are done. A deletion of everything that is done
   * happens now, so that it does not extend to what is changed next.
   */
  function settled(): Promise<unknown> {
    if (held !== undefined && held.item === undefined) confirm();
    return last;
  }

  find('undo-button', HTMLButtonElement).addEventListener('click', undo);
  for (const event of ['pointerenter', 'focusin']) bar.addEventListener(event, stop);
  for (const event of ['pointerleave', 'focusout']) bar.addEventListener(event, wait);
  addEventListener('pagehide', confirm);
  document.addEventListener('keydown', (event) => {
    const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isUndo || held === undefined || isTyping(event.target)) return;
    event.preventDefault();
    undo();
  });
  return {
    settled,
    /** Sets some fields of an item; resolves when that is done, or has failed. */
    patch({ id }: Item, values: Values): Promise<void> {
      const patched = settled()
        .then(() => service.patch(id, values))
        .then((item) => list.put(item))
        .catch((error) => {
          failed(error);
          list.refresh();
        });
      last = patched;
      return patched;
    },
    /** Deletes an item, unless that is undone. */
    remove(item: Item): void {
      const { id, name } = item;
      hold({ name, path: service.itemPath(id), removal: { has: (each) => each.id === id }, item });
    },
    /** Whether the service can delete everything that is done, and there may be something. */
    get canClear(): boolean {
      const { query, shown, shownTotal } = list;
      if (!canDeleteMany || done === undefined || query.get(done.name) === 'false') return false;
      return shown.length < shownTotal || shown.some(({ values }) => values[done.name] === true);
    },
    /** Deletes everything that is done and matches what is shown, unless that is undone. */
    clearDone(): void {
      const { name = '' } = done ?? {};
      const path = list.query.deletePath([name, 'true']);
      const has = ({ values }: Item) => values[name] === true;
      hold({ name: 'everything done', path, removal: { has, rest: [name, 'false'] } });
    },
  };
}

function failed(error: unknown): void {
  // The request may have arrived although there was no response.
  const isLost = error instanceof ConnectionError;
  showMessage(sentenceOf(error) + (isLost ? ' The change may not have been made.' : ''));
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement;
}
