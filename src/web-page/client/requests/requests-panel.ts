import type { Exchange } from '../api/exchange.ts';
import { discloser, find, setText } from '../shared/dom.ts';
import { exchangeEntry } from './exchange-view.ts';

/** How many requests to keep. */
const MAX_SHOWN = 100;

const SETTING = 'requests';

/** At this width there is room for the panel beside the list. */
const WIDE = '(min-width: 70rem)';

/**
 * Makes the panel that shows each request as it happens, the latest first.
 * @returns adds a request
 */
export function createRequestsPanel(): (exchange: Exchange) => void {
  const list = find('exchanges', HTMLOListElement);
  const toggle = find('requests-toggle', HTMLButtonElement);
  let total = 0;
  const setting = stored((storage) => storage.getItem(SETTING));
  const body = find('requests-body', HTMLElement);
  const open = discloser(toggle, body, (isOpen) => {
    document.body.classList.toggle('with-requests', isOpen);
  });
  toggle.addEventListener('click', () => {
    stored((storage) => storage.setItem(SETTING, body.hidden ? 'closed' : 'open'));
  });
  find('requests-clear', HTMLButtonElement).addEventListener('click', () => {
    list.replaceChildren();
    toggle.focus();
  });
  open(setting ? setting === 'open' : matchMedia(WIDE).matches);
  return (exchange) => {
    total++;
    setText(find('requests-count', HTMLElement), String(total));
    list.prepend(exchangeEntry(exchange));
    if (list.children.length > MAX_SHOWN) list.lastElementChild?.remove();
  };
}

/** Uses the storage. That throws in browsers that are set to keep nothing. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}
