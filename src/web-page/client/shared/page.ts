/** How long work may take before a button says that it is under way, in milliseconds. */
const PATIENCE_MS = 200;

/** Finds the element with an id. @throws Error if it does not exist, or is of another kind */
export function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`no ${kind.name} has the id ${id}`);
}

/** Sets a text if it is a new one, so that screen readers announce it once. */
export function setText(target: HTMLElement, text: string | null): void {
  if (target.textContent !== text) target.textContent = text;
}

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

/** A number of items in words, as "3 done items". */
export function itemsText(count: number, state = ''): string {
  return `${count.toLocaleString('en')} ${state} ${count === 1 ? 'item' : 'items'}`.replace(
    '  ',
    ' ',
  );
}

/** Works while a button says so. Does nothing if the button's work is already under way. */
export async function whileBusy(
  button: HTMLButtonElement,
  text: string,
  work: () => Promise<void>,
): Promise<void> {
  if (button.ariaBusy === 'true') return;
  const before = button.textContent;
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

/** Makes a button show and hide a part of the page. @returns shows or hides the part */
export function discloser(toggle: HTMLButtonElement, part: HTMLElement) {
  function open(isOpen: boolean): void {
    part.hidden = !isOpen;
    toggle.ariaExpanded = String(isOpen);
  }
  toggle.addEventListener('click', () => open(part.hidden !== false));
  return open;
}

/** Calls a function on submit: in a textarea by Control+Enter, or Enter if its hint is "done". */
export function onSubmit(form: HTMLFormElement, submit: () => void): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  form.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, shiftKey, isComposing } = event;
    if (!(target instanceof HTMLTextAreaElement) || key !== 'Enter' || isComposing) return;
    const isSingle = target.enterKeyHint === 'done' && !shiftKey;
    if (!isSingle && !ctrlKey && !metaKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
}
