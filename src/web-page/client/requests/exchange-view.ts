import type { Exchange, Fields } from '../api/exchange.ts';
import { button, element, setText, visuallyHidden } from '../shared/dom.ts';
import { formatJson } from '../shared/json.ts';
import { curlOf } from './curl.ts';

/** The most characters of content to show. */
const MAX_SHOWN = 20_000;

/** Header fields that are about the connection rather than the resource. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

/** The status of an exchange, or why there is none. */
export function statusOf({ response, failure, isOpen }: Exchange): string {
  if (response !== undefined) return String(response.status);
  return isOpen ? '\u2026' : (failure ?? '');
}

/** How long a response took to begin. */
export function durationOf({ durationMs }: Exchange): string {
  if (durationMs === undefined) return '';
  return durationMs < 10 ? `${durationMs.toFixed(1)} ms` : `${Math.round(durationMs)} ms`;
}

/** Shows a request and its response as they were sent. */
export function exchangeDetails(exchange: Exchange): readonly Node[] {
  const { request, response } = exchange;
  const command = element('pre', { class: 'curl' }, curlOf(request, location.origin));
  const copy = button({ class: 'copy' }, 'Copy', () => copyText(command, copy));
  copy.append(visuallyHidden(' the curl command'));
  return [
    part('Request', `${request.method} ${request.path}`, request.headers, request.body),
    ...(response === undefined
      ? [element('p', { class: 'error' }, exchange.failure ?? 'No response yet')]
      : [
          part(
            'Response',
            `${response.status} after ${durationOf(exchange)}`,
            response.headers,
            exchange.text,
          ),
        ]),
    element('div', { class: 'command' }, element('p', { class: 'part' }, 'curl'), copy, command),
  ];
}

function part(name: string, line: string, fields: Fields, content: string | undefined): Node {
  const list = element('dl', {});
  for (const [field, value] of fields) {
    if (!OF_CONNECTION.includes(field))
      list.append(element('dt', {}, field), element('dd', {}, value));
  }
  const shown = contentOf(content ?? '');
  return element(
    'section',
    {},
    element('p', { class: 'part' }, name),
    element('p', { class: 'start' }, line),
    ...(fields.length > 0 ? [list] : []),
    ...(shown === '' ? [] : [element('pre', { dir: 'auto' }, shown)]),
  );
}

/** Content to show: JSON is indented, and keeps its digits as they are. */
function contentOf(text: string): string {
  const shown = /^\s*[{[]/.test(text) ? formatJson(text.slice(0, MAX_SHOWN)) : text;
  const rest = text.length - MAX_SHOWN;
  if (rest <= 0) return shown.trimEnd();
  return `${shown.slice(0, 2 * MAX_SHOWN)}\n\u2026 and ${rest} characters more`;
}

/** Copies a text. If the page may not write to the clipboard, it selects the text instead. */
async function copyText(source: HTMLElement, trigger: HTMLButtonElement): Promise<void> {
  const before = trigger.firstChild;
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    if (before !== null) before.nodeValue = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(source);
    if (before !== null) before.nodeValue = 'Selected';
  }
  setTimeout(() => {
    if (before !== null) before.nodeValue = 'Copy';
  }, 1_500);
}

/** Shows an exchange in one line, and in full when opened. */
export class ExchangeView {
  readonly element = element('li');
  readonly #exchange: Exchange;
  readonly #details = element('details');
  readonly #body = element('div', { class: 'exchange' });
  readonly #status = element('span', { class: 'code' });
  readonly #time = element('span', { class: 'time' });
  #isDue = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    const { method, path } = exchange.request;
    const summary = element(
      'summary',
      {},
      element('b', {}, method),
      element('span', { class: 'path', title: path }, readable(path)),
      this.#status,
      this.#time,
    );
    this.#details.append(summary, this.#body);
    this.#details.addEventListener('toggle', () => this.#render());
    this.element.append(this.#details);
    this.#render();
    exchange.watch(() => this.#renderSoon());
  }

  /** Renders once per frame, since a stream can change thousands of times a second. */
  #renderSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#render();
    });
  }

  #render(): void {
    const { response, isOpen } = this.#exchange;
    const isBad = response === undefined ? !isOpen : response.status >= 400;
    setText(this.#status, statusOf(this.#exchange));
    setText(this.#time, response && isOpen ? 'open' : durationOf(this.#exchange));
    this.element.classList.toggle('bad', isBad);
    if (this.#details.open) this.#body.replaceChildren(...exchangeDetails(this.#exchange));
    else this.#body.replaceChildren();
  }
}

/** Decodes a path for people, if it can be decoded. */
function readable(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll('+', ' '));
  } catch {
    return path;
  }
}
