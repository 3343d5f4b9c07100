import { type Exchange, type Fields, MAX_TEXT } from '../api/api-request.ts';
import { button, element, termAndDescription, visuallyHidden } from '../shared/dom.ts';
import { attempt, formatJson } from '../shared/json.ts';
import { createDisclosure, find, setText } from '../shared/page.ts';
import { curlOf } from './curl.ts';

/** The maximum number of exchanges to keep. */
const MAX_EXCHANGES = 100;

/** From this width, the panel fits beside the list. */
const WIDE = '(min-width: 70rem)';

/** Header fields that nearly every response has, in the lower case of `Headers`. */
const COMMON =
  /^(access-control-.*|cache-control|connection|content-(length|type)|date|keep-alive|transfer-encoding|vary|x-(content-type-options|request-id))$/;

/** Shows a request and its response: first line, content and its own header fields come first. */
export function exchangeDetails(exchange: Exchange): readonly Node[] {
  const { request, status, headers, failure } = exchange;
  const { method, path, body } = request;
  const command = element('pre', { class: 'curl' }, curlOf(request, location.origin));
  const subject = visuallyHidden(' the curl command');
  const copy = button({ class: 'quiet' }, () => copyText(command, copy), 'Copy', subject);
  return [
    part('Request', `${method} ${path}`, request.headers, body ?? ''),
    status === 0
      ? element('p', { class: 'error' }, failure || 'No response yet')
      : part('Response', `${status} after ${durationOf(exchange)}`, headers, exchange.text),
    element('div', { class: 'between' }, element('p', { class: 'small' }, 'curl'), copy),
    command,
  ];
}

function part(name: string, line: string, fields: Iterable<Fields[number]>, content: string): Node {
  const all = [...fields];
  const special = all.filter(([field]) => !COMMON.test(field));
  const common = all.filter(([field]) => COMMON.test(field));
  const count =
    common.length === 1 ? '1 common header field' : `${common.length} common header fields`;
  return element(
    'section',
    {},
    element('p', { class: 'small' }, name),
    element('p', { class: 'start mono' }, line),
    content !== '' && element('pre', { dir: 'auto' }, shorten(formatJson(content).trimEnd())),
    special.length > 0 && listOf(special),
    common.length > 0 && element('details', {}, element('summary', {}, count), listOf(common)),
  );
}

function listOf(fields: Fields): HTMLElement {
  return element(
    'dl',
    { class: 'mono' },
    ...fields.flatMap((field) => termAndDescription(...field)),
  );
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
async function copyText(source: HTMLElement, trigger: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    setText(trigger, 'Copied');
  } catch {
    getSelection()?.selectAllChildren(source);
    setText(trigger, 'Selected');
  }
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

/** Creates the panel that shows each request as it happens, the latest first. */
export function createRequestsPanel(): (exchange: Exchange) => () => void {
  const list = find('exchanges', HTMLOListElement);
  const toggle = find('requests-toggle', HTMLButtonElement);
  const count = find('requests-count', HTMLElement);
  createDisclosure(toggle, find('requests-body', HTMLElement))(matchMedia(WIDE).matches);
  find('requests-clear', HTMLButtonElement).addEventListener('click', () => {
    list.replaceChildren();
    toggle.focus();
  });
  return (exchange) => {
    setText(count, String(Number(count.textContent) + 1));
    const entry = exchangeEntry(exchange);
    list.prepend(entry.element);
    list.children[MAX_EXCHANGES]?.remove();
    return entry.changed;
  };
}
