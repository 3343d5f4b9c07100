import assert from 'node:assert/strict';
import { describe, mock } from 'node:test';
import { RowCodec } from '../../../../src/replicas/replica/rows.ts';
import { Lists } from '../../../../src/service/lists/lists.ts';
import { create, titles } from '../../../support/items.ts';
import { Answer } from '../../../support/requests.ts';
import type { EventJson } from '../etcd/store.ts';
import { NO_FAULTS } from '../network/network-faults.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { SimulatedStream } from '../service/stream.ts';
import { intercept, isCommit, LONG_LIST, simulated, startOne, startTwo, TITLES } from './stage.ts';

/** Changes the messages by which a watch gets the events of a transaction. */
type Split = (events: readonly EventJson[]) => readonly (readonly EventJson[])[];

describe('replicas that load a list', () => {
  simulated('continue the ids of a list whose items are all deleted', async (all) => {
    const first = await startOne(all);
    for (let i = 0; i < 3; i++) await first.delete(`/api/todos/${await create(first, 'x')}`);
    const second = await startOne(all);
    assert.equal(await create(second, 'next'), 4);
  });

  simulated('send a write again that lost to the head of their load', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    assert.deepEqual(await titles(b), ['first']);
    intercept(b, (path, body) => (isCommit(path, body) ? { arrivals: [3_000] } : undefined));
    const waiting = b.post('/api/todos', { title: 'late' });
    await all.sleep(500);
    all.etcd.split = () => [];
    await create(a, 'second');
    all.etcd.write([{ put: 'other', value: '' }]);
    all.etcd.store.compact();
    all.etcd.split = (events) => [events];
    for (const link of b.links) link.reset();
    await all.until('it has loaded the list again', () => b.metric('todo_store_loads_total') === 2);
    intercept(b, undefined);
    assert.equal((await waiting).status, 201);
    assert.deepEqual(await titles(a), ['first', 'second', 'late']);
  });

  simulated('recognise a write that was stored before they loaded the list again', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    let isLost = false;
    intercept(a, (path, body) => {
      if (isLost || !isCommit(path, body)) return undefined;
      isLost = true;
      // The row of the next transaction is missing, which makes the replica load the list.
      all.etcd.split = (events) => [events.slice(1)];
      return { arrivals: [0], response: 'reset' };
    });
    assert.equal(await create(a, 'second'), 2);
    all.etcd.split = (events) => [events];
    assert.equal(await create(b, 'third'), 3);
    for (const each of [a, b]) assert.deepEqual(await titles(each), ['first', 'second', 'third']);
  });

  simulated('load it beside other work', async (all) => {
    await startOne(all, LONG_LIST);
    /** The number of rows in each turn of the event loop. */
    const turns = new Map<number, number>();
    const { replay } = RowCodec.prototype;
    const counting = mock.method(
      RowCodec.prototype,
      'replay',
      function (this: RowCodec, ...args: Parameters<typeof replay>) {
        const turn = all.environment.events;
        turns.set(turn, args[1].length + (turns.get(turn) ?? 0));
        replay.apply(this, args);
      },
    );
    const late = await startOne(all, LONG_LIST);
    counting.mock.restore();
    assert.deepEqual(await titles(late), TITLES);
    assert(Math.max(...turns.values()) <= 50, `${Math.max(...turns.values())} rows`);
  });

  simulated('load it again if etcd comes back empty meanwhile', async (all) => {
    const options = { seed: [{ title: 'one' }] };
    all.start(options);
    await all.ready();
    const { store } = all.etcd;
    const late = all.start(options);
    const sizes: number[] = [];
    const { mountItemsOf } = Lists.prototype;
    const showing = mock.method(
      Lists.prototype,
      'mountItemsOf',
      function (this: Lists, ...args: Parameters<typeof mountItemsOf>) {
        if (args[1] === late.replica) sizes.push(late.replica.items.table.size);
        mountItemsOf.apply(this, args);
      },
    );
    let isEmpty = false;
    intercept(late, (path, body) => {
      if (path !== '/v3/kv/range' || !body.includes('"limit"') || isEmpty) return undefined;
      isEmpty = true;
      const { revision } = store;
      store.restore(1);
      // As many transactions as before, of another program.
      while (store.revision < revision) all.etcd.write([{ put: 'other', value: '' }]);
      return { arrivals: [0] };
    });
    await all.ready();
    showing.mock.restore();
    assert(isEmpty);
    assert.deepEqual(sizes, [1], 'no rows of the new etcd below the head of the old one');
  });

  simulated('load it again if it is compacted meanwhile', async (all) => {
    const a = await startOne(all, LONG_LIST);
    const b = all.start(LONG_LIST);
    let pages = 0;
    intercept(b, (path, body) => {
      if (path !== '/v3/kv/range' || !body.includes('"limit"') || ++pages !== 2) return undefined;
      all.etcd.write([{ put: 'other', value: '' }]);
      all.etcd.store.compact();
      return { arrivals: [0] };
    });
    await all.ready(20_000);
    assert.equal(b.metric('todo_store_loads_total'), 2);
    assert.deepEqual(await titles(b), await titles(a));
  });
});

simulated('reads that wait share a request to etcd', async (all) => {
  const replica = await startOne(all);
  let requests = 0;
  intercept(replica, () => {
    requests++;
    return undefined;
  });
  await Promise.all(Array.from({ length: 50 }, () => titles(replica)));
  assert(requests <= 3, `${requests} requests`);
});

describe('a watch', () => {
  const lossy: readonly (readonly [what: string, every: number, parts: Split])[] = [
    ['split', 1, (all) => all.map((event) => [event])],
    ['sent twice', 1, (all) => [all, all]],
    ['sent in parts twice', 1, (all) => [all.slice(0, 1), all]],
    ['lost except for the head', 3, (all) => [all.slice(1)]],
    ['lost except for the rows', 7, (all) => [all.slice(0, -1)]],
    ['lost', 3, () => []],
  ];
  for (const [what, every, parts] of lossy) {
    simulated(`shows each transaction once and whole if events are ${what}`, async (all) => {
      const [a, b] = await startTwo(all);
      let seen = 0;
      all.etcd.split = (events) => (++seen % every === 0 ? parts(events) : [events]);
      for (let i = 0; i < 12; i++) {
        const id = await create(a, `${i}`);
        if (i % 3 === 0) await a.delete(`/api/todos/${id}`);
        else await create(a, 'another');
        assert.equal((await b.get('/api/todos')).text, (await a.get('/api/todos')).text);
      }
    });
  }

  const pieces = {
    'one piece with its confirmation': { joins: 1, joinMs: 250 },
    pieces: { splits: 1 },
  };
  for (const [what, faults] of Object.entries(pieces))
    simulated(`loses no event that arrives in ${what}`, async (all) => {
      const [a, b] = await startTwo(all);
      for (const link of b.links) link.faults = { ...NO_FAULTS, ...faults };
      for (const title of ['one', 'two', 'three']) {
        for (const link of b.links) link.reset();
        await create(a, title);
        await all.sleep(400);
        const start = all.now;
        assert((await titles(b)).includes(title));
        assert(all.now - start < 1_000, `${all.now - start} ms`);
      }
      assert.equal(b.metric('todo_store_loads_total'), 1);
      assert.equal(b.metric('todo_store_lag_revisions'), 0);
    });

  simulated('gives way to a load if its start is compacted meanwhile', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'x');
    let isCompacted = false;
    intercept(a, (path) => {
      if (path !== '/v3/watch' || isCompacted) return undefined;
      isCompacted = true;
      for (let i = 0; i < 5; i++) all.etcd.write([{ put: 'other', value: `${i}` }]);
      all.etcd.store.compact();
      return { arrivals: [0] };
    });
    all.network.breakAll();
    await all.sleep(1_000);
    assert(isCompacted);
    const start = all.now;
    await create(b, 'y');
    assert.deepEqual(await titles(a), ['x', 'y']);
    assert(all.now - start < 500, 'it does not find out by a silence');
    assert.equal(a.metric('todo_store_loads_total'), 2);
  });

  simulated('finds a restored backup that has reached the same revision', async (all) => {
    const a = all.start();
    await create(a, 'kept');
    const { revision } = all.etcd.store;
    await create(a, 'lost');
    all.network.set(a.links, 'refused');
    all.etcd.store.restore(revision);
    const b = all.start();
    for (const title of ['new', 'newer']) await create(b, title);
    all.network.set(a.links, 'open');
    await all.ready(6_000);
    assert.deepEqual(await titles(a), ['kept', 'new', 'newer']);
  });
});

/** Opens a stream, and takes its first event. */
async function follow(replica: SimulatedReplica, lastEventId?: string): Promise<SimulatedStream> {
  const stream = await replica.stream(lastEventId);
  assert(stream instanceof SimulatedStream);
  assert.equal((await stream.next())?.event, 'ready');
  return stream;
}

describe('a stream that moves to another replica', () => {
  simulated('continues with the same events if that has followed the list', async (all) => {
    const [a, b] = await startTwo(all);
    const ofA = await follow(a);
    const id = ofA.lastEventId;
    for (const title of ['one', 'two']) await create(a, title);
    const seen = [await ofA.next(), await ofA.next()];
    assert.deepEqual(await titles(b), ['one', 'two']);
    for (const [index, from] of [id, seen[0]?.id].entries()) {
      const ofB = await follow(b, from);
      for (const event of seen.slice(index)) assert.deepEqual(await ofB.next(), event);
    }
  });

  simulated('continues on one that is behind, and loses nothing', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    await titles(b);
    const ofA = await follow(a);
    all.network.set(b.links, 'silent');
    await create(a, 'second');
    const event = await ofA.next();
    all.environment.after(200, () => all.network.heal());
    const ofB = await follow(b, event?.id);
    await create(a, 'third');
    assert.match((await ofB.next())?.data ?? '', /"third"/);
  });

  simulated('gets reset if that has loaded the list since', async (all) => {
    const a = await startOne(all);
    const ofA = await follow(a);
    await create(a, 'one');
    const event = await ofA.next();
    await create(a, 'two');
    const late = await startOne(all);
    const ofLate = await follow(late, event?.id);
    assert.equal((await ofLate.next())?.event, 'reset');
    const again = await follow(late, ofLate.lastEventId);
    await create(a, 'three');
    assert.match((await again.next())?.data ?? '', /"three"/, 'nothing is missed since the reset');
  });
});

describe('a stream while etcd is away', () => {
  simulated('opens, and gets what happens when etcd is back', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    const ofA = await follow(a);
    await titles(b);
    all.network.set(b.links, 'refused');
    await create(a, 'second');
    const event = await ofA.next();
    const [fresh, ahead] = [await follow(b), await follow(b, event?.id)];
    assert.equal((await ahead.next())?.event, 'reset', 'this replica does not know the event');
    all.network.heal();
    for (const stream of [fresh, ahead]) assert.deepEqual(await stream.next(), event);
  });

  simulated('is 503 until the list has been loaded', async (all) => {
    const replica = all.start();
    all.network.set(replica.links, 'refused');
    const answer = await replica.stream();
    assert(answer instanceof Answer);
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1']);
  });
});
