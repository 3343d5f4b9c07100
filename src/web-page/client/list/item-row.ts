import { type Field, type Value, wordsOf } from '../api/item-field.ts';
import type { Item, Service } from '../api/service.ts';
import { type Control, controlFor, tickFor } from '../editor/control.ts';
import { button, element, setAttributes, visuallyHidden } from '../shared/dom.ts';
import { setText, whileBusy } from '../shared/page.ts';
import type { ItemActions } from './item-actions.ts';

/** Creates a row of the list. Updating it keeps its elements and their focus. */
export function createRow(
  service: Service,
  actions: ItemActions,
  edit: (item: Item) => Promise<void>,
) {
  const { title, done, choice, details } = service;
  let item: Item;
  /** Resolves after the changes by the controls. They are sent in order, so the last one wins. */
  let sending: Promise<void> = Promise.resolve();
  /** The number of unfinished changes. While there are any, the controls keep the user's values. */
  let pending = 0;

  /** Edits or deletes the item after the changes to it. */
  const afterChanges = (work: (item: Item) => Promise<void>) =>
    whileBusy(row, async () => {
      await sending;
      await work(item);
    });

  /** Creates a control that changes its field at once. */
  function quickControl(field: Field, control: Control) {
    const change = () => {
      const values = { [field.name]: control.read() };
      pending++;
      sending = sending.then(async () => {
        await actions.patch(item, values);
        pending--;
        update(item);
      });
    };
    setAttributes(control.input, { 'data-control': field.name, change });
    return { field, ...control };
  }

  const tick = done && quickControl(done, tickFor(done));
  const choiceControl = choice && quickControl(choice, controlFor(choice));
  const titleText = element('span', { class: 'title-text', dir: 'auto' });
  const titleButton = button(
    { class: 'title', 'data-control': 'edit' },
    () => afterChanges(edit),
    visuallyHidden('Edit '),
    titleText,
  );
  const detailsText = element('p', { class: 'details', dir: 'auto' });
  const idText = element('span');
  const factsText = element('span');
  const facts = element('div', { class: 'facts small' }, idText);
  facts.append(choiceControl?.input ?? '', factsText);
  const attributes = { class: 'remove quiet', title: 'Delete', 'data-control': 'remove' };
  const removeButton = button(attributes, () => afterChanges(actions.remove), '\u00d7');
  const text = element('div', { class: 'text' }, titleButton, detailsText, facts);
  const tickLabel = tick ? element('label', { class: 'tick' }, tick.input) : '';
  const row = element('li', { class: 'row' }, tickLabel, text, removeButton);

  function update(current: Item): void {
    item = current;
    const { id, name, values } = item;
    for (const control of [tick, choiceControl]) {
      if (control === undefined) continue;
      if (pending === 0) control.write(values[control.field.name] ?? null);
      const label = control === tick ? `Done: ${name}` : `${control.field.label} of ${name}`;
      setAttributes(control.input, { 'aria-label': label });
    }
    setAttributes(removeButton, { 'aria-label': `Delete ${name}` });
    const isNamed = title === undefined || values[title.name] === name;
    setText(titleText, isNamed ? name : '(blank)');
    setText(
      detailsText,
      details
        .map((each) => values[each])
        .filter(Boolean)
        .join(' \u00b7 '),
    );
    setText(idText, `#${id}`);
    factsText.replaceChildren(...service.facts.map((field) => factOf(field, values[field.name])));
  }

  return { element: row, update };
}

/** A short text for a field; undefined if its value is empty. */
function factOf({ label, kind, description }: Field, value: Value = null): Node | string {
  if (value === '' || value === null) return '';
  const text = element('bdi', {}, wordsOf(kind, value));
  return element('span', { title: description }, ` \u00b7 ${label} `, text);
}
