import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse } from '../../../src/http/core/response.ts';
import type { HttpSettings } from '../../../src/http/server/settings.ts';
import { type ByteString, byteString } from '../../../src/json/byte-string.ts';
import { assertProblem } from '../../api/suite.ts';
import { getRequest } from '../../support/edge.ts';
import { RawClient } from '../../support/raw.ts';
import { inSteps, route } from '../../support/route.ts';
import { serverFor } from '../../support/server.ts';

const CHUNK = byteString('x'.repeat(64 * 1024));
const MANY = 12;

/** What happened to the content of a server. */
class Made {
  begun = 0;
  chunks = 0;
  ended = 0;

  *repeat(count: number): Generator<ByteString, void> {
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
  const chunked = (path: string, chunks: () => Iterator<ByteString | undefined, void>) =>
    route('GET', path, () => jsonResponse(200, inSteps(chunks())));
  const { port, errors, server } = await serverFor(
    test,
    [
      chunked('/endless', () => made.repeat(Number.POSITIVE_INFINITY)),
      chunked('/many', () => made.repeat(MANY)),
      chunked('/more-than-sockets-hold', () => made.repeat(160)),
      chunked('/short', () => [byteString('['), undefined, byteString(']')].values()),
      chunked('/fails', function* () {
        yield byteString('[');
        throw new Error('failed at the beginning');
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
    const client = await RawClient.connect(port);
    test.after(() => client.destroy());
    return client.send(getRequest(target).replace('GET', method));
  };
  return { made, ask, errors, server };
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    assert(Date.now() < deadline, `not in time: ${what}`);
    await sleep(5);
  }
}

describe('content in chunks', () => {
  it('arrives whole, chunk after chunk', async (test) => {
    const { ask, made } = await start(test);
    const response = await (await ask('/many')).next();
    assert.equal(response?.headers['transfer-encoding'], 'chunked');
    assert(response?.text === CHUNK.repeat(MANY));
    assert.equal(made.ended, 1);
  });

  it('has a Content-Length if it turns out to be short', async (test) => {
    const { ask } = await start(test);
    const response = await (await ask('/short')).next();
    assert.equal(response?.headers['content-length'], '2');
    assert.equal(response?.text, '[]');
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
    await until(() => made.ended === 3, 'what is not sent is closed');
  });

  it('lets other requests be served meanwhile', async (test) => {
    const { ask } = await start(test);
    for (let i = 0; i < 20; i++) (await ask('/endless')).ignore();
    for (let i = 0; i < 20; i++) assert.equal((await (await ask('/now')).next())?.status, 200);
  });

  it('waits for its client to read, and cuts it after a timeout', async (test) => {
    const { ask, made } = await start(test, {
      sendTimeout: 200,
      slowestReader: 100_000_000,
      connectionsCheckingInterval: 50,
    });
    const client = await ask('/endless');
    client.socket.pause();
    await until(() => made.chunks > 0, 'it begins');
    await until(() => made.ended === 1, 'it ends');
    assert(made.chunks < 500, `${made.chunks} chunks produced, more than sockets hold`);
  });

  it('is abandoned when its client disconnects', async (test) => {
    const { ask, made } = await start(test);
    const client = await ask('/endless');
    await until(() => made.chunks > 0, 'it begins');
    client.destroy();
    await until(() => made.ended === 1, 'it ends');
  });

  it('that fails at its beginning gets 500', async (test) => {
    const { ask, errors } = await start(test);
    const response = await (await ask('/fails')).next();
    assert(response);
    assertProblem(response, 500, 'internal-error');
    assert.match(String(errors), /failed at the beginning/);
  });

  it('that fails later is cut, and the error is reported', async (test) => {
    const { ask, errors } = await start(test);
    const client = await ask('/fails-later');
    assert.deepEqual(await client.toEnd(), []);
    assert.match(String(errors), /failed in the middle/);
  });

  it('is finished before a server stops', async (test) => {
    const { ask, made, server } = await start(test);
    const first = await ask('/more-than-sockets-hold');
    first.socket.pause();
    const clients = await Promise.all(Array.from({ length: 20 }, () => ask('/many')));
    await until(() => made.begun === 21, 'all are begun');
    const stopped = server.drain(5_000);
    first.socket.resume();
    for (const client of clients) assert((await client.next())?.text === CHUNK.repeat(MANY));
    assert.equal(await stopped, true);
  });
});

function withoutDate(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { date: _, ...rest } = headers;
  return rest;
}

describe('clients that do not read', () => {
  it('are cut beyond the memory limit, the longest stalled first', async (test) => {
    const { ask, made } = await start(test, { maxClientBytes: 1024 * 1024 });
    const stuck: RawClient[] = [];
    for (let i = 0; i < 20; i++) {
      const client = await ask('/endless');
      client.socket.pause();
      stuck.push(client);
    }
    await until(() => made.ended > 0, 'some of them are cut');
    const healthy = await ask('/many');
    assert((await healthy.next())?.text === CHUNK.repeat(MANY), 'a client that reads is served');
    assert(made.ended < 20, 'no more clients than needed are cut');
  });

  it('are not read further while they are owed responses', async (test) => {
    const { ask, server } = await start(test);
    const client = await ask('/short');
    client.socket.pause();
    const requests = getRequest('/now').repeat(500);
    let most = 0;
    for (let i = 0; i < 300; i++) {
      client.send(requests);
      await sleep(1);
      most = Math.max(most, server.clientMemory.total);
    }
    // One segment of 64 KiB is parsed as a whole.
    assert(most < 10 * 1024 * 1024, `${most} bytes held`);
  });

  it('do not hold up others: 250 of them, and 64 that read slowly', async (test) => {
    const { ask } = await start(test);
    for (let i = 0; i < 250; i++) (await ask('/endless')).socket.pause();
    for (let i = 0; i < 64; i++) readSlowly(await ask('/endless'));
    const begin = performance.now();
    for (let i = 0; i < 10; i++) {
      assert.equal((await (await ask('/short')).next())?.text, '[]');
      assert((await (await ask('/many')).next())?.text === CHUNK.repeat(MANY));
    }
    assert(performance.now() - begin < 10_000, 'a response takes under a second');
  });
});

/** Reads 100 kB per second. */
function readSlowly(client: RawClient): void {
  const { socket } = client.ignore();
  const timer = setInterval(() => {
    socket.resume();
    socket.once('data', () => socket.pause());
  }, 640);
  socket.once('close', () => clearInterval(timer));
}

describe('pipelined requests', () => {
  it('are all served, in order, however many', async (test) => {
    const { ask } = await start(test);
    const client = await ask('/short');
    const responses = await client.send(getRequest('/short').repeat(9_999)).take(10_000);
    assert.equal(responses.length, 10_000);
    for (const response of responses) assert.equal(response.status, 200);
    assert.equal((await client.send(getRequest('/now')).next())?.status, 200);
  });

  it('are read only a few ahead while a response is not read', async (test) => {
    const { ask, server } = await start(test);
    const client = await ask('/endless');
    client.socket.pause();
    await sleep(50);
    const before = server.clientMemory.total;
    const request = getRequest('/now', 'a: b\r\n'.repeat(95));
    for (let i = 0; i < 100; i++) client.send(request.repeat(100));
    await sleep(200);
    const held = server.clientMemory.total - before;
    assert(held < 4 * 1024 * 1024, `${held} bytes held for 10,000 requests`);
    assert(client.socket.writableLength > 0, 'the rest waits in the client');
  });
});
