/** Attributes by name. True is an empty attribute; false and undefined are none. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Makes an element. Strings become text, never markup, since users may have typed them. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Sets attributes, and removes those that are false or undefined. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Makes a button. */
export function button(
  attributes: Attributes,
  content: Node | string,
  onClick: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, content);
  made.addEventListener('click', onClick);
  return made;
}

/** Text for screen readers only. */
export function visuallyHidden(text: string): HTMLElement {
  return element('span', { class: 'visually-hidden' }, text);
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

/** Shows or hides an element. */
export function show(target: HTMLElement, isShown: boolean): void {
  target.hidden = !isShown;
}

/** Sets a text if it is a new one, so that screen readers announce it once. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
