import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_SETTINGS } from '../../../../../src/lib/http/server/http-settings.ts';
import { NOT_YET, type Steps } from '../../../../../src/lib/steps.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { rawClientFor } from '../../../../support/raw.ts';
import { getRequest } from '../../../../support/raw-requests.ts';
import { route } from '../../../../support/route.ts';
import { serverFor } from '../../../../support/server.ts';

const { keepAliveTimeout: KEEP_ALIVE_MS, connectionsCheckingInterval: CHECK_MS } = DEFAULT_SETTINGS;

const CHUNKED = 'Transfer-Encoding: chunked\r\n';

describe('a connection between two requests', () => {
  const ok = route('GET', '/', () => ({ status: 200, content: Buffer.from('ok') }));

  it('is closed without a response when it has been idle for too long', async (test) => {
    const clock = new ManualClock(test);
    const { port } = await serverFor(test, [ok]);
    const client = await rawClientFor(test, port);
    assert.equal((await client.send(getRequest('/')).next())?.status, 200);
    await clock.advance(KEEP_ALIVE_MS - 1_000);
    assert(!client.hasEnded, 'it is open while its time is not up');
    await clock.advance(1_000 + 2 * CHECK_MS);
    assert(client.hasEnded, 'it is closed at the second check after its time');
    assert.deepEqual(await client.toEnd(), []);
    assert.equal(await client.ended, 'closed');
  });

  it('serves a request that has arrived when its time is up, but has not been read', async (test) => {
    const clock = new ManualClock(test);
    let served = 0;
    const counted = route('GET', '/', () => ({ status: 200, content: Buffer.from(`${++served}`) }));
    const { port } = await serverFor(test, [counted]);
    const client = await rawClientFor(test, port);
    assert.equal((await client.send(getRequest('/')).next())?.text, '1');
    await clock.advance(KEEP_ALIVE_MS + CHECK_MS / 2);
    // Sent in the turn of the check that would close the connection, so no byte has been read before.
    const onTime = clock.advance(CHECK_MS);
    client.send(getRequest('/'));
    await onTime;
    assert.equal((await client.next())?.text, '2');
  });

  it('gets 408 for each kind of late bytes, with the length of the content so far', async (test) => {
    // On the clock of `node:http`.
    const times = { headersTimeout: 1_000, requestTimeout: 1_000, connectionsCheckingInterval: 50 };
    const { port } = await serverFor(test, [ok], times);
    const get408 = async ([bytes, late]: readonly [string, string]) => {
      const client = await rawClientFor(test, port);
      const response = (await client.send(bytes).toEnd()).at(-1);
      assert.deepEqual([response?.status, response?.headers.connection], [408, 'close'], bytes);
      const expected = `The ${late} did not arrive in time; send the request again`;
      assert.equal(JSON.parse(response?.text ?? '').detail, expected, bytes);
      assert.equal(await client.ended, 'closed');
    };
    const chunks = '4\r\nabcd\r\n';
    const rows = [
      ['', 'request'],
      ['GET /li', 'request'],
      [getRequest('/').slice(0, -2), 'request'],
      [`${getRequest('/')}GET /li`, 'request'],
      [getRequest('/', 'Content-Length: 30\r\n'), 'content (0 of 30 bytes so far)'],
      [getRequest('/', CHUNKED) + chunks, 'content (4 bytes so far)'],
    ] as const;
    await Promise.all(rows.map(get408));
  });

  it('tells its client of a second less, so that the client gives it up first', async (test) => {
    for (const [keepAliveTimeout, hint] of [
      [2_000, 'timeout=1'],
      [65_000, 'timeout=64'],
      [3_600_000, 'timeout=3599'],
    ] as const) {
      const { port } = await serverFor(test, [ok], { keepAliveTimeout });
      const client = await rawClientFor(test, port);
      const response = await client.send(getRequest('/')).next();
      assert.equal(response?.headers['keep-alive'], hint);
    }
  });

  it('stays as long as requests come in time', async (test) => {
    const clock = new ManualClock(test);
    const { port } = await serverFor(test, [ok]);
    const client = await rawClientFor(test, port);
    for (let i = 0; i < 4; i++) {
      assert.equal((await client.send(getRequest('/')).next())?.status, 200);
      await clock.advance(CHECK_MS);
      await clock.advance(KEEP_ALIVE_MS / 2);
    }
  });

  it('stays while a response takes longer than that, and so does the next one', async (test) => {
    const clock = new ManualClock(test);
    const late = route('GET', '/', async () => {
      await clock.advance(CHECK_MS);
      await clock.advance(2 * KEEP_ALIVE_MS);
      return { status: 200, content: Buffer.from('late') };
    });
    const { port } = await serverFor(test, [late]);
    const client = await rawClientFor(test, port);
    for (const response of await client.send(getRequest('/').repeat(2)).take(2)) {
      assert.equal(response.text, 'late');
      assert.equal(response.headers.connection, 'keep-alive');
    }
  });
});

it('a client that has ended its side gets its response, however long that takes', async (test) => {
  const clock = new ManualClock(test);
  const work = { isDone: false };
  const steps: Steps<undefined, string> = {
    next: () => {
      clock.skip(1);
      return work.isDone ? { done: true, value: 'done' } : NOT_YET;
    },
  };
  const slow = route('GET', '/', async (request) => {
    const text = await request.run(steps);
    return { status: 200, content: Buffer.from(text) };
  });
  const { port } = await serverFor(test, [slow]);
  const client = await rawClientFor(test, port);
  await client.send(getRequest('/')).finish().sendApart();
  for (let i = 0; i < 3; i++) await clock.advance(KEEP_ALIVE_MS);
  work.isDone = true;
  assert.equal((await client.next())?.text, 'done');
});
