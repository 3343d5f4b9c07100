import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import type { Response } from '../../../../../src/lib/http/messages/response.ts';
import { tryNode } from '../../../../../src/lib/http/server/node-http.ts';
import { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualTimers } from '../../../../support/clock.ts';
import { exchangeBytes, RawClient, rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serveRoutes, serverFor } from '../../../../support/server.ts';

const CONTENT = byteString('text');

/** A server with one response, and how to get its head as lines. */
async function start(test: TestContext, response: () => Response, vary?: string) {
  const errors: unknown[] = [];
  const server = new HttpServer({ vary, onUnexpectedError: (error) => errors.push(error) });
  serveRoutes(server, [route('GET', '/', response)]);
  const { port } = await server.listen(0, '127.0.0.1');
  test.after(() => server.drain(0));
  const head = async (request = getRequest('/')) => {
    const client = await rawClientFor(test, port);
    let bytes = '';
    client.socket.on('data', (piece) => {
      bytes += piece.toString('latin1');
    });
    await client.send(request).next(!request.startsWith('HEAD'));
    client.destroy();
    return bytes.slice(0, bytes.indexOf('\r\n\r\n')).split('\r\n');
  };
  return { port, errors, head };
}

const DATE = 'Date: Tue, 14 Nov 2023 22:13:20 GMT';
const KEPT = ['Connection: keep-alive', 'Keep-Alive: timeout=64'];

describe('the head of a response', () => {
  for (const [title, response, lines, more = {}] of [
    [
      'has status, content type, length and fields',
      {
        status: 201,
        mediaType: 'a/b',
        content: CONTENT,
        headers: { ETag: '"a"', X: 'caf\xe9 \t~' },
      },
      ['201 Created', 'Content-Type: a/b', 'Content-Length: 4', 'ETag: "a"', 'X: caf\xe9 \t~'],
    ],
    ['has no length for a 204', { status: 204 }, ['204 No Content']],
    [
      'has no length for a 304',
      { status: 304, headers: { ETag: '"a"' } },
      ['304 Not Modified', 'ETag: "a"'],
    ],
    ['has a length of 0 without content', { status: 200 }, ['200 OK', 'Content-Length: 0']],
    [
      'has the length of a GET for a HEAD',
      { status: 200, content: CONTENT },
      ['200 OK', 'Content-Length: 4'],
      { method: 'HEAD' },
    ],
    ['has a status that has no name', { status: 299 }, ['299 unknown', 'Content-Length: 0']],
    [
      'has repeated fields one by one',
      { status: 200, extraHeaders: { 'Set-Cookie': ['a', 'b'] } },
      ['200 OK', 'Content-Length: 0', 'Set-Cookie: a', 'Set-Cookie: b'],
    ],
    [
      'has one Vary, of the server',
      { status: 200, headers: { ETag: '"a"' } },
      ['200 OK', 'Content-Length: 0', 'ETag: "a"', 'Vary: Origin'],
      { vary: 'Origin' },
    ],
    [
      'has one Vary, of the response and the server, with the name of the response',
      { status: 200, headers: { vary: 'Accept' } },
      ['200 OK', 'Content-Length: 0', 'vary: Accept, Origin'],
      { vary: 'Origin' },
    ],
    [
      'has one Vary, of a response with two and the server',
      { status: 200, extraHeaders: { VARY: ['a', 'b'] } },
      ['200 OK', 'Content-Length: 0', 'VARY: a, b, Origin'],
      { vary: 'Origin' },
    ],
  ] as readonly (readonly [string, Response, string[], { vary?: string; method?: string }?])[]) {
    it(title, async (test) => {
      test.mock.method(clock, 'time', () => 1_700_000_000_999);
      const { head } = await start(test, () => response, more.vary);
      const request = getRequest('/').replace('GET', more.method ?? 'GET');
      const [status, ...fields] = lines;
      const expected = [`HTTP/1.1 ${status}`, ...fields, DATE];
      // The second response is made of parts that are kept.
      for (let i = 0; i < 2; i++) assert.deepEqual(await head(request), [...expected, ...KEPT]);
      const last = await head(request.replace('Host', 'Connection: close\r\nHost'));
      assert.deepEqual(last, [...expected, 'Connection: close']);
    });
  }

  it('has the time of now, and a new one each second', async (test) => {
    let time = 1_700_000_000_900;
    test.mock.method(clock, 'time', () => time);
    const timers = new ManualTimers(test, (ms) => ms === 100);
    const { head } = await start(test, () => ({ status: 200 }));
    const date = async () => (await head()).find((line) => line.startsWith('Date'));
    assert.equal(await date(), DATE);
    time += 100;
    assert.equal(await date(), DATE);
    await timers.end();
    assert.equal(await date(), DATE.replace('20 GMT', '21 GMT'));
  });

  for (const value of ['a\r\nX-Other: b', 'a\nb', 'a\0', 'a\x7f', '\u0100']) {
    it(`is not sent with the value ${JSON.stringify(value)}: the request fails`, async (test) => {
      for (const fields of [{ headers: { X: value } }, { extraHeaders: { X: ['b', value] } }]) {
        const { port, errors } = await start(test, () => ({ status: 200, ...fields }));
        const client = await RawClient.connect(port);
        assert.deepEqual(await client.send(getRequest('/')).toEnd(), []);
        assert.match(String(errors), /the value of a header field is invalid/);
      }
    });
  }
});

describe('a response object contains its status, for agents that watch it', () => {
  async function statusesOf(test: TestContext, whenAgentStarts: 'first' | 'last') {
    const statuses: unknown[] = [];
    const record = (message: unknown) => {
      const { response } = message as { readonly response: ServerResponse };
      statuses.push([response.statusCode, response.statusMessage]);
    };
    const watch = () => subscribe('http.server.response.finish', record);
    test.after(() => unsubscribe('http.server.response.finish', record));
    if (whenAgentStarts === 'first') watch();
    const { port } = await serverFor(test, [
      route('GET', '/', () => ({ status: 503, content: byteString('persistent') })),
      route('GET', '/last', () => ({ status: 503, content: byteString('last'), close: true })),
    ]);
    if (whenAgentStarts === 'last') watch();
    await exchangeBytes(port, getRequest('/') + getRequest('/last'));
    return statuses;
  }

  const both = [
    [503, 'Service Unavailable'],
    [503, 'Service Unavailable'],
  ];

  it('that start after the server, which writes to the socket', async (test) => {
    assert.deepEqual(await statusesOf(test, 'last'), both);
  });

  it('that start before it, so that it tries nothing and sends by node:http', async (test) => {
    assert.deepEqual(await statusesOf(test, 'first'), both);
  });
});

it('content comes from the parser, and a response is one write, in this version of Node', () => {
  assert.deepEqual(tryNode(), { canReceive: true, canRelease: true });
});
