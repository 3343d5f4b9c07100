import { type Field, type Value, wordsOf } from '../api/field.ts';
import type { Item, Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import { button, element, setAttributes, visuallyHidden } from '../shared/dom.ts';
import { setText } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';

/** Creates a row of the list. It keeps its elements when its item changes, and so the focus. */
export function createRow(
  service: Service,
  actions: ItemActions,
  edit: (item: Item) => Promise<void>,
) {
  const { title, done, scale, details, facts } = service;
  let item: Item;
  /** The values that the user has set, until the service has them. */
  const unsent = new Map<string, Value>();
  let sending: Promise<unknown> = Promise.resolve();
  /** Sends the values that the user has set. Of those set during a request, the latest go next. */
  async function send(): Promise<void> {
    while (unsent.size > 0) {
      const values = Object.fromEntries(unsent);
      await actions.patch(item, values);
      for (const [name, value] of Object.entries(values)) {
        if (unsent.get(name) === value) unsent.delete(name);
      }
    }
    update(item);
  }

  /** Edits or deletes the item after the changes to it, unless the row is busy with that. */
  async function afterChanges(work: (item: Item) => Promise<void>): Promise<void> {
    if (row.ariaBusy === 'true') return;
    row.ariaBusy = 'true';
    await sending;
    await work(item);
    row.ariaBusy = null;
  }

  /** Creates a control that changes its field at once. */
  function quickControl(field: Field): HTMLElement {
    const control = controlFor(field);
    const { name, steps } = field;
    const change = () => {
      unsent.set(name, control.read());
      sending = sending.then(send);
    };
    setAttributes(control.input, { 'data-control': steps.length === 0 && name, change });
    controls.push([field, control]);
    return control.input;
  }

  const controls: [Field, Control][] = [];
  const tick = done && element('label', { class: 'tick' }, quickControl(done));
  const steps = scale && quickControl(scale);
  const titleText = element('span', { class: 'title-text', dir: 'auto' });
  const titleAttributes = { class: 'title', 'data-control': 'edit' };
  const titleButton = button(
    titleAttributes,
    () => afterChanges(edit),
    visuallyHidden('Edit '),
    titleText,
  );
  const detailsText = element('p', { class: 'details', dir: 'auto' });
  const factsText = element('p', { class: 'facts small' });
  const attributes = { class: 'remove quiet', title: 'Delete', 'data-control': 'remove' };
  const removeButton = button(attributes, () => afterChanges(actions.remove), '\u00d7');
  const text = element('div', { class: 'text' }, titleButton, detailsText, factsText);
  const body = element('div', { class: 'row' }, tick, text, steps, removeButton);
  const row = element('li', {}, body);

  function update(current: Item): void {
    item = current;
    const { id, name, values } = item;
    row.dataset.id = id;
    for (const [field, control] of controls) {
      if (!unsent.has(field.name)) control.write(values[field.name] ?? null);
      const label = field === done ? `Done: ${name}` : `${field.label} of ${name}`;
      setAttributes(control.input, { 'aria-label': label });
    }
    setAttributes(removeButton, { 'aria-label': `Delete ${name}` });
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
    /** Forgets the values that wait for an earlier request. */
    dropUnsent: () => unsent.clear(),
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
