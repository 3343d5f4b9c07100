/** Attributes by name. True is an empty value, false and undefined are absent; functions listen. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | undefined | ((event: Event) => void)>
>;

/** A child of an element; false and undefined are left out. */
export type Child = Node | string | false | undefined;

/** Creates an element. Strings become text, never markup, since users may have typed them. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
}

/** Sets attributes. Removes an attribute whose value is false or undefined. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') target.addEventListener(name, value);
    else if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Creates a button. */
export function button(attributes: Attributes, click: () => void, ...content: readonly Child[]) {
  return element('button', { type: 'button', click: () => click(), ...attributes }, ...content);
}

/** Creates the options of a select. */
export function optionsOf(options: readonly (readonly [value: string, text: string])[]): Node[] {
  return options.map(([value, text]) => element('option', { value }, text));
}

/** Text for screen readers only. */
export function visuallyHidden(text: string): HTMLElement {
  return element('span', { class: 'visually-hidden' }, text);
}

/** A term of a description list, and its description. */
export function termAndDescription(
  term: string,
  ...description: readonly Child[]
): readonly Node[] {
  return [element('dt', {}, term), element('dd', {}, ...description)];
}

/** A control below its label. */
export function labelled(
  label: readonly Child[],
  control: HTMLElement,
  ...more: readonly Child[]
): HTMLElement {
  control.id = newId();
  const head = element('label', { for: control.id }, ...label);
  return element('div', { class: 'field' }, head, control, ...more);
}

let lastId = 0;

/** A unique element id. */
export function newId(): string {
  return `e${++lastId}`;
}
