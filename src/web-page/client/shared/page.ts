/** Finds the element with an id. @throws Error if it does not exist, or is of another kind */
export function find(id: string): HTMLElement;
export function find<T extends HTMLElement>(id: string, kind: new () => T): T;
export function find(id: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`no ${kind.name} has the id ${id}`);
}

/** Moves the focus to the list, for example when the focused element disappears. */
export function focusList(): void {
  find('items').focus();
}

/** Shows or hides an element. If it has the focus as it is hidden, the list gets it. */
export function setShown(target: HTMLElement, isShown: boolean): void {
  if (!isShown && target.contains(document.activeElement)) focusList();
  target.hidden = !isShown;
}

/** Sets a text if it has changed, so that screen readers do not repeat it. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Announces a text to screen readers. They ignore equal texts, so a repeated one is altered. */
export function announce(text: string): void {
  const place = find('announcer');
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

/** Shows a general message until the user closes it. An empty text closes it. */
export function showMessage(text: string): void {
  setText(find('message-text'), text);
  setShown(find('message'), text !== '');
}

/** The words for an item and for items. */
let nouns = { one: 'item', many: 'items' };

/** Sets the words for an item and for items. */
export function setNouns(words: typeof nouns): void {
  nouns = words;
}

/** A count with its noun, such as "3 done items". */
export function itemsText(count: number, state = ''): string {
  return `${count.toLocaleString('en')} ${state}${count === 1 ? nouns.one : nouns.many}`;
}

/** Runs work while an element is marked as busy. Does nothing if it is busy already. */
export async function whileBusy(target: HTMLElement, work: () => Promise<void>): Promise<void> {
  if (target.ariaBusy === 'true') return;
  target.ariaBusy = 'true';
  try {
    await work();
  } finally {
    target.ariaBusy = null;
  }
}

/** Copies a text. If the page may not write to the clipboard, it shows and selects the text. */
export async function copyText(source: HTMLElement, trigger: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    setText(trigger, 'Copied');
  } catch {
    source.hidden = false;
    getSelection()?.selectAllChildren(source);
    setText(trigger, 'Selected');
  }
}

/** Makes a button show and hide a part of the page. @returns a function that shows or hides it */
export function createDisclosure(toggle: HTMLButtonElement, part: HTMLElement) {
  function open(isOpen: boolean): void {
    part.hidden = !isOpen;
    toggle.ariaExpanded = String(isOpen);
  }
  toggle.addEventListener('click', () => open(part.hidden !== false));
  return open;
}

/** Calls `submit` on submit, and on Control+Enter in a textarea, or Enter if its hint is "done". */
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
