import { type Exchange, type Fields, MAX_TEXT } from '../api/exchange.ts';
import { button, element, termOf, visuallyHidden } from '../shared/dom.ts';
import { attempt, formatJson } from '../shared/json.ts';
import { discloser, find, setText } from '../shared/page.ts';
import { curlOf } from './curl.ts';

/** How many exchanges to keep, and how many characters of all responses but the latest. */
const MAX_EXCHANGES = 100;
const MAX_KEPT_TEXT = 5_000_000;

const SETTING = 'requests';

/** At this width there is room for the panel beside the list. */
const WIDE = '(min-width: 70rem)';

/** How long a button shows its result, in milliseconds. */
const DONE_MS = 1_500;

/** Header fields that nearly every response has, in the lower case of `Headers`. */
const COMMON =
  /^(access-control-.*|cache-control|connection|content-(length|type)|date|keep-alive|transfer-encoding|vary|x-(content-type-options|request-id))$/;

/** Shows a request and its response: first line, content and its own header fields come first. */
export function exchangeDetails(exchange: Exchange): readonly Node[] {
  const { request, status, headers, failure } = exchange;
  const { method, path, body } = request;
  const text = curlOf(request, location.origin);
  const command = element('pre', { class: 'curl' }, text);
  const copied = element('span', {}, 'Copy');
  const subject = visuallyHidden(' the curl command');
  const copy = button({ class: 'quiet' }, () => copyText(text, command, copied), copied, subject);
  return [
    part('Request', `${method} ${path}`, request.headers, body ?? ''),
    status === 0
      ? element('p', { class: 'error' }, failure || 'No response yet')
      : part('Response', `${status} after ${durationOf(exchange)}`, headers, exchange.text),
    element('div', { class: 'command' }, element('p', { class: 'small' }, 'curl'), copy, command),
  ];
}

function part(name: string, line: string, fields: Iterable<Fields[number]>, content: string): Node {
  const all = [...fields];
  const own = all.filter(([field]) => !COMMON.test(field));
  const common = all.filter(([field]) => COMMON.test(field));
  return element(
    'section',
    {},
    element('p', { class: 'small' }, name),
    element('p', { class: 'start mono' }, line),
    content !== '' && element('pre', { dir: 'auto' }, shorten(formatJson(content).trimEnd())),
    own.length > 0 && listOf(own),
    common.length > 0 &&
      element('details', {}, element('summary', {}, fieldsText(common.length)), listOf(common)),
  );
}

function listOf(fields: Fields): HTMLElement {
  return element('dl', { class: 'mono' }, ...fields.flatMap((field) => termOf(...field)));
}

function fieldsText(count: number): string {
  return count === 1 ? '1 common header field' : `${count} common header fields`;
}

function shorten(text: string): string {
  const rest = text.length - MAX_TEXT;
  return rest <= 0 ? text : `${text.slice(0, MAX_TEXT)}\n\u2026 and ${rest} more characters`;
}

function durationOf({ durationMs }: Exchange): string {
  if (durationMs === 0) return '';
  return durationMs < 10 ? `${durationMs.toFixed(1)} ms` : `${Math.round(durationMs)} ms`;
}

/** Copies a text. If the page may not write to the clipboard, it selects the text instead. */
async function copyText(text: string, source: HTMLElement, label: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    setText(label, 'Copied');
  } catch {
    getSelection()?.selectAllChildren(source);
    setText(label, 'Selected');
  }
  setTimeout(() => setText(label, 'Copy'), DONE_MS);
}

function exchangeEntry(exchange: Exchange) {
  const { method, path } = exchange.request;
  const code = element('span', { class: 'code mono' });
  const time = element('span', { class: 'time small' });
  const readable = attempt(() => decodeURIComponent(path.replaceAll('+', ' '))) ?? path;
  const target = element('span', { class: 'path mono', title: path }, readable);
  const body = element('div', { class: 'exchange' });
  const summary = element('summary', {}, element('b', {}, method), target, code, time);
  const details = element('details', { toggle: render }, summary, body);
  const entry = element('li', {}, details);
  let frame = 0;

  function render(): void {
    frame = 0;
    const { status, isOpen, failure } = exchange;
    const isBegun = status !== 0;
    setText(code, isBegun ? String(status) : failure || '\u2026');
    setText(time, isBegun && isOpen ? 'open' : durationOf(exchange));
    entry.classList.toggle('bad', isBegun ? status >= 400 : !isOpen);
    body.replaceChildren(...(details.open ? exchangeDetails(exchange) : []));
  }

  render();
  return {
    element: entry,
    /** Renders once per frame, since a stream can change thousands of times a second. */
    changed(): void {
      if (frame === 0) frame = requestAnimationFrame(render);
    },
  };
}

/** Makes the panel that shows each request as it happens, the latest first. */
export function createRequestsPanel(): (exchange: Exchange) => () => void {
  const kept: Exchange[] = [];
  const keptText = () => kept.reduce((sum, { text }) => sum + text.length, 0);
  const list = find('exchanges', HTMLOListElement);
  const toggle = find('requests-toggle', HTMLButtonElement);
  const count = find('requests-count', HTMLElement);
  // Browsers that are set to keep nothing refuse access to the storage.
  const setting = attempt(() => localStorage.getItem(SETTING));
  const body = find('requests-body', HTMLElement);
  const open = discloser(toggle, body);
  toggle.addEventListener('click', () => {
    attempt(() => localStorage.setItem(SETTING, body.hidden ? 'closed' : 'open'));
  });
  find('requests-clear', HTMLButtonElement).addEventListener('click', () => {
    list.replaceChildren();
    kept.length = 0;
    toggle.focus();
  });
  open(setting ? setting === 'open' : matchMedia(WIDE).matches);
  return (exchange) => {
    setText(count, String(Number(count.textContent) + 1));
    const entry = exchangeEntry(exchange);
    list.prepend(entry.element);
    kept.unshift(exchange);
    while (kept.length > MAX_EXCHANGES || keptText() > MAX_KEPT_TEXT) {
      kept.pop();
      list.lastElementChild?.remove();
    }
    return entry.changed;
  };
}
