import type { Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import { element, find, onSubmit, optionsOf, setAttributes, setText } from '../shared/dom.ts';
import { isFlag, operatorOf, operatorText } from './filter-text.ts';
import type { Parameter } from './list-query.ts';

/** What people mean most often: the first of these that fits a field is chosen at first. */
const COMMON = ['containsIgnoreCase', 'gte'];

/**
 * Fills the form that asks for one more condition of the list: a field, an operator, a value.
 * @param onAdd called with the condition that the user has chosen
 */
export function fillFilterForm(service: Service, onAdd: (filter: Parameter) => void): void {
  const { fields, parameters } = service;
  const filterable = fields.filter(({ name }) => parameters.has(`${name}.eq`));
  const field = element(
    'select',
    { 'aria-label': 'Field', change: chooseField },
    ...optionsOf(filterable.map(({ name, label }) => [name, label])),
  );
  const operator = element('select', { 'aria-label': 'Operator', change: chooseOperator });
  const value = element('div', { class: 'value' });
  const hint = element('p', { class: 'hint' });
  /** Undefined if the operator takes no value. */
  let control: Control | undefined;

  function chooseField(): void {
    const prefix = `${field.value}.`;
    const names = [...parameters.keys()].filter((name) => name.startsWith(prefix));
    const common = COMMON.map((each) => prefix + each);
    operator.replaceChildren(
      ...optionsOf(names.map((name) => [name, operatorText(operatorOf(name))])),
    );
    operator.value = [...common, ...names].find((name) => names.includes(name)) ?? '';
    chooseOperator();
  }

  function chooseOperator(): void {
    const parameter = parameters.get(operator.value);
    const chosen = fields.find(({ name }) => name === field.value);
    setText(hint, parameter?.description ?? '');
    control = undefined;
    if (chosen !== undefined && !isFlag(operatorOf(operator.value))) {
      const one = {
        ...chosen,
        description: '',
        isLong: false,
        isNullable: chosen.kind === 'boolean',
      };
      const isList = parameter?.schema.type === 'array';
      control = controlFor(isList ? { ...one, kind: 'text', steps: [] } : one);
      setAttributes(control.input, { 'aria-label': 'Value' });
    }
    value.replaceChildren(...(control ? [control.input] : []));
  }

  chooseField();
  const form = find('filter', HTMLFormElement);
  const add = element('button', {}, 'Add filter');
  form.append(field, operator, value, add, hint);
  onSubmit(form, () => {
    const chosen = control === undefined ? true : control.value;
    if (chosen === null) control?.focus();
    else onAdd([operator.value, String(chosen)]);
  });
  const toggle = find('filter-toggle', HTMLButtonElement);
  toggle.addEventListener('click', () => {
    form.hidden = !form.hidden;
    toggle.ariaExpanded = String(!form.hidden);
  });
}
