import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Slices } from '../../src/http/answer.ts';
import { type ByteString, byteString } from '../../src/http/byte-string.ts';
import type { Route } from '../../src/http/route.ts';
import type { HttpSettings } from '../../src/http/settings.ts';
import { assertProblem } from '../api/suite.ts';
import { getRequest } from '../support/edge.ts';
import { RawClient } from '../support/raw.ts';
import { serverFor } from '../support/server.ts';

const SLICE = byteString('x'.repeat(64 * 1024));

/** What became of the long answers of a server. */
class Long {
  made = 0;
  ended = 0;

  *slices(count: number): Generator<ByteString, void> {
    try {
      for (let i = 0; i < count; i++) {
        this.made++;
        yield SLICE;
      }
    } finally {
      this.ended++;
    }
  }

  route(path: string, body: () => ByteString | Slices): Route {
    return { method: 'GET', path, isLong: true, handle: () => ({ status: 200, body: body() }) };
  }
}

async function start(test: TestContext, settings: Partial<HttpSettings> = {}) {
  const long = new Long();
  const { port, faults, server } = await serverFor(
    test,
    [
      long.route('/endless', () => long.slices(Number.POSITIVE_INFINITY)),
      long.route('/three', () => long.slices(3)),
      long.route('/more-than-sockets-hold', () => long.slices(160)),
      long.route('/short', () => byteString('[]')),
      long.route('/broken', function* () {
        yield byteString('[');
        throw new Error('broken in the middle');
      }),
      { method: 'GET', path: '/now', handle: () => ({ status: 200, body: byteString('{}') }) },
    ],
    settings,
  );
  const ask = async (target: string, method = 'GET') => {
    const client = await RawClient.connect(port);
    test.after(() => client.destroy());
    return client.send(getRequest(target).replace('GET', method));
  };
  return { long, ask, faults, server };
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    assert(Date.now() < deadline, `in time: ${what}`);
    await sleep(5);
  }
}

describe('a long answer', () => {
  it('arrives whole, slice after slice', async (test) => {
    const { ask } = await start(test);
    const answer = await (await ask('/three')).next();
    assert.equal(answer?.headers['transfer-encoding'], 'chunked');
    assert(answer?.text === SLICE.repeat(3));
  });

  it('has a length where it is made whole', async (test) => {
    const { ask } = await start(test);
    const answer = await (await ask('/short')).next();
    assert.equal(answer?.headers['content-length'], '2');
    assert.equal(answer?.text, '[]');
  });

  it('is not made for HEAD', async (test) => {
    const { ask, long } = await start(test);
    const answer = await (await ask('/endless', 'HEAD')).next(false);
    assert.equal(answer?.status, 200);
    assert.equal(long.made, 0);
  });

  it('lets others be answered at once', async (test) => {
    const { ask } = await start(test);
    for (let i = 0; i < 20; i++) (await ask('/endless')).ignore();
    for (let i = 0; i < 20; i++) assert.equal((await (await ask('/now')).next())?.status, 200);
  });

  it('waits for its client to read, and cuts it after the stated time', async (test) => {
    const { ask, long } = await start(test, {
      sendTimeout: 200,
      connectionsCheckingInterval: 50,
    });
    const client = await ask('/endless');
    client.socket.pause();
    await until(() => long.made > 0, 'it begins');
    await until(() => long.ended === 1, 'it ends');
    assert(long.made < 500, `no more is made than the sockets hold, not ${long.made} slices`);
  });

  it('is given up when its client leaves', async (test) => {
    const { ask, long } = await start(test);
    const client = await ask('/endless');
    await until(() => long.made > 0, 'it begins');
    client.destroy();
    await until(() => long.ended === 1, 'it ends');
  });

  it('is cut, and logged, where making it fails in the middle', async (test) => {
    const { ask, faults } = await start(test);
    const client = await ask('/broken');
    assert.deepEqual(await client.toEnd(), []);
    assert.match(String(faults), /broken in the middle/);
  });
});

describe('many long answers', () => {
  const settings = { longAtOnce: 2, longWaiting: 1 };

  it('are capped, wait in line, and are refused when the line is full', async (test) => {
    const { ask, long } = await start(test, settings);
    const [first] = [await ask('/endless'), await ask('/endless')];
    await until(() => long.made > 1, 'two begin');
    const third = await ask('/three');
    await sleep(20);
    const refused = await (await ask('/three')).next();
    assert(refused);
    assertProblem(refused, 503, 'overloaded');
    assert.match(refused.headers['retry-after'] ?? '', /^\d+$/);
    assert.equal((await (await ask('/now')).next())?.status, 200);
    first.destroy();
    assert((await third.next())?.text === SLICE.repeat(3));
  });

  it('are refused, in their turn, where more wait on one connection than one read can bring', async (test) => {
    const { ask } = await start(test);
    const client = await ask('/short');
    const answers = await client.send(getRequest('/short').repeat(9_999)).take(10_000);
    assert.equal(answers.length, 10_000);
    for (const answer of answers)
      if (answer.status !== 200) assertProblem(answer, 503, 'overloaded');
    assert.equal((await client.send(getRequest('/now')).next())?.status, 200);
  });

  it('leave the line with their client', async (test) => {
    const { ask, long } = await start(test, settings);
    const [first] = [await ask('/endless'), await ask('/endless')];
    await until(() => long.made > 1, 'two begin');
    const gone = await ask('/endless');
    await sleep(20);
    gone.reset();
    await sleep(20);
    const next = await ask('/three');
    await sleep(20);
    first.destroy();
    assert.equal((await next.next())?.status, 200);
    assert.equal(long.ended, 2);
  });

  it('are finished by a server that stops, the waiting ones too', async (test) => {
    const { ask, server } = await start(test, { longAtOnce: 1 });
    const first = await ask('/more-than-sockets-hold');
    first.socket.pause();
    await sleep(20);
    const clients = await Promise.all(Array.from({ length: 20 }, () => ask('/three')));
    await sleep(50);
    const stopped = server.drain(5_000);
    first.socket.resume();
    for (const client of clients) assert((await client.next())?.text === SLICE.repeat(3));
    assert.equal(await stopped, true);
  });
});
