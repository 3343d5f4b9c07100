import { type Field, type Value, wordsOf } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import { button, element, setAttributes, visuallyHidden } from '../shared/dom.ts';
import { setText } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';

/** How long a step must stay the same before it is sent, in milliseconds. */
const SETTLE_MS = 300;

/** Makes a row of the list. It keeps its elements when its item changes, and so the focus. */
export function createRow(service: Service, actions: ItemActions, edit: (item: Item) => void) {
  const { title, done, scale, details, facts } = service;
  let item: Item;
  /** What the user has set, until the service has it. */
  const own = new Map<string, Value>();
  const startEditing = () =>
    edit({ ...item, values: { ...item.values, ...Object.fromEntries(own) } });

  /** Makes a control that changes its field at once, but not while stepping through values. */
  function quickControl(field: Field): HTMLElement {
    const control = controlFor(field);
    const { name, steps } = field;
    const isStepped = steps.length > 0;
    const change = async () => {
      const value = control.read();
      const isLatest = () => own.get(name) === value;
      own.set(name, value);
      await actions.patch(item, { [name]: value }, isLatest, isStepped ? SETTLE_MS : 0);
      if (isLatest()) own.delete(name);
      update(item);
    };
    setAttributes(control.input, { 'data-control': !isStepped && name, change });
    controls.push([field, control]);
    return control.input;
  }

  const controls: [Field, Control][] = [];
  const tick = done && element('label', { class: 'tick' }, quickControl(done));
  const steps = scale && quickControl(scale);
  const titleText = element('span', { class: 'title-text', dir: 'auto' });
  const titleAttributes = { class: 'title', 'data-control': 'edit' };
  const titleButton = button(titleAttributes, startEditing, visuallyHidden('Edit '), titleText);
  const detailsText = element('p', { class: 'details', dir: 'auto' });
  const factsText = element('p', { class: 'facts small' });
  const attributes = { class: 'remove quiet', title: 'Delete', 'data-control': 'remove' };
  const remove = button(attributes, () => actions.remove(item), '\u00d7');
  const text = element('div', { class: 'text' }, titleButton, detailsText, factsText);
  const body = element('div', { class: 'row' }, tick, text, steps, remove);
  const row = element('li', {}, body);

  function update(current: Item): void {
    item = current;
    const { id, name, values } = item;
    row.dataset.id = id;
    for (const [field, control] of controls) {
      if (!own.has(field.name)) control.write(values[field.name] ?? null);
      const label = field === done ? `Done: ${name}` : `${field.label} of ${name}`;
      setAttributes(control.input, { 'aria-label': label });
    }
    setAttributes(remove, { 'aria-label': `Delete ${name}` });
    setText(titleText, values[title.name] === name ? name : '(blank)');
    const more = details === undefined ? '' : (values[details.name] ?? null);
    setText(detailsText, String(more));
    detailsText.classList.toggle('is-null', more === null);
    detailsText.hidden = more === '';
    factsText.replaceChildren(`#${id}`, ...facts.map((field) => factOf(field, values[field.name])));
  }

  return {
    element: row,
    update,
    /** Shows an editor in place of the item; without one, the item again. */
    show: (editor: HTMLElement = body) => row.replaceChildren(editor),
  };
}

/** A field in few words. Null is shown only where it could be taken for an empty text. */
function factOf({ label, kind, description }: Field, value: Value = null): Node | string {
  if (value === '' || (value === null && kind !== 'text')) return '';
  const text = element('bdi', {}, wordsOf(kind, value));
  return element('span', { title: description }, ` \u00b7 ${label} `, text);
}
