import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { jsonResponse, valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import type { HttpSettings } from '../../../../../src/lib/http/server/http-settings.ts';
import { skipStacksAtClose } from '../../../../../src/lib/http/server/node-http.ts';
import { byteString } from '../../../../../src/lib/json/byte-string.ts';
import { type RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor, takenBytes } from '../../../../support/server.ts';

const MIB = 1024 * 1024;

/** More bytes than a system takes for a connection that is not read. */
const ENOUGH = 40 * MIB;

/** What the server reads at once. */
const SEGMENT_BYTES = 64 * 1024;

const GET = getRequest('/now');
const POST = 'POST /now HTTP/1.1\r\nHost: h\r\n';
const CONNECT = 'CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n';

/** The requests of one segment, which `node:http` parses although the first stops the reading. */
const SEGMENT = Math.ceil(SEGMENT_BYTES / GET.length);

/** A server with responses that do not end, and the number of requests that it has parsed. */
async function floodedServer(test: TestContext, settings: Partial<HttpSettings> = {}) {
  const routes = [
    route('GET', '/stream', () => ({
      status: 200,
      content: (writer) => writer.write(byteString(':')),
    })),
    route('GET', '/delayed', async (request) => {
      await request.wait(new Promise(() => {}));
      return valueResponse(200, 'late');
    }),
    route('GET', '/last', () => ({ status: 200, close: true, content: () => {} })),
    route('GET', '/now', () => jsonResponse(200, byteString('{}'))),
  ];
  const { port, server } = await serverFor(test, routes, settings);
  let parsed = 0;
  let socket: Socket | undefined;
  const count = (message: unknown) => {
    parsed++;
    socket = (message as { readonly socket: Socket }).socket;
  };
  subscribe('http.server.request.start', count);
  test.after(() => unsubscribe('http.server.request.start', count));
  const client = await rawClientFor(test, port);
  return { client, port, server, parsed: () => parsed, read: () => socket?.bytesRead ?? 0 };
}

/** Sends bytes as long as the server or the system takes them. */
async function sendWithoutEnd({ socket }: RawClient, bytes: string): Promise<void> {
  const before = socket.bytesWritten - socket.writableLength;
  const chunk = Buffer.from(bytes.repeat(Math.ceil(MIB / bytes.length)));
  let taken = 0;
  for (let idle = 0; idle < 30 && !socket.destroyed && taken < ENOUGH; idle++) {
    if (socket.writableLength === 0) {
      idle = 0;
      socket.write(chunk);
    }
    await turns(10);
    taken = socket.bytesWritten - socket.writableLength - before;
  }
  assert(taken < ENOUGH, 'the server reads on');
}

type Begin = (client: RawClient, first: string) => unknown;

/** Ways to begin, and the most bytes that the server may read of what comes then. */
const WAYS: readonly (readonly [string, number, Begin])[] = [
  ['at once', 0, (client, first) => client.sendApart(first + GET.repeat(70))],
  ['when it has begun', 0, (client, first) => client.sendApart(first)],
  ['after 70 one by one', 0, (client, first) => client.sendApart(first, ...Array(70).fill(GET))],
  [
    'behind content that has not arrived',
    8 * MIB,
    (client, first) =>
      client.sendApart(first, createRequest({ body: 'x'.repeat(60_000) }).slice(0, -1)),
  ],
  [
    'behind content that is never read',
    0,
    (client, first) => client.sendApart(first, `${POST}Content-Length: 100000000\r\n\r\n`),
  ],
  ['behind bytes that are no request', 8 * MIB, (client, first) => client.sendApart(first, ' ')],
  ['behind CONNECT', 8 * MIB, (client, first) => client.sendApart(first, CONNECT)],
];

describe('requests without end', () => {
  for (const path of ['/stream', '/delayed', '/last']) {
    for (const [way, dropped, begin] of WAYS) {
      it(`behind ${path}, ${way}: cost no more than one segment and the buffers of the system`, async (test) => {
        const { client, server, parsed, read } = await floodedServer(test);
        await begin(client, getRequest(path));
        await sendWithoutEnd(client, GET);
        const limit = dropped + 6 * SEGMENT_BYTES;
        assert(read() < limit, `${read()} bytes are read`);
        assert(parsed() < 70 + 2 * SEGMENT, `${parsed()} requests are parsed`);
        assert(takenBytes(server) < 8 * MIB, `${takenBytes(server)} bytes are held`);
        const before = read();
        await turns(50);
        assert.equal(read(), before, 'nothing more is read');
      });
    }
  }

  it('take room, and disconnect their client when there is none', async (test) => {
    const { client, server } = await floodedServer(test, { places: 25 });
    client.send(getRequest('/delayed') + GET.repeat(SEGMENT));
    await client.ended;
    await turns(5);
    assert.equal(takenBytes(server), 0);
    assert.equal(server.cuts.count('unread'), 1, 'however many of them come later');
  });
});

it('requests on a connection for which there is no room are not parsed', async (test) => {
  const { client, port, parsed } = await floodedServer(test, { maxConnections: 1 });
  await client.sendApart(getRequest('/stream'));
  const refused = await rawClientFor(test, port);
  await refused.sendApart(GET.repeat(SEGMENT));
  assert.equal((await refused.next())?.status, 503);
  await refused.ended;
  await turns(50);
  assert.equal(parsed(), 1);
});

it('errors have no stack while `node:http` closes a connection with ignored requests, and one afterwards', () => {
  const before = Error.stackTraceLimit;
  const socket = new Socket();
  const limits: number[] = [];
  socket.on('close', () => limits.push(Error.stackTraceLimit));
  skipStacksAtClose(socket);
  assert.equal(Error.stackTraceLimit, before);
  socket.emit('close');
  assert.deepEqual([...limits, Error.stackTraceLimit], [0, before]);
});
