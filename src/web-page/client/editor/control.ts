import { type Field, fromText, type Kind, type Value } from '../api/field.ts';
import { element, newId, optionsOf, visuallyHidden } from '../shared/dom.ts';

/** A control with which a user sets a value. */
export interface Control {
  /** The element that label and error refer to. */
  readonly input: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLFieldSetElement;
  /** A checkbox beside the label, for null where an empty input is a value. */
  readonly nullBox?: HTMLInputElement;
  /** The value; null as long as there is none. */
  read(): Value;
  write(value: Value): void;
  focus(): void;
}

/** Makes the control that fits a field. */
export function controlFor(field: Field): Control {
  const { kind, isNullable, isLong, steps, description: title } = field;
  if (steps.length > 0) return scaleControl(field);
  const attributes = { id: newId(), title };
  if (kind === 'text') {
    const text = { ...attributes, placeholder: title, autocomplete: 'off', dir: 'auto' };
    const input = isLong
      ? element('textarea', { ...text, rows: 2 })
      : element('input', { ...text, type: 'text' });
    return isNullable ? nullableControl(field, input) : inputControl(kind, input);
  }
  if (kind !== 'boolean') {
    const type = kind === 'integer' ? 'number' : 'datetime-local';
    return inputControl(kind, element('input', { ...attributes, type }));
  }
  if (isNullable) {
    const choices = optionsOf(Object.entries({ '': '\u2013', true: 'yes', false: 'no' }));
    return inputControl(kind, element('select', attributes, ...choices));
  }
  const input = element('input', { ...attributes, type: 'checkbox' });
  return {
    ...inputControl(kind, input),
    read: () => input.checked,
    write(value) {
      input.checked = value === true;
    },
  };
}

function inputControl(kind: Kind, input: Exclude<Control['input'], HTMLFieldSetElement>): Control {
  return {
    input,
    read: () => fromText(kind, input.value),
    write(value) {
      input.value = String(value ?? '');
    },
    focus: () => input.focus(),
  };
}

function nullableControl(field: Field, input: HTMLInputElement | HTMLTextAreaElement): Control {
  const control = inputControl(field.kind, input);
  const mark = () => {
    input.disabled = nullBox.checked;
    input.placeholder = nullBox.checked ? 'null' : field.description;
  };
  const nullBox = element('input', { type: 'checkbox', change: mark });
  return {
    ...control,
    nullBox,
    read: () => (nullBox.checked ? null : control.read()),
    write(value) {
      nullBox.checked = value === null;
      control.write(value);
      mark();
    },
    focus: () => (nullBox.checked ? nullBox : input).focus(),
  };
}

/** Few integers: a single tab stop, in which the arrow keys move from step to step. */
function scaleControl({ label, steps }: Field): Control {
  const name = newId();
  const radios = steps.map((value) =>
    element('input', { type: 'radio', name, value: String(value), class: 'visually-hidden' }),
  );
  const labels = radios.map((radio) =>
    element('label', { title: `${label} ${radio.value}` }, radio, visuallyHidden(radio.value)),
  );
  for (const [at, label] of labels.entries()) {
    label.style.setProperty('--height', String(at / Math.max(1, steps.length - 1)));
  }
  const chosen = () => radios.findIndex(({ checked }) => checked);
  return {
    input: element('fieldset', { class: 'scale', 'aria-label': label }, ...labels),
    read: () => steps[chosen()] ?? null,
    write(value) {
      for (const [at, radio] of radios.entries()) radio.checked = steps[at] === value;
    },
    focus: () => radios[Math.max(0, chosen())]?.focus(),
  };
}
