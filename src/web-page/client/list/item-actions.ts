import { sentenceOf } from '../api/exchange.ts';
import type { Values } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { announce, find, showMessage } from '../shared/page.ts';
import type { Deletion, List } from './list.ts';

/** How long a deletion can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** Controls in which Control+Z is for the text. */
const TEXTS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Changes items straight from the list. */
export type ItemActions = ReturnType<typeof createItemActions>;

/**
 * Changes items straight from the list, one request after the other; a deletion can be undone.
 * @param restored called when it is, with the first item that it is about
 */
export function createItemActions(service: Service, list: List, restored: (item?: Item) => void) {
  const { canDeleteMany, done } = service;
  const bar = find('undo', HTMLElement);
  const clear = find('clear-done', HTMLButtonElement);
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
    list.hide(deletion);
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
    const deletion = release();
    if (deletion === undefined) return;
    list.hide(deletion, false);
    restored(list.shown.find(deletion.has));
    announce(`Restored: ${deletion.name}`);
  }

  async function send(deletion: Deletion): Promise<void> {
    try {
      await service.send({ method: 'DELETE', path: deletion.path, headers: [], keepalive: true });
      list.deleted(deletion);
    } catch (error) {
      failed(error);
    }
    list.hide(deletion, false);
  }

  function failed(error: unknown): void {
    // The request may have arrived although there was no response.
    showMessage(sentenceOf(error, 'The change may not have been made.'));
    list.refresh();
  }

  /** Resolves when all changes requested so far are done. */
  function settled(): Promise<unknown> {
    // A deletion of all that is done must not extend to what is changed next.
    if (held?.rest !== undefined) confirm();
    return last;
  }

  if (canDeleteMany && done !== undefined) {
    const has = ({ values }: Item) => values[done.name] === true;
    clear.addEventListener('click', () => {
      const path = list.query.deletePath([done.name, 'true']);
      hold({ name: 'everything done', path, has, rest: [done.name, 'false'] });
    });
    list.addEventListener('change', () => {
      const { query, shown, shownTotal } = list;
      const mayHave = shown.length < shownTotal || shown.some(has);
      clear.hidden = query.get(done.name) === 'false' || !mayHave;
    });
  }
  find('undo-button', HTMLButtonElement).addEventListener('click', undo);
  for (const event of ['pointerenter', 'focusin']) bar.addEventListener(event, stop);
  for (const event of ['pointerleave', 'focusout']) bar.addEventListener(event, wait);
  addEventListener('pagehide', confirm);
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isUndo = key === 'z' && (ctrlKey || metaKey) && !shiftKey;
    const isTyping = target instanceof Element && target.matches(TEXTS);
    if (!isUndo || isTyping || held === undefined) return;
    event.preventDefault();
    undo();
  });
  return {
    settled,
    /** Sets some fields of an item; resolves when that is done, or has failed. */
    async patch({ id }: Item, values: Values): Promise<void> {
      last = settled()
        .then(() => service.patch(id, values))
        .then((item) => list.put(item))
        .catch(failed);
      await last;
    },
    /** Deletes an item, unless that is undone. */
    remove({ id, name }: Item): void {
      hold({ name, path: service.itemPath(id), has: (item) => item.id === id });
    },
  };
}
