import { labelOf } from '../api/field.ts';
import type { Service } from '../api/service.ts';
import { type Control, controlFor } from '../editor/control.ts';
import { element, find, onSubmit, optionsOf, setAttributes, setText } from '../shared/dom.ts';
import type { Parameter } from './list-query.ts';

/** Operators that people know by a symbol; the others are called by their names. */
const SYMBOLS: Readonly<Record<string, string>> = {
  eq: '=',
  ne: '\u2260',
  gt: '>',
  gte: '\u2265',
  lt: '<',
  lte: '\u2264',
};

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
    operator.replaceChildren(...optionsOf(names.map((name) => [name, wordsOf(operatorOf(name))])));
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

/** A filter as people read it: `priority.gte=4` is "Priority ≥ 4". */
export function filterText({ fields }: Service, [name, value]: Parameter): string {
  const operator = operatorOf(name);
  const field = fields.find((each) => [each.name, `${each.name}.${operator}`].includes(name));
  if (field === undefined) return `${name}=${value}`;
  const isSaid = isFlag(operator) && value === 'true';
  return `${field.label} ${wordsOf(operator)}${isSaid ? '' : ` ${value}`}`;
}

function operatorOf(name: string): string {
  return name.replace(/^[^.]*\.?/, '') || 'eq';
}

function wordsOf(operator: string): string {
  return SYMBOLS[operator] ?? labelOf(operator).toLowerCase();
}

/** Whether an operator needs no value, as `isNull` does. */
function isFlag(operator: string): boolean {
  return operator.startsWith('is');
}
