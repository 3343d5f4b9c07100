import { RequestError, sentenceOf } from '../api/api-request.ts';
import type { Field, Values } from '../api/item-field.ts';
import { element, labelled, newId, setAttributes } from '../shared/dom.ts';
import { setText } from '../shared/page.ts';
import { controlFor } from './control.ts';

/** The controls for some fields of an item, each with the errors about it. */
export class FieldsForm {
  /** The place for errors that do not belong to a field. */
  readonly general = element('p', { class: 'error', role: 'alert' });
  readonly #rows: readonly ReturnType<typeof rowOf>[];
  #filled: Values = {};

  constructor(fields: readonly Field[]) {
    this.#rows = fields.map(rowOf);
    this.fill({});
  }

  /** The labelled controls. */
  get elements(): readonly HTMLElement[] {
    return this.#rows.map((row) => row.element);
  }

  get values(): Values {
    return Object.fromEntries(this.#rows.map(({ field, control }) => [field.name, control.read()]));
  }

  /** The values that the user has changed. Line breaks that a control drops are not a change. */
  get changes(): Values {
    const isChanged = ([name, value]: [string, unknown]) => value !== this.#filled[name];
    return Object.fromEntries(Object.entries(this.values).filter(isChanged));
  }

  /** Fills the fields, clears the errors, then applies the user's changes. */
  fill(values: Values, changes: Values = {}): void {
    this.showViolations([]);
    this.#set(values);
    this.#filled = this.values;
    this.#set({ ...values, ...changes });
  }

  focus(): void {
    this.#rows[0]?.control.input.focus();
  }

  /** Shows an error: each violation at its field, everything else in `general`. */
  showError(error: unknown): void {
    const violations = error instanceof RequestError ? error.violations : [];
    const elsewhere = violations
      .filter(({ pointer }) => !this.#rows.some((row) => row.pointer === pointer))
      .map(({ pointer, detail }) => `${pointer} ${detail}`);
    if (elsewhere.length === violations.length) this.focus();
    const sentence = sentenceOf(error, 'Your text is still here.');
    this.showViolations(violations, [sentence, ...elsewhere].join(' '));
  }

  /** Replaces the errors, and moves the focus to the first field with an error. */
  showViolations(violations: RequestError['violations'], general = ''): void {
    setText(this.general, general);
    for (const { pointer, control, error, element: row } of [...this.#rows].reverse()) {
      const matching = violations.filter((each) => each.pointer === pointer);
      const isWrong = matching.length > 0;
      setText(error, matching.map(({ detail }) => detail).join('; '));
      setAttributes(control.input, {
        'aria-invalid': isWrong && 'true',
        'aria-describedby': isWrong && error.id,
      });
      if (!isWrong) continue;
      // The part of the page that hides the field listens, and shows it.
      row.dispatchEvent(new Event('reveal', { bubbles: true }));
      control.input.focus();
    }
  }

  #set(values: Values): void {
    for (const { field, control } of this.#rows) control.write(values[field.name] ?? null);
  }
}

function rowOf(field: Field) {
  const control = controlFor(field);
  const error = element('p', { class: 'error', id: newId() });
  const row = labelled([field.label], control.input, error);
  row.classList.add(field.kind);
  return { field, pointer: `#/${field.name}`, control, error, element: row };
}
