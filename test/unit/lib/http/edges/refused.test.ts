import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getRequest } from '../../../../support/raw-requests.ts';
import { describeEdges } from '../support/edge.ts';
import { createRequest } from '../support/notes.ts';

const BODY = '{"title":"sent raw"}';
const OVER_LIMIT = `20000\r\n${'x'.repeat(0x20_000)}\r\n`;
const CHUNKED = `14\r\n${BODY}\r\n0\r\n\r\n`;

/** A create request with these framing fields. */
function framed(fields: string, body = BODY): string {
  return createRequest({ fields, body });
}

function chunks(body: string): string {
  return framed('Transfer-Encoding: chunked\r\n', body);
}

type Row = readonly [title: string, bytes: string];

/** Requests, by the status and the code with which they are refused. */
const REFUSED: readonly (readonly [status: number, code: string, readonly Row[]])[] = [
  [
    400,
    'malformed-request',
    [
      ['no Host', 'GET /livez HTTP/1.1\r\n\r\n'],
      ...[
        'CONNECT h:80 HTTP/1.1\r\n\r\n',
        'GET http://h/livez HTTP/1.1\r\n\r\n',
        'POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
        'POST / HTTP/1.1\r\nExpect: x\r\nContent-Length: 1\r\n\r\n',
      ].map((bytes): Row => [`no Host: ${bytes.slice(0, 60)}`, bytes]),
      ...['u@h', 'u:p@h', 'h:x', '', ':80', 'h h', '[1:2]', 'h%zz'].map(
        (authority): Row => [
          `the authority "${authority}" in the target`,
          getRequest(`http://${authority}/livez`),
        ],
      ),
      [
        'an invalid Host beside an absolute target',
        getRequest('http://h/livez').replace('localhost', 'a/b'),
      ],
      ['two Host fields', getRequest('/livez', 'Host: h\r\n')],
      ['two differing Host fields', getRequest('/livez', 'hOST: i\r\n')],
      [
        'two Authorization fields',
        getRequest('/livez', 'Authorization: Bearer a\r\nauthorization: Bearer a\r\n'),
      ],
      ...['text/plain', 'application/json'].map(
        (more): Row => [
          `a second Content-Type, ${more}`,
          framed(`content-type: ${more}\r\nContent-Length: 20\r\n`),
        ],
      ),
      ...[
        'a/b',
        'a b',
        'u@h',
        'h:x',
        '[::1',
        '[]',
        '[1:2]',
        '[g::]',
        '[127.0.0.1]',
        'h?',
        '%zz',
      ].map((host): Row => [`Host ${host}`, `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`]),
      [
        'Content-Length, then Transfer-Encoding',
        framed('Content-Length: 20\r\nTransfer-Encoding: chunked\r\n', CHUNKED),
      ],
      [
        'Transfer-Encoding, then Content-Length',
        framed('Transfer-Encoding: chunked\r\nContent-Length: 20\r\n', CHUNKED),
      ],
      ...['+20', '-1', '20, 20', '0x14', '', '2e1', '20.0', '99999999999999999999999'].map(
        (length): Row => [`Content-Length "${length}"`, framed(`Content-Length: ${length}\r\n`)],
      ),
      ['Content-Length twice', framed('Content-Length: 20\r\nContent-Length: 20\r\n')],
      ...['gzip', 'identity', 'chunked, gzip', 'chunked, chunked', 'xchunked', ''].map(
        (coding): Row => [
          `coding "${coding}"`,
          framed(`Transfer-Encoding: ${coding}\r\n`, CHUNKED),
        ],
      ),
      [
        'Transfer-Encoding twice',
        framed('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', CHUNKED),
      ],
      ['HTTP/1.0 with Transfer-Encoding', chunks(CHUNKED).replace('HTTP/1.1', 'HTTP/1.0')],
      ['HTTP/0.9', 'GET /\r\n\r\n'],
      ['HTTP/1.2', 'GET /livez HTTP/1.2\r\nHost: h\r\n\r\n'],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['a lower-case method', 'get /livez HTTP/1.1\r\nHost: h\r\n\r\n'],
      ['a space before a colon', getRequest('/livez', 'X : a\r\n')],
      ['a folded line', getRequest('/livez', 'X: a\r\n b\r\n')],
      ['bare LF', 'GET /livez HTTP/1.1\nHost: h\n\n'],
      ['a field that ends in bare LF', getRequest('/livez', 'X: a\n')],
      ['bare CR', getRequest('/livez', 'X: a\rY: b\r\n')],
      ['NUL in a field', getRequest('/livez', 'X: a\0b\r\n')],
      ['a field without a name', getRequest('/livez', ': b\r\n')],
      ['a line without a colon', getRequest('/livez', 'abc\r\n')],
      ...['zz', '-1', '', '14 ', '0x14', 'fffffffffffffffff'].map(
        (size): Row => [`chunk size "${size}"`, chunks(`${size}\r\n${BODY}\r\n0\r\n\r\n`)],
      ),
      ['a chunk that ends in bare LF', chunks(`14\n${BODY}\n0\n\n`)],
      ['a chunk longer than its size', chunks(`13\r\n${BODY}\r\n0\r\n\r\n`)],
      ...['Content-Length: 3', 'Transfer-Encoding: chunked'].map(
        (field): Row => [
          `the trailer ${field}`,
          chunks(CHUNKED.replace(/\r\n$/, `${field}\r\n\r\n`)),
        ],
      ),
    ],
  ],
  [
    413,
    'content-too-large',
    [
      ['long chunk extensions', chunks(`14;a=${'x'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`)],
      ['a declared length over the limit', framed('Content-Length: 65537\r\n', '')],
      [
        'a declared length over the limit, on a path that takes no body',
        'GET /livez HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n',
      ],
      ['a chunked body over the limit', chunks(OVER_LIMIT)],
      ...['GET /livez', 'OPTIONS /api/notes'].map(
        (line): Row => [
          `a chunked body over the limit that no route reads, of ${line}`,
          chunks(OVER_LIMIT).replace('POST /api/notes', line),
        ],
      ),
      [
        'Expect: 100-continue with a length over the limit',
        framed('Expect: 100-continue\r\nContent-Length: 65537\r\n', ''),
      ],
    ],
  ],
  [
    414,
    'uri-too-long',
    [9_000, 20_000, 200_000].map(
      (length): Row => [`a target of ${length} bytes`, getRequest(`/${'y'.repeat(length)}`)],
    ),
  ],
  [
    415,
    'unsupported-media-type',
    [
      [
        'Expect: 100-continue with another type',
        framed('Expect: 100-continue\r\nContent-Length: 20\r\n', '').replace('json', 'xml'),
      ],
    ],
  ],
  [
    417,
    'expectation-failed',
    ['200-ok', '100-continue, x', 'a 100-continue'].map(
      (expectation): Row => [
        `Expect: ${expectation}`,
        framed(`Expect: ${expectation}\r\nContent-Length: 20\r\n`),
      ],
    ),
  ],
  [
    431,
    'header-fields-too-large',
    [
      ['long trailer fields', chunks(`14\r\n${BODY}\r\n0\r\nX: ${'y'.repeat(30_000)}\r\n\r\n`)],
      ...[25_000, 200_000].map(
        (length): Row => [
          `a field of ${length} bytes`,
          getRequest('/livez', `X: ${'y'.repeat(length)}\r\n`),
        ],
      ),
      ...[100, 2_500].map(
        (count): Row => [`${count + 1} fields`, getRequest('/livez', 'a: b\r\n'.repeat(count))],
      ),
    ],
  ],
  [
    501,
    'not-implemented',
    [
      ['coding gzip, chunked', framed('Transfer-Encoding: gzip, chunked\r\n')],
      ...['CONNECT h:80', 'CONNECT /livez', 'CONNECT http://h/livez'].map(
        (line): Row => [line, `${line} HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc`],
      ),
    ],
  ],
  [
    505,
    'http-version-not-supported',
    [
      ['HTTP/2.0', 'GET /livez HTTP/2.0\r\nHost: h\r\n\r\n'],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['HTTP/2 with settings', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\0'.repeat(9)}`],
    ],
  ],
];

describeEdges('requests that are refused and end the connection', (edge) => {
  for (const [status, code, rows] of REFUSED) {
    for (const [title, bytes] of rows) {
      it(`${title}: ${status}`, async () => {
        await edge.refuses(bytes, status, code);
      });
    }
  }

  it('TLS: the detail names http://', async () => {
    const { text } = await edge.refuses('\x16\x03\x01\x02\x00\x01\x00', 400, 'malformed-request');
    assert.match(JSON.parse(text).detail, /it is TLS; use http:\/\//);
  });
});
