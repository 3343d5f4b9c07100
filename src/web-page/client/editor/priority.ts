import { element, newId, visuallyHidden } from '../shared/dom.ts';

/** What each step means, for screen readers. */
const STEPS = ['lowest', 'low', 'medium', 'high', 'highest'];

/** A control of five steps: a single tab stop, in which the arrow keys move from step to step. */
export class PriorityControl {
  readonly element: HTMLFieldSetElement;
  readonly #inputs: readonly HTMLInputElement[];

  /** @param onChange called when the user chooses, but not when `value` is set */
  constructor(name: string, value: number, onChange: () => void = () => {}) {
    const group = newId();
    this.#inputs = STEPS.map((_, index) =>
      element('input', { type: 'radio', name: group, value: index + 1, class: 'visually-hidden' }),
    );
    const labels = this.#inputs.map((input, index) =>
      element('label', { title: `Priority ${index + 1}` }, input, visuallyHidden(labelOf(index))),
    );
    const legend = element('legend', { class: 'visually-hidden' }, name);
    this.element = element('fieldset', { class: 'priority' }, legend, ...labels);
    this.element.addEventListener('change', () => {
      this.#mark();
      onChange();
    });
    this.value = value;
  }

  get value(): number {
    return this.#inputs.findIndex(({ checked }) => checked) + 1;
  }

  set value(value: number) {
    for (const [index, input] of this.#inputs.entries()) input.checked = index + 1 === value;
    this.#mark();
  }

  focus(): void {
    const chosen = this.#inputs.find(({ checked }) => checked) ?? this.#inputs[0];
    chosen?.focus();
  }

  rename(name: string): void {
    const { firstElementChild: legend } = this.element;
    if (legend !== null && legend.textContent !== name) legend.textContent = name;
  }

  #mark(): void {
    this.element.dataset.value = String(this.value);
  }
}

function labelOf(index: number): string {
  return `${index + 1}, ${STEPS[index]}`;
}
