import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import type { HeaderFields } from '../../../../../src/lib/http/core/response.ts';
import { keepsHeads, setHead } from '../../../../../src/lib/http/server/receive/node-internals.ts';
import { Sender } from '../../../../../src/lib/http/server/sender.ts';
import { HttpServer } from '../../../../../src/lib/http/server/server.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { exchangeBytes, RawClient } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

const CONTENT = 'text';
const HEADERS = { ETag: '"a"', 'X-Latin': 'caf\xe9 \t~' };
const FIELDS = [
  'Content-Length',
  CONTENT.length,
  'Content-Type',
  'a/b',
  ...Object.entries(HEADERS).flat(),
];

function headOf(headers: HeaderFields, status = 200, keepAliveSeconds = 5): string | undefined {
  const response = { status, headers, mediaType: 'a/b' };
  return new Sender(keepAliveSeconds).persistentHead(response, CONTENT.length);
}

/** The bytes that `node:http` sends for a response, one a character. */
async function sent(
  test: TestContext,
  respond: (output: ServerResponse) => void,
  keepAliveTimeout = 5000,
  content = CONTENT,
): Promise<string> {
  const server = createServer((_, output) => {
    respond(output);
    output.end(content, 'latin1');
  });
  server.keepAliveTimeout = keepAliveTimeout;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(getRequest('/'));
  let bytes = '';
  socket.on('data', (text) => {
    bytes += text;
  });
  await turnsUntil('the whole response', () => bytes.endsWith(`\r\n\r\n${content}`));
  socket.destroy();
  return bytes.replace(/^Date: .*\r$/m, 'Date: now\r');
}

describe('the head of a response after which the connection persists', () => {
  for (const status of [200, 201, 404, 503, 299]) {
    for (const keepAliveSeconds of [1, 65]) {
      it(`is to the byte that of writeHead: ${status}, ${keepAliveSeconds} s`, async (test) => {
        const ours = await sent(
          test,
          (output) => {
            const head = headOf(HEADERS, status, keepAliveSeconds);
            assert.ok(head !== undefined && setHead(output, status, head));
            assert.ok(output.headersSent);
            assert.equal(output.statusCode, status);
          },
          1000 * keepAliveSeconds,
        );
        const theirs = await sent(
          test,
          (output) => output.writeHead(status, [...FIELDS]),
          1000 * keepAliveSeconds,
        );
        assert.equal(ours, theirs);
      });
    }
  }

  for (const status of [204, 304]) {
    it(`is to the byte that of writeHead: ${status}, without content`, async (test) => {
      const head = new Sender(5).persistentHead({ status, headers: HEADERS });
      const setOurs = (output: ServerResponse) => assert(head && setHead(output, status, head));
      const ours = await sent(test, setOurs, 5000, '');
      const fields = Object.entries(HEADERS).flat();
      const theirs = await sent(test, (output) => output.writeHead(status, fields), 5000, '');
      assert.equal(ours, theirs);
    });
  }

  it('has the time of now, with a new text each second', (test) => {
    let time = 1_700_000_000_999;
    test.mock.method(clock, 'time', () => time);
    const sender = new Sender(64);
    const headNow = () => sender.persistentHead({ status: 200 }, 0) ?? '';
    const dateOf = () => /^Date: (.*)\r$/m.exec(headNow())?.[1];
    assert.equal(dateOf(), 'Tue, 14 Nov 2023 22:13:20 GMT');
    time += 1;
    assert.equal(dateOf(), 'Tue, 14 Nov 2023 22:13:21 GMT');
  });

  for (const value of ['a\r\nX-Other: b', 'a\nb', 'a\0', 'a\x7f', '\u0100']) {
    it(`is not made with the value ${JSON.stringify(value)}`, () => {
      assert.equal(headOf({ 'X-Value': value }), undefined);
    });
  }

  it('is not set twice', async (test) => {
    await sent(test, (output) => {
      output.writeHead(200, [...FIELDS]);
      assert.equal(setHead(output, 404, 'another head'), false);
      assert.equal(output.statusCode, 200);
    });
  });

  it('never lets a value end a line: the request fails instead', async (test) => {
    const { port, errors } = await serverFor(test, [
      route('GET', '/', () => ({ status: 200, headers: { 'X-Value': 'a\r\nX-Other: b' } })),
      route('GET', '/text', () => ({
        status: 200,
        headers: { 'X-Value': 'a\r\nX-Other: b' },
        content: Buffer.from(CONTENT),
      })),
    ]);
    for (const path of ['/', '/text']) {
      const client = (await RawClient.connect(port)).send(getRequest(path));
      assert.match(await client.ended, /closed|reset/);
    }
    assert.equal(errors.length, 2);
  });

  it('is set where this Node keeps it', () => assert.equal(keepsHeads(), true));

  for (const [where, other] of [
    ['elsewhere', { get: () => undefined }],
    ['as a list', { get: () => null, set: () => {} }],
  ] as const) {
    it(`is not set in a Node that keeps it ${where}`, () => {
      const changed = () => {
        const output = new ServerResponse(new IncomingMessage(new Socket()));
        return Object.defineProperty(output, '_header', other);
      };
      assert.equal(keepsHeads(changed), false);
    });
  }
});

it('Vary is one field, of the response and of all responses', async (test) => {
  const server = new HttpServer({
    vary: 'Origin',
    onUnexpectedError: (error) => assert.fail(`${error}`),
  });
  const content = Buffer.from(CONTENT);
  server.setRoutes([
    route('GET', '/none', () => ({ status: 200, content })),
    route('GET', '/one', () => ({ status: 200, content, headers: { vary: 'Accept' } })),
    route('GET', '/two', () => ({ status: 200, content, repeatedHeaders: { Vary: ['a', 'b'] } })),
  ]);
  const { port } = await server.listen(0, '127.0.0.1');
  test.after(() => server.drain(0));
  for (const [path, expected] of [
    ['/none', 'Origin'],
    ['/one', 'Accept, Origin'],
    ['/two', 'a, b, Origin'],
  ]) {
    const request = get({ host: '127.0.0.1', port, path, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    const isVary = (_: string, i: number, all: readonly string[]) =>
      all[i - 1]?.toLowerCase() === 'vary';
    assert.deepEqual(response.rawHeaders.filter(isVary), [expected]);
  }
});

it('a response object contains its status, for agents that watch it', async (test) => {
  const statuses: unknown[] = [];
  const record = (message: unknown) => {
    const { response } = message as { readonly response: ServerResponse };
    statuses.push([response.statusCode, response.statusMessage]);
  };
  subscribe('http.server.response.finish', record);
  test.after(() => unsubscribe('http.server.response.finish', record));
  const { port } = await serverFor(test, [
    route('GET', '/', () => ({ status: 503, content: byteString('persistent') })),
    route('GET', '/last', () => ({ status: 503, content: byteString('last'), close: true })),
  ]);
  await exchangeBytes(port, getRequest('/') + getRequest('/last'));
  assert.deepEqual(statuses, [
    [503, 'Service Unavailable'],
    [503, 'Service Unavailable'],
  ]);
});
