import { ConnectionError, ProblemError, sentenceOf } from '../api/problem.ts';
import type { TodoValues } from '../api/todo.ts';
import { element, newId, setAttributes, setText } from '../shared/dom.ts';
import { PriorityControl } from './priority.ts';

/** A field of a form: its input, and the place for its error message. */
interface Field {
  readonly input: HTMLElement;
  readonly error: HTMLElement;
}

/** The form fields of an item, each with the service's error messages about it. */
export class ItemFields {
  readonly title: HTMLInputElement;
  readonly description: HTMLTextAreaElement;
  readonly priority: PriorityControl;
  /** The checkbox for a null description; undefined if it cannot be null. */
  readonly isNull: HTMLInputElement | undefined;
  readonly titleField: HTMLElement;
  readonly otherFields: HTMLElement;
  readonly general: HTMLElement;
  readonly #fields: ReadonlyMap<string, Field>;
  #filled: TodoValues = {};

  /** @param isNullable whether a description can be null */
  constructor(isNullable: boolean, titleLabel: string) {
    const titleId = newId();
    const descriptionId = newId();
    this.title = element('input', { id: titleId, type: 'text', autocomplete: 'off', dir: 'auto' });
    this.description = element('textarea', { id: descriptionId, rows: 2, dir: 'auto' });
    this.priority = new PriorityControl('Priority', 3);
    this.isNull = isNullable ? element('input', { type: 'checkbox' }) : undefined;
    this.isNull?.addEventListener('change', () => this.#markNull());
    this.general = element('p', { class: 'error', role: 'alert' });

    const title: Field = { input: this.title, error: errorPlace() };
    const description: Field = { input: this.description, error: errorPlace() };
    const priority: Field = { input: this.priority.element, error: errorPlace() };
    this.#fields = new Map(Object.entries({ title, description, priority }));
    this.titleField = element(
      'div',
      { class: 'field' },
      element('label', { for: titleId }, titleLabel),
      this.title,
      title.error,
    );
    this.otherFields = element(
      'div',
      { class: 'fields' },
      element(
        'div',
        { class: 'field' },
        element(
          'div',
          { class: 'labels' },
          element('label', { for: descriptionId }, 'Description'),
          ...(this.isNull ? [element('label', { class: 'null' }, this.isNull, 'null')] : []),
        ),
        this.description,
        description.error,
      ),
      element(
        'div',
        { class: 'field' },
        element('span', { class: 'label', 'aria-hidden': 'true' }, 'Priority'),
        this.priority.element,
        priority.error,
      ),
    );
  }

  get values(): Required<Omit<TodoValues, 'completed'>> {
    return {
      title: this.title.value,
      description: this.isNull?.checked ? null : this.description.value,
      priority: this.priority.value,
    };
  }

  set values(values: TodoValues) {
    this.#set(values);
    this.#filled = this.values;
  }

  /** Fills the fields with other values, and keeps what the user has changed. */
  refill(values: TodoValues): void {
    const { touched } = this;
    this.values = values;
    this.#set({ ...values, ...touched });
  }

  /**
   * What the user has changed since the fields were filled. Controls also change text by
   * themselves: they drop line breaks from a title, and normalize those of a description.
   */
  get touched(): TodoValues {
    const { title, description, priority } = this.values;
    return {
      ...(title === this.#filled.title ? {} : { title }),
      ...(description === this.#filled.description ? {} : { description }),
      ...(priority === this.#filled.priority ? {} : { priority }),
    };
  }

  /** Shows an error: each violation at its field, everything else above the buttons. */
  showError(error: unknown): void {
    this.clearErrors();
    const violations = error instanceof ProblemError ? error.violations : [];
    const rest: string[] = [];
    const wrong = new Map<Field, string[]>();
    for (const { pointer, detail } of violations) {
      const field = this.#fields.get(pointer.replace(/^#\//, ''));
      if (field === undefined) rest.push(`${pointer} ${detail}`);
      else wrong.set(field, [...(wrong.get(field) ?? []), detail]);
    }
    for (const [{ input, error: place }, details] of wrong) {
      setText(place, details.join('; '));
      const isGroup = input instanceof HTMLFieldSetElement;
      setAttributes(input, {
        'aria-invalid': isGroup ? undefined : 'true',
        'aria-describedby': place.id,
      });
    }
    const kept = error instanceof ConnectionError ? ' Your text is still here.' : '';
    setText(this.general, [sentenceOf(error), ...rest].join(' ') + kept);
    const [first] = wrong.keys();
    if (first?.input instanceof HTMLFieldSetElement) this.priority.focus();
    else (first?.input ?? this.title).focus();
  }

  clearErrors(): void {
    setText(this.general, '');
    for (const { input, error } of this.#fields.values()) {
      setText(error, '');
      setAttributes(input, { 'aria-invalid': undefined, 'aria-describedby': undefined });
    }
  }

  #set({ title = '', description = '', priority = 3 }: TodoValues): void {
    this.title.value = title;
    this.description.value = description ?? '';
    this.priority.value = priority;
    if (this.isNull !== undefined) this.isNull.checked = description === null;
    this.#markNull();
  }

  #markNull(): void {
    this.description.disabled = this.isNull?.checked ?? false;
    this.description.placeholder = this.isNull?.checked ? 'null' : '';
  }
}

function errorPlace(): HTMLElement {
  return element('p', { class: 'error', id: newId() });
}
