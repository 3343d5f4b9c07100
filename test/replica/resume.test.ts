import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { assertProblem } from '../api/suite.ts';
import { FaultyLink } from '../replicas/support/faulty-link.ts';
import { freePorts } from '../replicas/support/ports.ts';
import { EventClient } from '../support/events.ts';
import type { FakeEtcd } from './support/fake-etcd.ts';
import { create, fakeEtcd, type RunningReplica, startReplica, until } from './support/replicas.ts';

/** Items that were created while a stream was away: several pages of etcd's history. */
const MISSED = 800;

/** As long as a description may be. */
const LONG = 'x'.repeat(1_000);

/** How late a page is where there is to be time for something else, in milliseconds. */
const LATE_MS = 200;

/** A list with a past, and a replica that has just started and remembers nothing of it. */
interface Past {
  readonly etcd: FakeEtcd;
  /** A replica that was there all the time. */
  readonly old: RunningReplica;
  readonly late: RunningReplica;
  /** What the late replica reaches etcd by. */
  readonly link: FaultyLink;
  /** The id of the last event before all that was missed. */
  readonly seen: string;
}

async function past(test: TestContext, timeoutMs = 5_000): Promise<Past> {
  const { etcd, url } = await fakeEtcd(test);
  const options = { historyBytes: 16 * 1024, table: { maxRows: 10_000 }, settings: { timeoutMs } };
  const old = await startReplica(test, url, options);
  const stream = await EventClient.open(old.baseUrl);
  const { id: seen } = await stream.next();
  stream.close();
  assert(seen);
  const pool = new Pool(old.baseUrl, { connections: 40 });
  const body = JSON.stringify({ title: 'x', description: LONG });
  const headers = { 'content-type': 'application/json' };
  const creating = range(MISSED).map(async () => {
    const answer = await pool.request({ method: 'POST', path: '/api/todos', headers, body });
    assert.equal(answer.statusCode, 201);
    await answer.body.dump();
  });
  await Promise.all(creating);
  await pool.destroy();
  const link = new FaultyLink(Number(new URL(url).port));
  test.after(() => link.close());
  const [port = 0] = await freePorts(1);
  await link.listen(port);
  const late = await startReplica(test, `http://127.0.0.1:${port}`, options);
  await until('it is ready', async () => (await late.client.get('/readyz')).status === 200);
  return { etcd, old, late, link, seen };
}

/** Opens a stream after an event, and waits for the first page of what it has missed. */
async function resume({ baseUrl }: RunningReplica, id: string): Promise<EventClient> {
  const stream = await EventClient.open(baseUrl, id);
  assert.equal((await stream.next()).event, 'ready');
  await stream.next();
  return stream;
}

/** The ids of the items in all events of a stream but `ready`. */
function idsOf({ events }: EventClient): number[] {
  return events.slice(1).map(({ data }) => JSON.parse(data).id);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Whoever goes on after a stream that has ended is told to start anew. */
async function assertReset(replica: RunningReplica, stream: EventClient): Promise<void> {
  assert(stream.lastEventId);
  const again = await EventClient.open(replica.baseUrl, stream.lastEventId);
  const kinds = (await again.take(2)).map(({ event }) => event);
  assert.deepEqual(kinds, ['ready', 'reset']);
  again.close();
}

async function streams({ client }: RunningReplica): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^todo_event_streams (.*)$/m.exec(text)?.[1]);
}

describe('a stream that has missed more than its replica remembers', { concurrency: 3 }, () => {
  it('gets all of it where its client is slow and others write', async (test) => {
    const { old, late, seen } = await past(test);
    const { body } = await request(`${late.baseUrl}/api/todos/events`, {
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

  it('leaves nothing behind where its client leaves', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    assert.equal(await streams(late), 1);
    stream.close();
    await until('nobody is there', async () => (await streams(late)) === 0);
    await until('nothing is read', () => etcd.watches === 2);
  });

  it('ends where the rest is compacted, and then gets a reset', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    etcd.store.compact();
    await stream.ended();
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
    assert(stream.events.length - 1 < MISSED);
    await assertReset(late, stream);
  });

  it('ends where the list is reset, and then gets a reset', async (test) => {
    const { old, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    const headers = { authorization: 'Bearer secret' };
    assert.equal((await old.client.request('POST', '/admin/reset', { headers })).status, 204);
    await stream.ended();
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
    await assertReset(late, stream);
  });

  it('ends where etcd is restored from a backup, and then gets a reset', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    etcd.store.goBackTo(Number(seen.split('.')[1]) + 1);
    etcd.breakWatches();
    await stream.ended();
    await until('the backup shows', async () => {
      const { status, text } = await late.client.get('/api/todos');
      return status === 200 && text.length < MISSED * LONG.length;
    });
    await assertReset(late, stream);
  });

  it('ends where the service stops, which that does not disturb', async (test) => {
    const { late, link, seen } = await past(test);
    link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    assert.equal(await late.app.stop(5_000), true);
    await stream.ended();
    // A page that was being read would have arrived.
    await sleep(2 * LATE_MS);
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
  });

  it('gets all of it where the watch of its replica breaks off', async (test) => {
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

  it('is refused, and not reset, while etcd is away', async (test) => {
    const { late, link, seen } = await past(test, 1_000);
    link.set('cut');
    const headers = { 'last-event-id': seen };
    assertProblem(
      await late.client.request('GET', '/api/todos/events', { headers }),
      503,
      'store-unavailable',
    );
    link.set('open');
    await until('it is ready', async () => (await late.client.get('/readyz')).status === 200);
    const stream = await resume(late, seen);
    await stream.take(MISSED - 1);
    assert.deepEqual(idsOf(stream), range(MISSED));
    stream.close();
  });

  it('is one of many, which do not take all connections to etcd', async (test) => {
    const { etcd, late, link, seen } = await past(test);
    let most = 0;
    etcd.faults.events = (events) => {
      most = Math.max(most, etcd.watches);
      return [events];
    };
    link.watchDelayMs = LATE_MS;
    const first = Number(seen.split('.')[1]);
    const through = late.replica.stats.revision;
    // So many that together they want more connections than a replica opens.
    const pages = range(100).map((i) => late.replica.commits(first, through + i));
    await create(late.client, 'meanwhile');
    for (const page of await Promise.all(pages)) assert(page && page.length > 0);
    // Some may have been given up a moment ago.
    assert(most < 40, `${most} watches at once`);
  });
});
