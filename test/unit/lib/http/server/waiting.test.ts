import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import type { HttpSettings } from '../../../../../src/lib/http/server/http-settings.ts';
import { rawClientFor, statusesOf, turns } from '../../../../support/raw.ts';
import { createRequest, getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { fillQueue, serverFor, takenBytes } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

const JSON_TYPE = 'application/json';

/** A connection whose first request is being served until `respond` is called. */
async function busyConnection(test: TestContext, settings: Partial<HttpSettings> = {}) {
  let respond = () => {};
  const isSlow = new Promise<void>((resolve) => {
    respond = resolve;
  });
  let count = 0;
  const counted = () => valueResponse(200, ++count);
  const { port, server } = await serverFor(
    test,
    [
      route('GET', '/slow', () => {
        const response = counted();
        return isSlow.then(() => response);
      }),
      route('GET', '/now', counted),
      route('POST', '/length', ({ content }) => valueResponse(200, content.length), {
        content: { mediaTypes: [JSON_TYPE] },
      }),
    ],
    settings,
  );
  const client = await rawClientFor(test, port);
  client.send(getRequest('/slow'));
  await turns(20);
  return { client, port, server, respond };
}

function postRequest(body: string): string {
  const fields = `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${body.length}\r\n`;
  return `POST /length HTTP/1.1\r\nHost: h\r\n${fields}\r\n${body}`;
}

describe('while a response takes long', () => {
  it('64 of the requests after it are served, and the last response closes', async (test) => {
    const { client, respond } = await busyConnection(test);
    const request = getRequest('/now', 'a: b\r\n'.repeat(5));
    for (let i = 0; i < 100; i++) client.send(request.repeat(20));
    await turns(50);
    respond();
    const responses = await client.toEnd();
    assert(responses.every(({ status }) => status === 200));
    assert.deepEqual([responses.length, responses.at(-1)?.headers.connection], [65, 'close']);
  });

  it('nothing more is read after the 64th', async (test) => {
    const { client } = await busyConnection(test);
    await client.sendApart(getRequest('/now').repeat(64));
    let count = 0;
    const countOwn = (message: unknown) => {
      const { request } = message as { readonly request: IncomingMessage };
      if (request.socket.remotePort === client.socket.localPort) count++;
    };
    subscribe('http.server.request.start', countOwn);
    test.after(() => unsubscribe('http.server.request.start', countOwn));
    await client.sendApart(getRequest('/now'), getRequest('/now'));
    assert.equal(count, 0);
  });

  it('content after it is read when its turn comes', async (test) => {
    const { client, server, respond } = await busyConnection(test);
    const lengths = [60_000, 50_000, 40_000, 1, 64_000, 65_536, 30_000];
    for (const length of lengths) client.send(postRequest('x'.repeat(length)));
    await turns(100);
    const total = takenBytes(server);
    assert(total < 1024 * 1024, `${total} bytes held`);
    respond();
    const [, ...responses] = await client.take(1 + lengths.length);
    assert.deepEqual(
      responses.map(({ text }) => Number(text)),
      lengths,
    );
    assert.equal(responses.at(-1)?.headers.connection, 'keep-alive');
  });

  it('content after it counts as memory, and so does that of the last request', async (test) => {
    const { client, server, respond } = await busyConnection(test);
    const before = takenBytes(server);
    await client.sendApart(postRequest('x'.repeat(15_000)).repeat(63));
    await client.sendApart(postRequest('x'.repeat(65_000)).slice(0, -1));
    await turnsUntil('it counts', () => takenBytes(server) > before + 63 * 15_000);
    respond();
    assert.equal((await client.take(64)).at(-1)?.text, '15000');
    const [last, ...more] = await client.send(`x${getRequest('/now')}`).toEnd();
    assert.deepEqual([last?.text, last?.headers.connection, more], ['65000', 'close', []]);
  });

  it('a request after it for which there is no room gets 503, and is the last one', async (test) => {
    const { client, server, respond } = await busyConnection(test, { places: 2 });
    await client.sendApart(getRequest('/now').repeat(5));
    respond();
    const responses = await client.toEnd();
    assert.deepEqual(statusesOf(responses), [200, 200, 200, 503]);
    assert.equal(responses.at(-1)?.headers.connection, 'close');
    assert.equal(server.refusals.count('places'), 1);
    assert.equal(takenBytes(server), 0);
  });

  it('malformed content after it gets 400 when its turn comes', async (test) => {
    const { client, respond } = await busyConnection(test);
    const fields = `Content-Type: ${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n`;
    await client.sendApart(`POST /length HTTP/1.1\r\nHost: h\r\n${fields}\r\nx\r\n`);
    respond();
    assert.deepEqual(statusesOf(await client.toEnd()), [200, 400]);
  });

  for (const [what, bytes] of [
    ['a long query', getRequest(`/?a=${'1,'.repeat(600)}`)],
    ['content above 1 KiB', createRequest({ path: '/', body: 'x'.repeat(1_200) })],
  ] as const) {
    it(`${what} waits in the queue of long work, because reading it takes time`, async (test) => {
      const served: string[] = [];
      const respond = ({ query, content }: Request) => {
        served.push(query.isEmpty && content.length < 1_000 ? 'short' : 'long');
        return { status: 204 };
      };
      const accepts = { mediaTypes: [JSON_TYPE] };
      const routes = [
        route('GET', '/', respond),
        route('POST', '/', respond, { content: accepts }),
      ];
      const { server, port } = await serverFor(test, routes);
      fillQueue(test, server);
      const long = await rawClientFor(test, port);
      await long.sendApart(bytes);
      const short = await rawClientFor(test, port);
      await short.send(getRequest('/') + createRequest({ path: '/', body: '{}' })).take(2);
      assert.deepEqual(served, ['short', 'short']);
      await long.next();
      assert.deepEqual(served, ['short', 'short', 'long']);
    });
  }

  it('an offer of an upgrade gets the last response, whatever comes behind it', async (test) => {
    const { client, respond } = await busyConnection(test);
    const offer = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
    await client.sendApart(postRequest('1').replace('\r\n', `\r\n${offer}`) + postRequest(''));
    await client.sendApart(postRequest('22'));
    respond();
    const [, last, ...more] = await client.toEnd();
    assert.deepEqual([last?.text, last?.headers.connection, more], ['1', 'close', []]);
  });
});
