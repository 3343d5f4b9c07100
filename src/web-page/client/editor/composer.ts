import type { Values } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import { element } from '../shared/dom.ts';
import { announce, discloser, find, onSubmit, setText, whileBusy } from '../shared/page.ts';
import { FieldsForm } from './fields-form.ts';

/** The form that creates items. */
export type Composer = ReturnType<typeof createComposer>;

/** Makes the form that creates items. What a new item may lack is behind a button. */
export function createComposer(service: Service, onCreated: () => void) {
  const { title, creatable } = service;
  const others = creatable.filter(({ name }) => name !== title.name);
  const fields = new FieldsForm([
    { ...title, label: 'New item', isRequired: true },
    // A box that is not ticked would say no; a boolean that is not sent has a default.
    ...others.map((field) => (field.kind === 'boolean' ? { ...field, isNullable: true } : field)),
  ]);
  const [head, ...needed] = fields.elements(({ isRequired }) => isRequired);
  const optional = fields.elements(({ isRequired }) => !isRequired);
  const attributes = { class: 'fields', id: 'details', reveal: () => open(true) };
  const details = element('div', attributes, ...optional);
  const more = element('button', { type: 'button', class: 'quiet', 'aria-controls': 'details' });
  const open = discloser(more, details, (isOpen) => setText(more, isOpen ? 'Less' : 'Details'));
  const add = element('button', { class: 'primary' }, 'Add');
  const form = find('composer', HTMLFormElement);
  form.replaceChildren(
    element('div', { class: 'bar line' }, head, more, add),
    element('div', { class: 'fields' }, ...needed),
    details,
    fields.general,
  );

  /** Fields that are as empty as at first are not sent, so they take the service's defaults. */
  async function submit(): Promise<void> {
    if (!fields.check()) return;
    const text = fields.values[title.name] ?? '';
    try {
      const { name } = await service.create({ [title.name]: text, ...fields.changes });
      if (fields.values[title.name] === text) fields.fill({});
      announce(`Added: ${name}`);
      onCreated();
      if (form.contains(document.activeElement)) fields.focus();
    } catch (error) {
      fields.showError(error);
    }
  }

  open(false);
  onSubmit(form, () => whileBusy(add, 'Adding\u2026', submit));
  return {
    focus: () => fields.focus(),
    /** Puts values into the form, such as those of an item that somebody else has deleted. */
    fill(values: Values) {
      fields.fill({}, values);
      open(true);
      fields.focus();
    },
  };
}
