import type { Todo } from '../api/todo.ts';
import { button, element, find, setText, show } from '../shared/dom.ts';

/** How long a deletion can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** What becomes of a removed item. */
export interface RemovalObserver {
  /** The time to undo is over. */
  confirmed(todo: Todo): void;
  undone(todo: Todo): void;
}

/**
 * Holds a deletion back for some seconds. A deleted item could only be created again with another
 * id, since ids are never reused.
 */
export class Undo {
  readonly #observer: RemovalObserver;
  readonly #bar = find('undo', HTMLElement);
  readonly #text = element('span', { dir: 'auto' });
  #waiting: Todo | undefined;
  #timer: number | undefined;

  constructor(observer: RemovalObserver) {
    this.#observer = observer;
    const undo = button({ 'aria-keyshortcuts': 'Control+Z' }, 'Undo', () => this.undo());
    this.#bar.append(this.#text, undo);
    for (const event of ['pointerenter', 'focusin']) {
      this.#bar.addEventListener(event, () => clearTimeout(this.#timer));
    }
    for (const event of ['pointerleave', 'focusout']) {
      this.#bar.addEventListener(event, () => this.#wait());
    }
    addEventListener('pagehide', () => this.#confirm());
    document.addEventListener('keydown', (event) => {
      const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (!isUndo || this.#waiting === undefined || isTyping(event.target)) return;
      event.preventDefault();
      this.undo();
    });
  }

  /** Begins a deletion. The previous one can no longer be undone. */
  removed(todo: Todo): void {
    this.#confirm();
    this.#waiting = todo;
    setText(this.#text, `Deleted: ${todo.title}`);
    show(this.#bar, true);
    this.#wait();
  }

  undo(): void {
    const todo = this.#end();
    if (todo !== undefined) this.#observer.undone(todo);
  }

  #confirm(): void {
    const todo = this.#end();
    if (todo !== undefined) this.#observer.confirmed(todo);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#confirm(), UNDO_MS);
  }

  #end(): Todo | undefined {
    const todo = this.#waiting;
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    show(this.#bar, false);
    return todo;
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(target.type);
  return target instanceof HTMLTextAreaElement;
}
