import { type Field, fromText, toText, type Value } from '../api/item-field.ts';
import { element, optionsOf } from '../shared/dom.ts';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A control with which a user sets a value. */
export interface Control {
  readonly input: Input;
  /** The value. While it is empty, null, or an empty text if the field is never null. */
  read(): Value;
  write(value: Value): void;
}

/** Creates the control that fits a field. */
export function controlFor(field: Field): Control {
  const { kind, isLong, description: title } = field;
  const choices = choicesOf(field);
  if (choices.length > 0) {
    return inputControl(field, element('select', { title }, ...optionsOf(choices)));
  }
  if (kind === 'text' || kind === 'json') {
    const text = { title, placeholder: title, autocomplete: 'off', dir: 'auto' };
    const input =
      isLong || kind === 'json'
        ? element('textarea', { ...text, rows: 2 })
        : element('input', { ...text, type: 'text' });
    return inputControl(field, input);
  }
  if (kind === 'boolean') return tickFor(field);
  const isNumber = kind === 'integer' || kind === 'number';
  const type = isNumber ? 'number' : 'datetime-local';
  return inputControl(field, element('input', { title, type, step: kind === 'number' && 'any' }));
}

/** Creates the box of a boolean. It is empty if there is no value. */
export function tickFor({ description: title }: Field): Control {
  return boxControl(element('input', { title, type: 'checkbox' }));
}

/** The values to choose from, if they are few. Booleans need a choice only if nullable. */
function choicesOf(field: Field): [value: string, text: string][] {
  const { kind, isNullable, isOptional, choices, label } = field;
  const mayLack = isNullable || isOptional;
  const none: [string, string][] = mayLack ? [['', '\u2013']] : [];
  if (kind === 'boolean') return mayLack ? [...none, ['true', 'yes'], ['false', 'no']] : [];
  if (choices.length === 0) return [];
  return [
    ...none,
    ...choices.map((choice): [string, string] => {
      return [String(choice), kind === 'text' ? String(choice) : `${label} ${choice}`];
    }),
  ];
}

function inputControl(field: Field, input: Input): Control {
  return {
    input,
    read: () => fromText(field, input.value),
    write(value) {
      input.value = toText(field, value);
    },
  };
}

function boxControl(input: HTMLInputElement): Control {
  return {
    input,
    read: () => input.checked,
    write(value) {
      input.checked = value === true;
    },
  };
}
