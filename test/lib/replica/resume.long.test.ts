import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { assertProblem } from '../../api/suite.ts';
import type { FaultyLink } from '../../replicas/support/faulty-link.ts';
import { EventClient } from '../../support/events.ts';
import { EVENTS, LIST } from '../../support/paths.ts';
import type { FakeEtcd } from './support/fake-etcd.ts';
import {
  assertReset,
  idsOf,
  isReady,
  LATE_MS,
  LONG,
  MISSED,
  type Past,
  pastOn,
  range,
  resume,
} from './support/past.ts';
import { create, fakeEtcd, type RunningReplica, until } from './support/replicas.ts';

async function past(
  test: TestContext,
  timeoutMs?: number,
): Promise<Past & { readonly etcd: FakeEtcd; readonly link: FaultyLink }> {
  const { etcd, url } = await fakeEtcd(test);
  const made = await pastOn(test, [Number(new URL(url).port)], timeoutMs);
  const [link] = made.links;
  assert(link);
  return { ...made, etcd, link };
}

async function streams({ client }: RunningReplica): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^todo_event_streams (.*)$/m.exec(text)?.[1]);
}

describe('a stream that missed more events than its replica keeps', { concurrency: 3 }, () => {
  it('gets all of them if its client is slow and others write', async (test) => {
    const { old, late, seen } = await past(test);
    const { body } = await request(`${late.baseUrl}${EVENTS}`, {
      headers: { 'last-event-id': seen },
    });
    const writing = (async () => {
      for (let i = 0; i < 40; i++) await create(old.client, 'later', LONG);
      await create(old.client, 'last');
    })();
    let text = '';
    for await (const chunk of body) {
      text += chunk;
      if (text.includes('"last"')) break;
      await sleep(5);
    }
    await writing;
    const ids = [...text.matchAll(/"id":(\d+),/g)].map(([, id]) => Number(id));
    assert.deepEqual(ids, range(MISSED + 41));
    assert(!text.includes('event: reset'));
  });

  it('is cleaned up if its client disconnects', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    assert.equal(await streams(late), 1);
    stream.close();
    await until('the stream is closed', async () => (await streams(late)) === 0);
    await until('no history is read', () => etcd.watches === 2);
  });

  it('ends if the list is reset, and then gets reset', async (test) => {
    const { old, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    const headers = { authorization: 'Bearer secret' };
    assert.equal((await old.client.request('POST', '/admin/reset', { headers })).status, 204);
    await stream.ended();
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
    await assertReset(late, stream);
  });

  it('ends if etcd is restored from a backup, and then gets reset', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    etcd.store.restore(Number(seen.split('.')[1]) + 1);
    etcd.breakWatches();
    await stream.ended();
    await until('the backup shows', async () => {
      const { status, text } = await late.client.get(LIST);
      return status === 200 && text.length < MISSED * LONG.length;
    });
    await assertReset(late, stream);
  });

  it('ends if the service stops, and does not delay that', async (test) => {
    const { late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    assert.equal(await late.app.stop(5_000), true);
    await stream.ended();
    // By now, the page that was being read would have arrived.
    await sleep(2 * LATE_MS);
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
  });

  it('gets all of them if watches break off', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const opened = EventClient.open(late.baseUrl, seen);
    for (let i = 0; i < 4; i++) {
      await sleep(LATE_MS / 2);
      etcd.breakWatches();
    }
    const stream = await opened;
    assert.equal((await stream.next()).event, 'ready');
    await stream.take(MISSED);
    assert.deepEqual(idsOf(stream), range(MISSED));
    stream.close();
  });

  it('gets 503, not reset, while etcd is unreachable', async (test) => {
    const { late, link, seen } = await past(test, 3_000);
    link.set('cut');
    const headers = { 'last-event-id': seen };
    assertProblem(await late.client.request('GET', EVENTS, { headers }), 503, 'store-unavailable');
    link.set('open');
    await isReady(late);
    const stream = await resume(late, seen);
    await stream.take(MISSED - 1);
    assert.deepEqual(idsOf(stream), range(MISSED));
    stream.close();
  });

  it('leaves connections to etcd for writes, even with many such streams', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    let most = 0;
    etcd.gateway.split = (events) => {
      most = Math.max(most, etcd.watches);
      return [events];
    };
    link.watchDelayMs = LATE_MS;
    const first = Number(seen.split('.')[1]);
    const through = late.replica.stats()?.revision ?? 0;
    // One connection each would be more than a replica opens.
    const pages = range(100).map((i) => late.replica.commits(first, through + i));
    await create(late.client, 'meanwhile');
    for (const page of await Promise.all(pages)) assert(page && page.length > 0);
    // Some may just have been closed.
    assert(most < 40, `${most} watches at once`);
  });
});
