import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { PERMIT_BYTES } from '../../../../../src/lib/http/admission/admission.ts';
import { LongText, longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import type { Request } from '../../../../../src/lib/http/messages/request.ts';
import { jsonResponse, valueResponse } from '../../../../../src/lib/http/messages/response.ts';
import type { HttpSettings } from '../../../../../src/lib/http/server/http-settings.ts';
import { byteString } from '../../../../../src/lib/json/index.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { type RawClient, rawClientFor, turns } from '../../../../support/raw.ts';
import { createRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor, takenBytes } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

const CONTENT_BYTES = 60_000;
const BODY = JSON.stringify('x'.repeat(CONTENT_BYTES - 2));
const POST = createRequest({ path: '/', body: BODY });
const HEAD = POST.slice(0, POST.indexOf('\r\n\r\n') + 4);

const ADMIN_BYTES = 800_000;
const ADMIN_POST = createRequest({
  path: '/admin',
  body: JSON.stringify('x'.repeat(ADMIN_BYTES - 2)),
  fields: `Content-Length: ${ADMIN_BYTES}\r\n`,
});
const CONTENT = { mediaTypes: ['application/json'], maxBytes: 1024 * 1024 };

/** A server whose handlers wait for `release`. Requests for `/admin` need no permit. */
async function waiting(test: TestContext, settings: Partial<HttpSettings> = {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handled: string[] = [];
  const wait = async (request: Request) => {
    handled.push(request.path);
    await released;
    return valueResponse(200, request.content.length);
  };
  const { server, port } = await serverFor(
    test,
    ['/', '/admin'].map((path) =>
      route('POST', path, wait, { content: CONTENT, isOneByOne: path === '/admin' }),
    ),
    settings,
  );
  const send = async (count: number, request = POST) => {
    const clients: RawClient[] = [];
    for (let i = 0; i < count; i++) {
      const client = await rawClientFor(test, port);
      clients.push(await client.sendApart(request));
    }
    await turns(20);
    return clients;
  };
  return { server, send, release: () => release(), handled };
}

describe('content above 4 KiB', () => {
  it('has a permit until the response has been sent, also if its client has gone', async (test) => {
    const { server, send, release } = await waiting(test);
    const clients = await send(5);
    assert.equal(server.admission.takenPermits, 5);
    for (const client of clients.slice(1)) client.reset();
    await turnsUntil('permits are back', () => server.admission.takenPermits === 1);
    release();
    assert.equal((await clients[0]?.next())?.text, String(CONTENT_BYTES));
    await turnsUntil('nothing is taken', () => takenBytes(server) === 0);
  });

  it('waits unread for a permit, in order, while short content passes', async (test) => {
    const { server, send, release, handled } = await waiting(test, { permits: 1 });
    const [first] = await send(1);
    const [second, third] = [(await send(1, HEAD))[0], (await send(1))[0]];
    const [short] = await send(1, createRequest({ path: '/', body: '1' }));
    assert.equal(handled.length, 2, 'the first one and the short one are handled');
    assert(server.admission.takenPlaces > 1 + CONTENT_BYTES / 4096, 'places by length');
    second?.send(POST.slice(HEAD.length));
    release();
    const texts = [first, second, third, short].map(async (client) => (await client?.next())?.text);
    const length = String(CONTENT_BYTES);
    assert.deepEqual(await Promise.all(texts), [length, length, length, '1']);
  });

  it('sent in chunks needs a permit from its 4,097th byte on', async (test) => {
    const { server, send, release } = await waiting(test, { permits: 1 });
    const [first] = await send(1);
    const chunked = createRequest({ path: '/', body: '' }).replace(
      /Content-Length: 0/i,
      'Transfer-Encoding: chunked',
    );
    const [client] = await send(1, `${chunked}1000\r\n"${'x'.repeat(4_095)}\r\n`);
    assert.equal(server.admission.takenPlaces, 0);
    await client?.sendApart('1\r\nx\r\n');
    await turnsUntil('it waits', () => server.admission.takenPlaces > 0);
    release();
    assert.equal((await first?.next())?.status, 200);
    client?.send('1\r\n"\r\n0\r\n\r\n');
    assert.equal((await client?.next())?.text, '4098');
  });

  it('for which there is no place gets 503 at once', async (test) => {
    const { server, send } = await waiting(test, { permits: 1, places: 1 });
    await send(1);
    const [refused] = await send(1);
    const response = await refused?.next();
    assert.deepEqual([response?.status, response?.headers['retry-after']], [503, '1']);
    assert.equal(server.refusals.count('places'), 1);
  });

  it('that has waited for 8 s gets 503', async (test) => {
    const time = new ManualClock(test);
    const { server, send } = await waiting(test, { permits: 1 });
    await send(1);
    const [late] = await send(1, HEAD);
    await time.advance(7_000);
    assert.equal(late?.hasEnded, false);
    await time.advance(2_000);
    assert.equal((await late?.next())?.status, 503);
    assert.equal(server.refusals.count('permits'), 1);
    await turnsUntil('the wait is over', () => server.admission.takenPlaces === 0);
  });

  it('that has stopped arriving for a second gets 408 while others wait for its permit', async (test) => {
    const time = new ManualClock(test);
    const { server, send } = await waiting(test, { permits: 1 });
    const [silent] = await send(1, POST.slice(0, -1));
    await time.advance(3_000);
    assert.equal(silent?.hasEnded, false);
    await send(1);
    await time.advance(1_000);
    assert.match((await silent?.next())?.text ?? '', /"status":408.*59999 of 60000 bytes/);
    assert.equal(server.cuts.count('silent'), 1);
  });
});

describe('content of operators', () => {
  it('needs no permit, and is received one by one, unread before', async (test) => {
    const { server, send, release, handled } = await waiting(test, { permits: 1 });
    await send(1);
    const [first] = await send(1, ADMIN_POST);
    await turnsUntil('it is handled', () => handled.includes('/admin'));
    const [second] = await send(1, ADMIN_POST);
    await turns(50);
    assert.deepEqual(handled, ['/', '/admin']);
    assert(takenBytes(server) < ADMIN_BYTES, 'the second one is not read');
    release();
    for (const each of [first, second]) assert.equal((await each?.next())?.status, 200);
  });

  it('that has stopped arriving for a second gets 408 while others wait', async (test) => {
    const time = new ManualClock(test);
    const { send, release } = await waiting(test);
    release();
    const [silent] = await send(1, ADMIN_POST.slice(0, -1));
    await time.advance(3_000);
    assert.equal(silent?.hasEnded, false);
    const [next] = await send(1, ADMIN_POST);
    await time.advance(1_250);
    assert.equal((await silent?.next())?.status, 408);
    assert.equal((await next?.next())?.status, 200);
  });
});

/** More than the system takes for a client that does not read. */
const LONG_BYTES = 16 * 1024 * 1024;
const LONG_PERMITS = LONG_BYTES / PERMIT_BYTES;

/** A server of a long text, and clients that ask for it, or write and get it, and do not read it. */
async function unread(test: TestContext, settings: Partial<HttpSettings> = {}) {
  let made = 0;
  const text = byteString('x'.repeat(LONG_BYTES));
  const make = () => {
    made++;
    return text;
  };
  const { server, port } = await serverFor(
    test,
    [
      route('GET', '/', (request) =>
        longResponse(request, 200, { workingBytes: LONG_BYTES, make: () => new LongText(make) }),
      ),
      route('PUT', '/', () => jsonResponse(200, text)),
    ],
    settings,
  );
  const ask = async (method = 'GET') => {
    const client = await rawClientFor(test, port);
    client.socket.pause();
    return client.sendApart(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
  };
  return { server, ask, timesMade: () => made };
}

describe('a long text', () => {
  it('has permits by its length from before it is made until the system has taken it', async (test) => {
    const { server, ask, timesMade } = await unread(test, { permits: LONG_PERMITS + 8 });
    const first = await ask();
    assert.equal(server.admission.takenPermits, LONG_PERMITS + 1);
    const second = await ask();
    assert.deepEqual([server.admission.takenPlaces, timesMade()], [1, 1]);
    first.socket.resume();
    assert.equal((await first.next())?.text.length, LONG_BYTES);
    await turnsUntil('the second one is sent', () => timesMade() === 2);
    assert.equal(server.admission.takenPermits, LONG_PERMITS + 1);
    second.reset();
    await turnsUntil('nothing is taken', () => takenBytes(server) === 0);
  });

  it('of a write is sent although no permit is free, and counts', async (test) => {
    const { server, ask } = await unread(test, { permits: 1 });
    for (const method of ['PUT', 'PUT']) await ask(method);
    assert.equal(server.admission.takenPermits, 2 * LONG_PERMITS);
  });
});
