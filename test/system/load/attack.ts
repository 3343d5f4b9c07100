import { AUTHORIZED } from '../../support/admin.ts';
import { EVENTS, itemPath, LIST } from '../../support/paths.ts';
import type { Random } from '../../support/random.ts';

/** The most bytes that all clients of an attack send together. */
const MAX_BYTES = 100_000_000;

const TOKEN_FIELD = `Authorization: ${AUTHORIZED.authorization}\r\n`;

/** What is asked for. */
interface Asked {
  readonly method: string;
  /** @param client the number of the client */
  readonly path: (client: number) => string;
}

const REQUESTS: readonly [Asked, ...Asked[]] = [
  { method: 'GET', path: () => '/livez' },
  { method: 'GET', path: () => LIST },
  { method: 'GET', path: () => itemPath(1) },
  { method: 'GET', path: () => `${LIST}?search=number&sort=-description,title` },
  { method: 'GET', path: () => `${LIST}?limit=100&sort=description.ignoreCase` },
  { method: 'GET', path: () => '/openapi.json' },
  { method: 'GET', path: () => '/nowhere' },
  { method: 'POST', path: () => LIST },
  { method: 'POST', path: () => `${LIST}/batch` },
  { method: 'PATCH', path: () => `${LIST}?id.gte=1` },
  { method: 'DELETE', path: () => `${LIST}?id.gte=1000000` },
  { method: 'POST', path: () => '/admin/reset' },
  { method: 'PUT', path: (client: number) => `/admin/lists/l${client % 60}` },
  { method: 'PUT', path: (client: number) => `/lists/l${client % 60}/admin/faults` },
];

/** A parameter, which is repeated until a target is long enough. */
const PARAMETERS = ['a', 'id=1', 'id.in=1,2', 'title.contains=x', 'sort=title', 'x='] as const;

/** A header field, which is repeated. A long one has the length of all. */
const FIELDS = ['a:b', 'Cookie: a=b', 'long'] as const;

interface JsonForm {
  readonly begin: string;
  /** It is repeated until the content is long enough. */
  readonly unit: string;
  readonly end: string;
}

const CONTENTS: readonly [JsonForm, ...JsonForm[]] = [
  { begin: '{"title":"x"}', unit: ' ', end: '' },
  { begin: '[{"title":"x"}', unit: ',{"title":"x"}', end: ']' },
  { begin: '[1', unit: ',1e308', end: ']' },
  { begin: '[', unit: '{"a":[[{}]]},', end: '{}]' },
  { begin: '{"title":"', unit: 'α', end: '"}' },
  { begin: '{"faults":[{"delayMs":1}', unit: ',{"status":503,"times":1}', end: ']}' },
];

/** How much of the last request each client sends. */
const EXTENTS = [
  'all',
  'no end of the header section',
  'half of the content',
  'no last byte',
] as const;

/** What keeps the first request of each connection waiting, or its response. */
const HOLDS = ['nothing', 'delayMs', 'responseDelayMs', 'an event stream'] as const;

/** What another client does meanwhile. */
const BESIDES = ['nothing', 'resets', 'writes to all items', 'single writes'] as const;

/** Many clients that do the same at once. */
export interface Attack {
  readonly description: string;
  readonly clients: number;
  readonly doRead: boolean;
  readonly hold: (typeof HOLDS)[number];
  readonly beside: (typeof BESIDES)[number];
  /** @param client its number, from 0 */
  readonly bytes: (client: number) => string;
}

/**
 * Draws an attack. A third of lengths and numbers are the greatest, and of the others each order of
 * magnitude is as likely.
 */
export function drawAttack(random: Random): Attack {
  const { method, path } = random.pick(REQUESTS);
  const targetLength = random.chance(2) ? 0 : upTo(8_000);
  const parameter = random.pick(PARAMETERS);
  const fieldsLength = random.chance(2) ? 0 : upTo(24_000);
  const field = random.pick(FIELDS);
  const contentLength = random.chance(2)
    ? 0
    : upTo(path(0).includes('/admin/') ? 1_000_000 : 65_000);
  const content = random.pick(CONTENTS);
  const chunkLength = random.chance(2) ? 0 : upTo(65_000);
  const extent = random.chance(2) ? 'all' : random.pick(EXTENTS);
  const wantedTimes = random.chance(2) ? 1 : upTo(2_000);
  const hold = random.pick(HOLDS);
  const beside = random.chance(2) ? 'nothing' : random.pick(BESIDES);
  const doRead = random.chance(3);
  const wanted = 10 * upTo(400);

  const parameters = repeated(parameter, '&', targetLength);
  const fields = fieldsOf(field, fieldsLength);
  const json = contentLength === 0 ? '' : jsonOf(content, contentLength);
  const request = (client: number) => {
    const target = path(client);
    const separator = target.includes('?') ? '&' : '?';
    const token = target.includes('/admin/') ? TOKEN_FIELD : '';
    const line = `${method} ${target}${parameters && separator + parameters} HTTP/1.1\r\nHost: localhost\r\n`;
    return { head: line + token + fields, body: bodyOf(json, chunkLength) };
  };
  const { head, body } = request(0);
  const times = Math.max(1, Math.min(wantedTimes, Math.floor(MAX_BYTES / (head + body).length)));
  const bytes = (client: number) => {
    const { head, body } = request(client);
    const whole = head + body;
    const before =
      hold === 'an event stream' ? `GET ${EVENTS} HTTP/1.1\r\nHost: localhost\r\n\r\n` : '';
    return before + whole.repeat(times - 1) + partOf({ head, body }, extent);
  };
  const clients = Math.max(1, Math.floor(Math.min(wanted, MAX_BYTES / bytes(0).length)));
  const description =
    `${clients} clients, ${times} × ${method} ${path(0)}, ${parameters.length} bytes of ${parameter}, ` +
    `${fields.length} of fields ${field}, ${json.length} of content ${content.unit} in chunks of ` +
    `${chunkLength}, sent: ${extent}, held by ${hold}, beside ${beside}, ${doRead ? 'read' : 'unread'}`;
  return { description, clients, doRead, hold, beside, bytes };

  function upTo(most: number): number {
    return random.chance(3) ? most : Math.max(1, Math.floor(most ** (random.below(1_001) / 1_000)));
  }
}

function repeated(text: string, separator: string, length: number): string {
  const count = Math.floor((length + separator.length) / (text.length + separator.length));
  return Array(count).fill(text).join(separator);
}

function fieldsOf(field: (typeof FIELDS)[number], length: number): string {
  if (length === 0) return '';
  return field === 'long'
    ? `a: ${'b'.repeat(length)}\r\n`
    : `${repeated(field, '\r\n', length)}\r\n`;
}

function jsonOf({ begin, unit, end }: JsonForm, length: number): string {
  const text = begin + unit.repeat(Math.max(0, length - begin.length) / unit.length) + end;
  // One character for each byte.
  return Buffer.from(text).toString('latin1');
}

/** The framing fields, the end of the header section, and the content. */
function bodyOf(json: string, chunkLength: number): string {
  if (json === '') return '\r\n';
  const type = 'Content-Type: application/json\r\n';
  if (chunkLength === 0) return `${type}Content-Length: ${json.length}\r\n\r\n${json}`;
  const chunks: string[] = [];
  for (let at = 0; at < json.length; at += chunkLength) {
    const chunk = json.slice(at, at + chunkLength);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${type}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
}

function partOf(
  { head, body }: { readonly head: string; readonly body: string },
  extent: (typeof EXTENTS)[number],
): string {
  if (extent === 'no end of the header section') return head.slice(0, -2);
  if (extent === 'half of the content') return head + body.slice(0, Math.ceil(body.length / 2));
  return extent === 'no last byte' ? (head + body).slice(0, -1) : head + body;
}
