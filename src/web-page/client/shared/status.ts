import { find, setText } from './dom.ts';

/** How long work may take before a button says that it is under way, in milliseconds. */
const PATIENCE_MS = 200;

/** Announces a text to screen readers. They ignore an unchanged text, so a repetition differs. */
export function announce(text: string): void {
  const place = find('announcer', HTMLElement);
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

/** Shows a message that belongs to no field until it is closed. An empty one closes it. */
export function showMessage(text: string): void {
  setText(find('message-text', HTMLElement), text);
  find('message', HTMLElement).hidden = text === '';
}

/** Works while a button says so. Does nothing if the button's work is already under way. */
export async function whileBusy(
  button: HTMLButtonElement,
  text: string,
  work: () => Promise<void>,
): Promise<void> {
  if (button.ariaBusy === 'true') return;
  const before = button.textContent ?? '';
  button.ariaBusy = 'true';
  const timer = setTimeout(() => {
    setText(button, text);
    announce(text);
  }, PATIENCE_MS);
  try {
    await work();
  } finally {
    clearTimeout(timer);
    button.ariaBusy = null;
    setText(button, before);
  }
}
