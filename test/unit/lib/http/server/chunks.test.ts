import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { longResponse } from '../../../../../src/lib/http/messages/long-content.ts';
import { jsonResponse } from '../../../../../src/lib/http/messages/response.ts';
import {
  DEFAULT_SETTINGS,
  type HttpSettings,
} from '../../../../../src/lib/http/server/http-settings.ts';
import { type ByteString, byteString } from '../../../../../src/lib/json/byte-string.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { exchangeBytes, type RawClient, rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { inParts, route } from '../../../../support/route.ts';
import { serverFor, takenBytes } from '../../../../support/server.ts';
import { turnsUntil } from '../../../../support/within.ts';

const CHUNK = byteString('x'.repeat(64 * 1024));
const MANY = 12;

/** So many bytes that the system takes more of the response, which it does in large steps. */
const READ_SLOWLY = 4 * 1024 * 1024;

/** How often content was begun, continued and ended. */
class Made {
  begun = 0;
  chunks = 0;
  ended = 0;

  *repeat(count: number): Generator<ByteString, undefined> {
    this.begun++;
    try {
      for (let i = 0; i < count; i++) {
        this.chunks++;
        yield CHUNK;
      }
    } finally {
      this.ended++;
    }
  }
}

async function start(test: TestContext, settings: Partial<HttpSettings> = {}) {
  const made = new Made();
  const chunked = (path: string, content: () => Parameters<typeof inParts>[0]) =>
    route('GET', path, (request) => longResponse(request, 200, { make: () => inParts(content()) }));
  const { port, errors, server } = await serverFor(
    test,
    [
      chunked('/endless', () => made.repeat(Number.POSITIVE_INFINITY)),
      chunked('/many', () => made.repeat(MANY)),
      chunked('/short', function* () {
        yield;
        return byteString('[]');
      }),
      chunked('/fails-later', function* () {
        yield* made.repeat(MANY);
        throw new Error('failed in the middle');
      }),
      route('GET', '/now', () => jsonResponse(200, byteString('{}'))),
    ],
    settings,
  );
  const ask = async (target: string, method = 'GET') => {
    const client = await rawClientFor(test, port);
    return client.send(getRequest(target).replace('GET', method));
  };
  return { made, ask, errors, server, port };
}

describe('content in chunks', () => {
  it('arrives whole, chunk after chunk', async (test) => {
    const { ask, made, server } = await start(test);
    const response = await (await ask('/many')).next();
    assert.equal(response?.headers['transfer-encoding'], 'chunked');
    assert(response?.text === CHUNK.repeat(MANY));
    assert.equal(made.ended, 1);
    await turnsUntil('the memory is free', () => takenBytes(server) < CHUNK.length);
  });

  it('has a Content-Length if it turns out to be short', async (test) => {
    const { ask } = await start(test);
    const response = await (await ask('/short')).next();
    assert.equal(response?.headers['content-length'], '2');
    assert.equal(response?.text, '[]');
  });

  it('ends with its connection for HTTP/1.0, and nothing after it is served', async (test) => {
    const { port, made } = await start(test);
    const old = getRequest('/many', 'Connection: keep-alive\r\n').replace('HTTP/1.1', 'HTTP/1.0');
    const { responses, end } = await exchangeBytes(port, old + old);
    assert.deepEqual([responses.length, made.begun, end], [1, 1, 'closed']);
    assert.equal(responses[0]?.headers['content-length'], undefined);
    assert(responses[0]?.text === CHUNK.repeat(MANY));
  });

  it('has the same header fields for HEAD, and only its beginning is produced', async (test) => {
    const { ask, made } = await start(test);
    for (const path of ['/short', '/many']) {
      const head = await (await ask(path, 'HEAD')).next(false);
      const get = await (await ask(path)).next();
      assert.deepEqual(withoutDate(head?.headers), withoutDate(get?.headers));
      assert.equal(head?.status, 200);
    }
    made.chunks = 0;
    await (await ask('/endless', 'HEAD')).next(false);
    assert(made.chunks < 10);
    await turnsUntil('all contents end', () => made.ended === 3);
  });

  it('lets other requests be served meanwhile', async (test) => {
    const { ask } = await start(test);
    for (let i = 0; i < 8; i++) (await ask('/endless')).ignore();
    for (let i = 0; i < 8; i++) assert.equal((await (await ask('/now')).next())?.status, 200);
  });

  it('waits for its client to read, and cuts it after a timeout, unless it reads slowly', async (test) => {
    const time = new ManualClock(test);
    const { ask, made } = await start(test);
    const [stuck, slow] = [await ask('/endless'), await ask('/endless')];
    for (const { socket } of [stuck, slow]) socket.pause();
    await turnsUntil('both begin', () => made.begun === 2);
    for (let i = 0; i < 4; i++) {
      await time.advance(DEFAULT_SETTINGS.sendTimeout * 0.6);
      const { socket } = slow.ignore();
      const wanted = socket.bytesRead + READ_SLOWLY;
      socket.resume();
      await turnsUntil('the slow client has read some', () => socket.bytesRead > wanted);
      socket.pause();
    }
    assert.equal(made.ended, 1);
    assert(made.chunks < 1_000, `${made.chunks} chunks produced, more than sockets hold`);
    stuck.ignore().socket.resume();
    await stuck.ended;
    assert.equal(slow.hasEnded, false);
  });

  it('that fails later is cut, and the error is reported', async (test) => {
    const { ask, errors } = await start(test);
    const client = await ask('/fails-later');
    assert.deepEqual(await client.toEnd(), []);
    assert.match(String(errors), /failed in the middle/);
  });
});

function withoutDate(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { date: _, ...rest } = headers;
  return rest;
}

it('clients that read nothing for a second are cut while others wait for the memory of their results', async (test) => {
  const time = new ManualClock(test);
  const { ask, made, server } = await start(test, { permits: 4 });
  const stuck: RawClient[] = [];
  for (let i = 0; i < 20; i++) {
    const client = await ask('/endless');
    client.socket.pause();
    stuck.push(client);
  }
  await turnsUntil('some begin', () => made.begun >= 4);
  assert(made.begun < 20, `${made.begun} results are made`);
  const reader = (await ask('/many')).next();
  let isServed = false;
  void reader.then(() => {
    isServed = true;
  });
  await turnsUntil('it is served', async () => {
    await time.advance(250);
    return isServed;
  });
  assert((await reader)?.text === CHUNK.repeat(MANY));
  assert(server.cuts.count('unread') > 0);
  for (const client of stuck) client.destroy();
});
