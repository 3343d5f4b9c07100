import { type Exchange, type Fields, MAX_TEXT } from '../api/api-request.ts';
import { button, element, termAndDescription, visuallyHidden } from '../shared/dom.ts';
import { formatJson } from '../shared/json.ts';
import { copyText } from '../shared/page.ts';
import { curlOf, withoutToken } from './curl.ts';

/** Fields of the connection, the browser and the page, which a curl command does without. */
export const AUTOMATIC =
  /^(host|connection|content-length|accept-(encoding|language)|cache-control|pragma|priority|sec-.*|dnt|upgrade-.*|x-(client|request-id))$/;

/** Other fields that nearly every request or response has, in the lower case of `Headers`. */
const USUAL =
  /^(access-control-.*|content-type|date|keep-alive|transfer-encoding|user-agent|vary|x-content-type-options)$/;

/** Shows a request and its response: first line, content and its own header fields come first. */
export function exchangeDetails(exchange: Exchange): readonly Node[] {
  const { request, status, headers, failure, client, sentAt, recorded } = exchange;
  const { method, path, body } = request;
  const sender = recorded && ` from ${client} at ${new Date(sentAt).toLocaleTimeString()}`;
  const fields = [...request.headers.map(withoutToken), ...(recorded?.automatic ?? [])];
  return [
    part(`Request${sender ?? ''}`, `${method} ${path}`, fields, body ?? ''),
    status === 0
      ? element('p', { class: 'error' }, failure || 'No response yet')
      : part('Response', `${status} after ${durationOf(exchange)}`, headers, exchange.text),
    ...(recorded ? [note('The service keeps no responses to other clients.')] : []),
    ...(recorded?.isCut ? [note('The service keeps 4 KiB of the content.')] : []),
    ...curlDetails(exchange),
  ];
}

function note(text: string): Node {
  return element('p', { class: 'small' }, text);
}

function curlDetails({ request, recorded }: Exchange): readonly Node[] {
  if (recorded?.isCut || !request.path.startsWith('/')) return [note('No curl command')];
  const command = element('pre', { class: 'curl' }, curlOf(request, location.origin));
  const subject = visuallyHidden(' the curl command');
  const copy = button({ class: 'quiet' }, () => copyText(command, copy), 'Copy', subject);
  return [element('div', { class: 'between' }, note('curl'), copy), command];
}

function part(name: string, line: string, fields: Iterable<Fields[number]>, content: string): Node {
  const all = [...fields];
  const isCommon = ([field]: Fields[number]) => AUTOMATIC.test(field) || USUAL.test(field);
  const special = all.filter((field) => !isCommon(field));
  const common = all.filter(isCommon);
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

/** The time until the response began; empty before. */
export function durationOf({ durationMs }: Exchange): string {
  if (durationMs === 0) return '';
  return durationMs < 10 ? `${durationMs.toFixed(1)} ms` : `${Math.round(durationMs)} ms`;
}
