import type { Exchange } from '../api/exchange.ts';
import { find, setText, show } from '../shared/dom.ts';
import { ExchangeView } from './exchange-view.ts';

/** How many requests to keep. */
const MAX_SHOWN = 100;

const SETTING = 'requests';

/** At this width there is room for the panel beside the list. */
const WIDE = '(min-width: 70rem)';

/** Shows each request as it happens, the latest first. */
export class RequestsPanel {
  readonly #list = find('exchanges', HTMLOListElement);
  readonly #body = find('requests-body', HTMLElement);
  readonly #toggle = find('requests-toggle', HTMLButtonElement);
  readonly #count = find('requests-count', HTMLElement);
  #total = 0;

  constructor() {
    this.#toggle.addEventListener('click', () => {
      this.#open(this.#body.hidden !== false);
      remember(this.#body.hidden ? 'closed' : 'open');
    });
    find('requests-clear', HTMLButtonElement).addEventListener('click', () => {
      this.#list.replaceChildren();
      this.#toggle.focus();
    });
    const setting = remembered();
    this.#open(setting === null ? matchMedia(WIDE).matches : setting === 'open');
  }

  add(exchange: Exchange): void {
    this.#total++;
    setText(this.#count, String(this.#total));
    this.#list.prepend(new ExchangeView(exchange).element);
    if (this.#list.children.length > MAX_SHOWN) this.#list.lastElementChild?.remove();
  }

  #open(isOpen: boolean): void {
    show(this.#body, isOpen);
    this.#toggle.setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('with-requests', isOpen);
  }
}

/** Accessing the storage throws in browsers that are set to keep nothing. */
function remember(setting: string): void {
  try {
    localStorage.setItem(SETTING, setting);
  } catch {}
}

function remembered(): string | null {
  try {
    return localStorage.getItem(SETTING);
  } catch {
    return null;
  }
}
