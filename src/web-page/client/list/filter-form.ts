import type { Service } from '../api/service.ts';
import { element, optionsOf } from '../shared/dom.ts';
import { createDisclosure, find, onSubmit, setText } from '../shared/page.ts';
import type { Parameter } from './list-query.ts';

/** Fills the form that asks for one more condition of the list: a parameter and its value. */
export function fillFilterForm(
  { fields, operators }: Service,
  onAdd: (filter: Parameter) => void,
): void {
  const filtered = fields.filter((field) => field.operators.length > 0);
  const groups = filtered.map(({ name, label, operators }) => {
    const names = operators.map((operator) => `${name}.${operator}`);
    return element('optgroup', { label }, ...optionsOf(names.map((each) => [each, each])));
  });
  const choice = element('select', { 'aria-label': 'Filter', change: explain }, ...groups);
  const value = element('input', { type: 'text', 'aria-label': 'Value', autocomplete: 'off' });
  const hint = element('p', { class: 'small' });

  function explain(): void {
    const [name = '', operator = ''] = choice.value.split('.');
    setText(hint, `Only items whose ${name} ${operators[operator]}.`);
  }

  explain();
  const form = find('filter', HTMLFormElement);
  form.append(choice, value, element('button', {}, 'Add filter'), hint);
  onSubmit(form, () => {
    if (value.value === '') value.focus();
    else onAdd([choice.value, value.value]);
  });
  createDisclosure(find('filter-toggle', HTMLButtonElement), form);
}
