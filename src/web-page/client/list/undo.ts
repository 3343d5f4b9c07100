import { button, element, find, userText } from '../shared/dom.ts';

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
