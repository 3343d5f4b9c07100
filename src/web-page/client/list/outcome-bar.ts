import type { Child } from '../shared/dom.ts';
import { find, setShown, whileBusy } from '../shared/page.ts';

/** Controls that handle Control+Z themselves. */
const TEXTS = 'input:not([type="checkbox"], [type="radio"]), textarea';

export type OutcomeBar = ReturnType<typeof createOutcomeBar>;

/** Creates the bar that shows the last action. Its button or Control+Z undoes it. */
export function createOutcomeBar() {
  const bar = find('outcome');
  const text = find('outcome-text');
  const button = find('undo', HTMLButtonElement);
  let undo: (() => Promise<void>) | undefined;
  /** Whether the outcome is about the whole list, so that a reset leaves it true. */
  let isOfList = false;

  function close(): void {
    undo = undefined;
    setShown(bar, false);
  }

  button.addEventListener('click', () => undo && whileBusy(button, undo));
  find('outcome-close').addEventListener('click', close);
  // A message without Undo disappears at the next click.
  document.addEventListener('click', () => undo === undefined && close());
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, target } = event;
    const isUndo = key === 'z' && (ctrlKey || metaKey) && !shiftKey;
    const isTyping = target instanceof Element && target.matches(TEXTS);
    if (!isUndo || isTyping || undo === undefined) return;
    event.preventDefault();
    button.click();
  });
  return {
    /** Shows an outcome until the next one, or until it is closed. */
    show(
      outcome: readonly Exclude<Child, false | undefined>[],
      onUndo?: typeof undo,
      isAboutList = false,
    ): void {
      undo = onUndo;
      isOfList = isAboutList;
      text.replaceChildren(...outcome);
      setShown(button, undo !== undefined);
      setShown(bar, true);
    },
    /** Withdraws an outcome about items, because ids now stand for other items. */
    listReset: () => isOfList || close(),
  };
}
