import { button, element, find, visuallyHidden } from '../shared/dom.ts';
import { type Controlled, View } from './address.ts';

/** How long to wait after the last key before searching, in milliseconds. */
const TYPING_MS = 150;

/** The controls that choose which part of the list is shown, and how. */
export class Toolbar {
  readonly #search = find('search', HTMLInputElement);
  readonly #status = find('status', HTMLElement);
  readonly #selects: ReadonlyMap<Controlled, HTMLSelectElement> = new Map([
    ['priority.gte', find('priority', HTMLSelectElement)],
    ['sort', find('sort', HTMLSelectElement)],
  ]);
  readonly #others = find('others', HTMLElement);
  readonly #open: (view: View, isTyping: boolean) => void;
  #view = new View('');
  #typing: number | undefined;

  /** @param open shows another view; while the user types, it replaces the previous one */
  constructor(open: (view: View, isTyping: boolean) => void) {
    this.#open = open;
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#searchNow(), TYPING_MS);
    });
    find('find', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#searchNow();
    });
    this.#status.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement) this.#choose('completed', target.value);
    });
    for (const [name, select] of this.#selects) {
      select.addEventListener('change', () => this.#choose(name, select.value));
    }
  }

  /** Sets the controls to a view. */
  render(view: View): void {
    this.#view = view;
    const isTyping = document.activeElement === this.#search && this.#typing !== undefined;
    if (!isTyping) this.#search.value = view.get('search');
    for (const radio of this.#status.querySelectorAll('input')) {
      radio.checked = radio.value === view.get('completed');
    }
    for (const [name, select] of this.#selects) choose(select, view.get(name));
    this.#others.replaceChildren(
      ...view.others.map(([name, value]) => {
        const text = element('span', {}, `${name}=${value} \u00d7`);
        const chip = button({ class: 'chip' }, visuallyHidden('Remove the filter '), () =>
          this.#open(this.#view.without(name, value), false),
        );
        chip.append(text);
        return chip;
      }),
    );
  }

  #choose(name: Controlled, value: string): void {
    this.#open(this.#view.with(name, value), false);
  }

  #searchNow(): void {
    clearTimeout(this.#typing);
    this.#typing = undefined;
    const { value } = this.#search;
    if (value !== this.#view.get('search')) this.#open(this.#view.with('search', value), true);
  }
}

/** Selects an option. A value that somebody typed into the address gets its own option. */
function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.append(element('option', { value }, value));
  }
  select.value = value;
}
