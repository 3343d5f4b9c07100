import type { Api } from '../api/api.ts';
import type { Values } from '../api/field.ts';
import type { Item } from '../api/item.ts';
import type { Service } from '../api/service.ts';
import { button, element, find, onSubmit, setText } from '../shared/dom.ts';
import { whileBusy } from '../shared/status.ts';
import { FieldsForm } from './fields-form.ts';

/** The form that creates items. */
export interface Composer {
  focus(): void;
  /** Puts values into the form, such as those of an item that somebody else has deleted. */
  fill(values: Values): void;
}

/** Makes the form that creates items. What a new item may lack is behind a button. */
export function createComposer(
  api: Api,
  service: Service,
  onCreated: (item: Item) => void,
): Composer {
  const { title, creatable, collection } = service;
  const others = creatable.filter(({ name }) => name !== title.name);
  const fields = new FieldsForm([
    { ...title, label: 'New item', isRequired: true },
    // A box that is not ticked would say no; a boolean that is not sent has a default.
    ...others.map((field) => (field.kind === 'boolean' ? { ...field, isNullable: true } : field)),
  ]);
  const [head, ...needed] = fields.elements(({ isRequired }) => isRequired);
  const optional = fields.elements(({ isRequired }) => !isRequired);
  const attributes = { class: 'fields', id: 'details', reveal: () => toggle(true) };
  const details = element('div', attributes, ...optional);
  const more = button({ class: 'quiet', 'aria-controls': 'details' }, '', () =>
    toggle(details.hidden !== false),
  );
  const add = element('button', { class: 'primary' }, 'Add');
  const form = find('composer', HTMLFormElement);
  form.replaceChildren(
    element('div', { class: 'line' }, head, more, add),
    element('div', { class: 'fields' }, ...needed),
    details,
    fields.general,
  );

  function toggle(isOpen: boolean): void {
    details.hidden = !isOpen;
    more.ariaExpanded = String(isOpen);
    setText(more, isOpen ? 'Less' : 'Details');
  }

  /** Fields that are as empty as at first are not sent, so they take the service's defaults. */
  async function submit(): Promise<void> {
    if (!fields.check()) return;
    const text = fields.values[title.name] ?? '';
    try {
      const values = { [title.name]: text, ...fields.changes };
      const created = await api.sendJson('POST', collection, values);
      fields.clearErrors();
      if (fields.values[title.name] === text) fields.fill({});
      onCreated(service.readItem(created.text));
      if (form.contains(document.activeElement)) fields.focus();
    } catch (error) {
      fields.showError(error);
    }
  }

  toggle(false);
  onSubmit(form, () => whileBusy(add, 'Adding\u2026', submit));
  return {
    focus: () => fields.focus(),
    fill(values) {
      fields.type(values);
      toggle(true);
      fields.focus();
    },
  };
}
