import type { Item } from '../api/item.ts';
import { button, element, find, userText } from '../shared/dom.ts';
import type { Removal } from './list.ts';

/** How long a deletion can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** Items to delete by one request. */
export interface Deletion extends Removal {
  /** What is deleted, for people. */
  readonly name: string;
  /** The target of the request. */
  readonly path: string;
  /** The item, if it is a single one. */
  readonly item?: Item;
}

/** What becomes of a deletion. */
export interface UndoObserver {
  /** The time to undo it is over. */
  confirmed(deletion: Deletion): void;
  undone(deletion: Deletion): void;
}

/** The bar that offers to undo a deletion. */
export interface UndoBar {
  /** Begins a deletion. The previous one can no longer be undone. */
  begin(deletion: Deletion): void;
  /** Lets a deletion of more than one item happen now. */
  confirmMany(): void;
}

/**
 * Holds a deletion back for some seconds. A deleted item could only be created again with another
 * id, since ids are never reused.
 */
export function createUndoBar({ confirmed, undone }: UndoObserver): UndoBar {
  const text = element('p');
  const bar = find('undo', HTMLElement);
  let waiting: Deletion | undefined;
  let timer: number | undefined;
  const stop = () => clearTimeout(timer);
  const confirm = () => end(confirmed);
  const undo = () => end(undone);

  function wait(): void {
    stop();
    timer = setTimeout(confirm, UNDO_MS);
  }

  function end(report: (deletion: Deletion) => void): void {
    const deletion = waiting;
    stop();
    waiting = undefined;
    bar.hidden = true;
    if (deletion !== undefined) report(deletion);
  }

  bar.append(text, button({ 'aria-keyshortcuts': 'Control+Z' }, 'Undo', undo));
  for (const event of ['pointerenter', 'focusin']) bar.addEventListener(event, stop);
  for (const event of ['pointerleave', 'focusout']) bar.addEventListener(event, wait);
  addEventListener('pagehide', confirm);
  document.addEventListener('keydown', (event) => {
    const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!isUndo || waiting === undefined || isTyping(event.target)) return;
    event.preventDefault();
    undo();
  });
  return {
    begin(deletion) {
      confirm();
      waiting = deletion;
      text.replaceChildren('Deleted: ', userText(deletion.name));
      bar.hidden = false;
      wait();
    },
    confirmMany() {
      if (waiting?.rest !== undefined) confirm();
    },
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement;
}
