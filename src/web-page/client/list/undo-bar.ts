import { find } from '../shared/page.ts';

/** How long something can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** Controls in which Control+Z is for the text. */
const TEXTS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Something that can be undone. */
export interface Undoable {
  /** What has been done, such as "Deleted". */
  readonly what: string;
  /** What it has been done to. */
  readonly name: string;
  undo(): void;
  /** Called once it can no longer be undone. */
  confirm?(): void;
}

/** Makes the bar that offers to undo what was done last, by a button or Control+Z. */
export function createUndoBar() {
  const bar = find('undo', HTMLElement);
  let offered: Undoable | undefined;
  let timer: number | undefined;
  const stop = () => clearTimeout(timer);

  function wait(): void {
    stop();
    timer = setTimeout(confirm, UNDO_MS);
  }

  function release(): Undoable | undefined {
    const released = offered;
    stop();
    offered = undefined;
    bar.hidden = true;
    return released;
  }

  const confirm = () => release()?.confirm?.();
  const undo = () => release()?.undo();

  find('undo-button', HTMLButtonElement).addEventListener('click', undo);
  for (const event of ['pointerenter', 'focusin']) bar.addEventListener(event, stop);
  for (const event of ['pointerleave', 'focusout']) bar.addEventListener(event, wait);
  addEventListener('pagehide', confirm);
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isUndo = key === 'z' && (ctrlKey || metaKey) && !shiftKey;
    const isTyping = target instanceof Element && target.matches(TEXTS);
    if (!isUndo || isTyping || offered === undefined) return;
    event.preventDefault();
    undo();
  });
  return {
    /** Offers to undo something. What was offered before can no longer be undone. */
    offer(undoable: Undoable): void {
      confirm();
      offered = undoable;
      find('undo-what', HTMLElement).textContent = `${undoable.what}: `;
      find('undo-name', HTMLElement).textContent = undoable.name;
      bar.hidden = false;
      wait();
    },
    /** Ends the offer, so that what was done stays. */
    confirm,
  };
}
