import type { Child } from '../shared/dom.ts';
import { find, whileBusy } from '../shared/page.ts';

/** Controls in which Control+Z is for the text. */
const TEXTS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Creates the bar that shows the last action. Its button or Control+Z undoes it. */
export function createOutcomeBar() {
  const bar = find('outcome', HTMLElement);
  const text = find('outcome-text', HTMLElement);
  const button = find('undo', HTMLButtonElement);
  let undo: (() => Promise<void>) | undefined;

  function close(): void {
    undo = undefined;
    if (bar.contains(document.activeElement)) find('items', HTMLElement).focus();
    bar.hidden = true;
  }

  async function runUndo(): Promise<void> {
    if (undo !== undefined) await whileBusy(button, 'Undoing\u2026', undo);
  }

  button.addEventListener('click', runUndo);
  find('outcome-close', HTMLButtonElement).addEventListener('click', close);
  // A message without Undo is of no use after the next click.
  document.addEventListener('click', () => undo === undefined && close());
  document.addEventListener('keydown', async (event) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isUndo = key === 'z' && (ctrlKey || metaKey) && !shiftKey;
    const isTyping = target instanceof Element && target.matches(TEXTS);
    if (!isUndo || isTyping || undo === undefined) return;
    event.preventDefault();
    await runUndo();
  });
  return {
    /** Shows an outcome until the next one, or until it is closed. */
    show(
      outcome: readonly Exclude<Child, false | undefined>[],
      onUndo?: () => Promise<void>,
    ): void {
      const hadFocus = document.activeElement === button;
      undo = onUndo;
      text.replaceChildren(...outcome);
      button.hidden = undo === undefined;
      bar.hidden = false;
      if (hadFocus && button.hidden) find('outcome-close', HTMLElement).focus();
    },
    close,
  };
}
