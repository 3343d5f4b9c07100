import type { Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import { element, optionsOf, setAttributes } from '../shared/dom.ts';
import { discloser, find, onSubmit, setText } from '../shared/page.ts';
import { operatorOf, type Parameter } from './list-query.ts';

/** The most common operators. The first one that fits a field is preselected. */
const COMMON = ['containsIgnoreCase', 'gte'];

/** Fills the form that asks for one more condition of the list: a field, an operator, a value. */
export function fillFilterForm(service: Service, onAdd: (filter: Parameter) => void): void {
  const { fields, parameters } = service;
  const filterable = fields.filter(({ name }) => parameters.has(`${name}.eq`));
  const names = optionsOf(filterable.map(({ name, label }) => [name, label]));
  const field = element('select', { 'aria-label': 'Field', change: chooseField }, ...names);
  const operator = element('select', { 'aria-label': 'Operator', change: chooseOperator });
  const value = element('div', { class: 'value' });
  const hint = element('p', { class: 'small' });
  /** Undefined if the operator takes no value. */
  let control: Control | undefined;

  function chooseField(): void {
    const prefix = `${field.value}.`;
    const names = [...parameters.keys()].filter((name) => name.startsWith(prefix));
    const common = COMMON.map((each) => prefix + each);
    operator.replaceChildren(...optionsOf(names.map((name) => [name, operatorOf(name).text])));
    operator.value = [...common, ...names].find((name) => names.includes(name)) ?? '';
    chooseOperator();
  }

  function chooseOperator(): void {
    const parameter = parameters.get(operator.value);
    const chosen = fields.find(({ name }) => name === field.value);
    setText(hint, parameter?.description ?? '');
    control = undefined;
    if (chosen !== undefined && !operatorOf(operator.value).isFlag) {
      const isNullable = chosen.kind === 'boolean';
      const one = { ...chosen, description: '', isLong: false, isNullable };
      const isList = parameter?.schema.type === 'array';
      control = controlFor(isList ? { ...one, kind: 'text', steps: [] } : one);
      setAttributes(control.input, { 'aria-label': 'Value' });
    }
    value.replaceChildren(...(control ? [control.input] : []));
  }

  chooseField();
  const form = find('filter', HTMLFormElement);
  form.append(field, operator, value, element('button', {}, 'Add filter'), hint);
  onSubmit(form, () => {
    const chosen = control === undefined ? true : control.read();
    if (chosen === null) control?.focus();
    else onAdd([operator.value, String(chosen)]);
  });
  discloser(find('filter-toggle', HTMLButtonElement), form);
}
