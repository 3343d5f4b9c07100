import { ConnectionError, sentenceOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { button, element, find, userText } from '../shared/dom.ts';
import { announce, showMessage } from '../shared/status.ts';
import type { List, Removal } from './list.ts';

/** Changes items straight from the list. */
export type ItemActions = ReturnType<typeof createItemActions>;

/**
 * Changes items straight from the list, one request after the other.
 * @param restored called when a deletion is undone, with the item if it was a single one
 */
export function createItemActions(service: Service, list: List, restored: (item?: Item) => void) {
  const { canDeleteMany, done } = service;
  const undoBar = createUndoBar();
  let last: Promise<unknown> = Promise.resolve();

  /** Deletes what is at a path, unless that is undone. */
  function remove(name: string, path: string, removal: Removal, item?: Item): void {
    undoBar.hold({
      name,
      isMany: item === undefined,
      confirm() {
        // Later changes wait for it, but it waits for nothing: the page may be closing.
        last = Promise.all([last, send(path, removal)]);
      },
      undo() {
        list.hide(removal, false);
        restored(item);
        announce(`Restored: ${name}`);
      },
    });
    list.hide(removal);
  }

  async function send(path: string, removal: Removal): Promise<void> {
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
    undoBar.confirmMany();
    return last;
  }

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
      remove(name, service.itemPath(id), { has: (each) => each.id === id }, item);
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
      remove('everything done', path, { has, rest: [name, 'false'] });
    },
  };
}

function failed(error: unknown): void {
  // The request may have arrived although there was no response.
  const isLost = error instanceof ConnectionError;
  showMessage(sentenceOf(error) + (isLost ? ' The change may not have been made.' : ''));
}

/** How long a deletion can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** A deletion that is held back. */
export interface Held {
  /** What is deleted, for people. */
  readonly name: string;
  /** Whether it is of more than one item. */
  readonly isMany: boolean;
  /** Deletes: it can no longer be undone. */
  confirm(): void;
  undo(): void;
}

/**
 * Makes the bar that offers to undo a deletion, which it holds back for some seconds. A deleted
 * item could only be created again with another id, since ids are never reused.
 */
export function createUndoBar() {
  const text = element('p');
  const bar = find('undo', HTMLElement);
  let held: Held | undefined;
  let timer: number | undefined;
  const stop = () => clearTimeout(timer);

  function wait(): void {
    stop();
    timer = setTimeout(() => end('confirm'), UNDO_MS);
  }

  function end(how: 'confirm' | 'undo'): void {
    const ended = held;
    stop();
    held = undefined;
    bar.hidden = true;
    ended?.[how]();
  }

  bar.append(
    text,
    button({ 'aria-keyshortcuts': 'Control+Z' }, 'Undo', () => end('undo')),
  );
  for (const event of ['pointerenter', 'focusin']) bar.addEventListener(event, stop);
  for (const event of ['pointerleave', 'focusout']) bar.addEventListener(event, wait);
  addEventListener('pagehide', () => end('confirm'));
  document.addEventListener('keydown', (event) => {
    const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isUndo || held === undefined || isTyping(event.target)) return;
    event.preventDefault();
    end('undo');
  });
  return {
    /** Holds a deletion back. The previous one can no longer be undone. */
    hold(deletion: Held) {
      end('confirm');
      held = deletion;
      text.replaceChildren('Deleted: ', userText(deletion.name));
      bar.hidden = false;
      wait();
    },
    /** Lets a deletion of more than one item happen now. */
    confirmMany() {
      if (held?.isMany) end('confirm');
    },
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement;
}
