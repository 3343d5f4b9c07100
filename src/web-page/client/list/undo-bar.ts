import { find } from '../shared/page.ts';

/** How long something can be undone, in milliseconds. Pointing at the bar stops the clock. */
const UNDO_MS = 6_000;

/** Controls in which Control+Z is for the text. */
const TEXTS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Makes the bar that offers to undo what was done last, by a button or Control+Z. */
export function createUndoBar() {
  const bar = find('undo', HTMLElement);
  let offered: { undo: () => void; confirm: () => void } | undefined;
  let timer: number | undefined;
  const stop = () => clearTimeout(timer);

  function wait(): void {
    stop();
    timer = setTimeout(confirm, UNDO_MS);
  }

  function release() {
    const released = offered;
    stop();
    offered = undefined;
    if (bar.contains(document.activeElement)) find('items', HTMLElement).focus();
    bar.hidden = true;
    return released;
  }

  const confirm = () => release()?.confirm();
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
    /** Offers to undo something, as "Deleted: milk". It confirms what was offered before. */
    offer(what: string, name: string, onUndo: () => void, onConfirm = () => {}): void {
      confirm();
      offered = { undo: onUndo, confirm: onConfirm };
      find('undo-what', HTMLElement).textContent = `${what}: `;
      find('undo-name', HTMLElement).textContent = name;
      bar.hidden = false;
      wait();
    },
    /** Ends the offer, so that what was done stays. */
    confirm,
    /** Ends the offer, and does neither. */
    withdraw: release,
  };
}
