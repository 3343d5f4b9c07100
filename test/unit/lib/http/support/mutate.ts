import type { Random } from '../../../../support/random.ts';

/** Bytes with a special meaning somewhere in a request. */
const TOKENS = [
  ...(['\r\n', '\r\n\r\n', '\r', '\n', '\0', ' ', '\t', ':', '/', '//', '..', '%', '%00'] as const),
  ...[
    '%2f',
    '#',
    '?',
    '*',
    '"',
    '\\',
    '{',
    '}',
    '[',
    ',',
    'null',
    '-1',
    '0',
    '1e9',
    '9'.repeat(20),
  ],
  ...['\xff', '\xed\xa0\x80', '\xef\xbb\xbf', 'HTTP/1.0', 'HTTP/2.0'],
  ...['GET', 'DELETE', 'TRACE', 'CONNECT', 'FOO'],
  ...['Host: localhost\r\n', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n'],
  ...['Transfer-Encoding: gzip, chunked\r\n', 'Expect: 100-continue\r\n', 'Expect: x\r\n'],
  ...['Connection: close\r\n', 'Upgrade: h2c\r\nConnection: upgrade\r\n'],
  ...['Content-Encoding: gzip\r\n', 'Accept: text/html\r\n', '__proto__: x\r\n', '"__proto__":{},'],
] as const;

type Mutation = (bytes: string, at: number, random: Random) => string;

/** The mutations of the bytes at a position. */
const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  (bytes, at) => bytes.slice(0, at) + bytes.slice(at + 1),
  (bytes, at, random) =>
    bytes.slice(0, at) + String.fromCharCode(random.below(256)) + bytes.slice(at + 1),
  (bytes, at, random) => bytes.slice(0, at) + random.pick(TOKENS) + bytes.slice(at),
  (bytes, at, random) => bytes.slice(0, at) + random.pick(TOKENS) + bytes.slice(at + 1),
  (bytes, at, random) => bytes.slice(0, at) + bytes.slice(at - random.below(40)),
  (bytes, at, random) => bytes.slice(0, at) + bytes.slice(at + random.below(40)),
  (bytes, at) =>
    bytes.slice(0, at) + (bytes[at + 1] ?? '') + (bytes[at] ?? '') + bytes.slice(at + 2),
  (bytes, at, random) => bytes.slice(0, at) + 'x'.repeat(random.below(20_000)) + bytes.slice(at),
  (bytes, at) => bytes.slice(0, at),
  (bytes) => bytes + bytes,
];

/** Mutates a request, one byte per character, at one or a few positions. */
export function mutated(request: string, random: Random): string {
  let bytes = request;
  for (let count = 1 + random.below(3); count > 0; count--) {
    bytes = random.pick(MUTATIONS)(bytes, random.below(bytes.length + 1), random);
  }
  return bytes;
}
