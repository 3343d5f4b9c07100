import { type Field, type Value, type Values, wordsOf } from '../api/field.ts';
import { type Item, isVisible } from '../api/item.ts';
import type { Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import {
  button,
  element,
  setAttributes,
  setText,
  userText,
  visuallyHidden,
} from '../shared/dom.ts';

/** What a user can do with an item in the list. */
export interface RowActions {
  /** Resolves when it is done, or has failed. */
  patch(item: Item, values: Values): Promise<void>;
  edit(item: Item): void;
  remove(item: Item): void;
}

/** One item of the list. It keeps its elements when the item changes, and so the focus. */
export interface ItemRow {
  readonly element: HTMLElement;
  /** Shows the item as it is now. */
  update(item: Item): void;
  /** Shows an editor in place of the item; without one, the item again. */
  show(editor?: HTMLElement): void;
}

/** How long a step must stay the same before it is sent, in milliseconds. */
const SETTLE_MS = 300;

/** Makes the row of an item. */
export function createRow(service: Service, first: Item, actions: RowActions): ItemRow {
  const { title, done, scale, details, facts } = service;
  let item = first;
  /** What the user has set, but not yet for long enough. */
  let unsent: Values = {};
  /** What the user has set, until the service has it. */
  let own: Values = {};
  let timer: number | undefined;

  async function send(): Promise<void> {
    clearTimeout(timer);
    const values = unsent;
    unsent = {};
    if (Object.keys(values).length === 0) return;
    await actions.patch(item, values);
    own = Object.fromEntries(Object.entries(own).filter(([name, value]) => value !== values[name]));
    update();
  }

  /** Makes a control that changes its field at once, but not while stepping through values. */
  function quickControl(field: Field): Control {
    const control = controlFor(field);
    const isStepped = field.steps.length > 0;
    const change = () => {
      const set = { [field.name]: control.value };
      unsent = { ...unsent, ...set };
      own = { ...own, ...set };
      clearTimeout(timer);
      if (isStepped) timer = setTimeout(send, SETTLE_MS);
      else send();
    };
    setAttributes(control.input, { 'data-control': !isStepped && field.name, change });
    controls.push([field, control]);
    return control;
  }

  const controls: [Field, Control][] = [];
  const tick = done && element('label', { class: 'tick' }, quickControl(done).input);
  const steps = scale && quickControl(scale).input;
  const titleText = element('span', { class: 'title-text', dir: 'auto' });
  const detailsText = element('p', { class: 'details', dir: 'auto' });
  const factsText = element('p', { class: 'facts' });
  const edit = button({ class: 'title', 'data-control': 'edit' }, '', () => {
    send();
    actions.edit({ ...item, values: { ...item.values, ...own } });
  });
  edit.append(visuallyHidden('Edit '), titleText);
  const attributes = { class: 'remove', title: 'Delete', 'data-control': 'remove' };
  const remove = button(attributes, '\u00d7', () => actions.remove(item));
  const text = element('div', { class: 'text' }, edit, detailsText, factsText);
  const body = element('div', { class: 'row' }, tick, text, steps, remove);
  const row = element('li', {}, body);

  function update(): void {
    const { id, name, values } = item;
    row.dataset.id = id;
    row.classList.toggle('completed', done !== undefined && values[done.name] === true);
    for (const [field, control] of controls) {
      if (!(field.name in own)) control.value = values[field.name] ?? null;
      const label = field === done ? `Done: ${name}` : `${field.label} of ${name}`;
      setAttributes(control.input, { 'aria-label': label });
    }
    setAttributes(remove, { 'aria-label': `Delete ${name}` });
    const text = String(values[title.name]);
    setText(titleText, isVisible(text) ? text : '(blank)');
    const more = details === undefined ? '' : (values[details.name] ?? null);
    setText(detailsText, String(more));
    detailsText.classList.toggle('is-null', more === null);
    detailsText.hidden = more === '';
    factsText.replaceChildren(`#${id}`, ...facts.map((field) => factOf(field, values[field.name])));
  }

  update();
  return {
    element: row,
    update(changed) {
      item = changed;
      update();
    },
    show(editor) {
      row.replaceChildren(editor ?? body);
    },
  };
}

/** A field in few words. Null is told only where it could be taken for an empty text. */
function factOf({ label, kind, description }: Field, value: Value = null): Node | string {
  if (value === '' || (value === null && kind !== 'text')) return '';
  const text = userText(wordsOf(kind, value));
  return element('span', { title: description }, ` \u00b7 ${label} `, text);
}
