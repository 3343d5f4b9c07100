/**
 * Attributes by name. True is an empty attribute; false and undefined are none; a function is
 * called on the event of that name.
 */
export type Attributes = Readonly<
  Record<string, string | number | boolean | undefined | ((event: Event) => void)>
>;

/** What an element may contain; false and undefined are nothing. */
export type Child = Node | string | false | undefined;

/** Makes an element. Strings become text, never markup, since users may have typed them. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/** Sets attributes, and removes those that are false or undefined. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') target.addEventListener(name, value);
    else if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Makes a button. */
export function button(
  attributes: Attributes,
  content: string | readonly Child[],
  click: () => void,
): HTMLButtonElement {
  return element('button', { type: 'button', click, ...attributes }, ...[content].flat());
}

/** Makes the options of a select, each of a value and a text. */
export function optionsOf(options: readonly (readonly [value: string, text: string])[]): Node[] {
  return options.map(([value, text]) => element('option', { value }, text));
}

/** Text for screen readers only. */
export function visuallyHidden(text: string): HTMLElement {
  return element('span', { class: 'visually-hidden' }, text);
}

/** Text that users typed: it has its own direction, and stays in its box. */
export function userText(text: string): HTMLElement {
  return element('bdi', {}, text);
}

/**
 * Finds the element with an id.
 * @throws Error if it does not exist, or is of another kind
 */
export function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`no ${kind.name} has the id ${id}`);
}

let lastId = 0;

/** An id that no other element has. */
export function newId(): string {
  lastId++;
  return `e${lastId}`;
}

/**
 * Makes a button show and hide a part of the page.
 * @param changed called after each change
 * @returns shows or hides the part
 */
export function discloser(
  toggle: HTMLButtonElement,
  part: HTMLElement,
  changed = (_isOpen: boolean) => {},
): (isOpen: boolean) => void {
  function open(isOpen: boolean): void {
    part.hidden = !isOpen;
    toggle.ariaExpanded = String(isOpen);
    changed(isOpen);
  }
  toggle.addEventListener('click', () => open(part.hidden !== false));
  return open;
}

/** Sets a text if it is a new one, so that screen readers announce it once. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Calls a function when a form is submitted, also by Control+Enter in a text of several lines. */
export function onSubmit(form: HTMLFormElement, submit: () => void): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  form.addEventListener('keydown', ({ key, ctrlKey, metaKey, target }) => {
    const isShortcut = key === 'Enter' && (ctrlKey || metaKey);
    if (isShortcut && target instanceof HTMLTextAreaElement) form.requestSubmit();
  });
}
