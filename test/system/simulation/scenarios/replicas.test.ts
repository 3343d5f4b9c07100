import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MAX_TRANSACTION_ROWS } from '../../../../src/lib/replica/write/dry-run.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { create, titles } from '../../../support/items.ts';
import type { EventJson } from '../etcd/store.ts';
import { NO_FAULTS } from '../network/network-faults.ts';
import { intercept, isCommit, refusalOf, simulated, startTwo, storedTitles } from './stage.ts';

const LIST = '/api/todos';

/** Changes the messages by which a watch gets the events of a transaction. */
type Split = (events: readonly EventJson[]) => readonly (readonly EventJson[])[];

describe('replicas of one list', () => {
  simulated('load items with any characters', async (all) => {
    const first = all.start({ variant: variantB });
    const title = 'é"\\\u0000\u{1F600}\u{10400}';
    await first.post(LIST, { title, description: 'x\ny', priority: 5 });
    for (let i = 0; i < 20; i++) await create(first, String(i));
    for (const id of [7, 21]) await first.delete(`${LIST}/${id}`);
    const second = all.start({ variant: variantB });
    assert.equal((await second.get(LIST)).text, (await first.get(LIST)).text);
    assert.equal(await create(second, 'next'), 22);
  });

  simulated('keep the limit of the first one, and refuse another', async (all) => {
    const [a, b] = [all.start({ maxRows: 3 }), all.start({ maxRows: 50 })];
    for (const replica of [a, b, a]) await create(replica, 'x');
    assert.equal((await b.post(LIST, { title: 'x' })).status, 507);
    const reason = await refusalOf(all, { maxRows: 50, isMaxRowsGiven: true });
    assert.equal(reason, 'ETCD_PREFIX /test/ was created with MAX_ROWS 3, not 50');
  });

  simulated('write nothing to a list of another variant', async (all) => {
    await create(all.start(), 'x');
    const { revision } = all.etcd.store;
    const other = all.start({ variant: variantB });
    await all.until('it is refused', () => other.incompatibilities.length > 0);
    assert.deepEqual(other.incompatibilities, [
      'ETCD_PREFIX /test/ has items of variant a, and VARIANT is b',
    ]);
    assert.equal((await other.post(LIST, { title: 'y' })).status, 503);
    assert.equal(all.etcd.store.revision, revision);
  });

  simulated('store the seed of the fastest one', async (all) => {
    const seed = Array.from({ length: 250 }, (_, i) => ({ title: `s${i + 1}` }));
    const replicas = [0, 1, 2].map(() => all.start({ seed }));
    await all.ready();
    for (const replica of replicas) assert.equal((await titles(replica)).length, 250);
    await all.until('the other rows are deleted', () => storedTitles(all.etcd).length === 250);
  });

  simulated('are not reset when they load the list again', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    assert.deepEqual(await titles(b), ['first']);
    intercept(b, (path, body) => (isCommit(path, body) ? { arrivals: [3_000] } : undefined));
    const waiting = b.post(LIST, { title: 'late' });
    await all.sleep(500);
    all.etcd.split = () => [];
    await create(a, 'second');
    all.etcd.store.compact();
    all.etcd.split = (events) => [events];
    for (const link of b.links) link.reset();
    await all.until('it has loaded the list again', () => b.metric('todo_store_loads_total') === 2);
    intercept(b, undefined);
    assert.equal((await waiting).status, 201, 'a request before a reset would be refused');
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

  simulated('listen, and load the list when etcd can be reached', async (all) => {
    const replica = all.start();
    all.network.set(replica.links, 'refused');
    await all.sleep(10_000);
    assert.equal((await replica.get('/livez')).status, 200);
    assert.equal((await replica.get('/readyz')).status, 503);
    assert.equal((await replica.get(LIST)).status, 503);
    all.network.heal();
    await all.ready(6_000);
    assert.equal(await create(replica, 'x'), 1);
  });

  simulated('return 503 within a second if all endpoints refuse connections', async (all) => {
    const replica = all.start({ seed: [{ title: 'one' }] });
    await all.ready();
    all.network.set(replica.links, 'refused');
    for (const [method, path, body] of [
      ['GET', LIST],
      ['POST', LIST, '{"title":"two"}'],
      ['DELETE', `${LIST}/1`],
    ] as const) {
      const start = all.now;
      const headers = { 'content-type': 'application/json' };
      const answer = await replica.request(method, path, { headers, body: body ?? '' });
      assert.equal(answer.status, 503);
      assert.match(answer.text, /"code":"store-unavailable"/);
      assert.equal(answer.headers['retry-after'], '1');
      assert(all.now - start < 1_000, `${all.now - start} ms`);
    }
  });
});

describe('a watch', () => {
  const lossy: readonly (readonly [what: string, every: number, parts: Split])[] = [
    ['split', 1, (all) => all.map((event) => [event])],
    ['sent twice', 1, (all) => [all, all]],
    ['sent in parts twice', 1, (all) => [all.slice(0, 1), all]],
    ['lost except for the head', 3, (all) => [all.slice(1)]],
    ['lost except for the rows', 7, (all) => [all.slice(0, -1)]],
    ['lost', 7, () => []],
  ];
  for (const [what, every, parts] of lossy) {
    simulated(`shows each transaction once and whole if events are ${what}`, async (all) => {
      const [a, b] = await startTwo(all);
      let seen = 0;
      all.etcd.split = (events) => (++seen % every === 0 ? parts(events) : [events]);
      for (let i = 0; i < 12; i++) {
        const id = await create(a, `${i}`);
        if (i % 3 === 0) await a.delete(`${LIST}/${id}`);
        assert.equal((await b.get(LIST)).text, (await a.get(LIST)).text);
      }
    });
  }

  simulated('loses no event that arrives in one piece with its confirmation', async (all) => {
    const [a, b] = await startTwo(all);
    for (const link of b.links) link.faults = { ...NO_FAULTS, joins: 1, joinMs: 250 };
    for (const title of ['one', 'two', 'three']) {
      for (const link of b.links) link.reset();
      await create(a, title);
      await all.sleep(400);
      const start = all.now;
      assert((await titles(b)).includes(title));
      assert(all.now - start < 1_000, `${all.now - start} ms`);
    }
    assert.equal(b.metric('todo_store_loads_total'), 1);
  });

  simulated('is opened again without a load if its start is compacted meanwhile', async (all) => {
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
    assert.equal(a.metric('todo_store_loads_total'), 1);
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

describe('writes that come together', () => {
  simulated('share transactions, in which each row is written once', async (all) => {
    const replica = all.start({ maxRows: 5 });
    await all.ready();
    const { revision } = all.etcd.store;
    const created = await Promise.all(
      Array.from({ length: 8 }, () => replica.post(LIST, { title: 'x' })),
    );
    const statuses = created.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 507, 507, 507], 'none fails another');
    assert(all.etcd.store.revision - revision <= 5);
    const changed = await Promise.all(
      Array.from({ length: 20 }, (_, i) => replica.put(`${LIST}/1`, { title: `t${i}` })),
    );
    for (const { status } of changed) assert.equal(status, 200);
  });

  simulated('get the number of their commit, even if an item is of one of them', async (all) => {
    const { replica: store, ...replica } = all.start();
    await all.ready();
    const { table } = store.items;
    const id = await store.write(
      () => store.items.create({ title: 'x' }).id,
      (created) => created,
    );
    const { revision } = all.etcd.store;
    const [changed, seen, version, removed] = await Promise.all([
      store.write(
        () => table.update(id, { title: 'a' }),
        (_, number) => number,
      ),
      store.write(
        () => table.find(id)?.revision,
        (found) => found,
      ),
      store.write(
        () => table.version,
        (shown) => shown,
      ),
      store.write(
        () => table.delete(99),
        (wasThere, number) => [wasThere, number === table.version],
      ),
    ]);
    assert.deepEqual([seen, version], [changed, changed], replica.name);
    assert.deepEqual(removed, [false, true]);
    assert.equal(all.etcd.store.revision, revision + 1);
  });

  simulated('never fill a transaction beyond the limit of etcd', async (all) => {
    const seed = Array.from({ length: 300 }, (_, i) => ({ title: `${i}` }));
    const replica = all.start({ seed });
    await all.ready();
    const { items, write } = replica.replica;
    const deleteFrom = (first: number) =>
      write(
        () => {
          for (let id = first; id < first + MAX_TRANSACTION_ROWS; id++) items.table.delete(id);
        },
        (_, number) => number,
      );
    const creates = Array.from({ length: 50 }, (_, i) => create(replica, `new ${i}`));
    const numbers = await Promise.all([deleteFrom(1), deleteFrom(1 + MAX_TRANSACTION_ROWS)]);
    await Promise.all(creates);
    assert.equal(new Set(numbers).size, 2, 'each has a transaction of its own');
    assert.equal((await titles(replica)).length, 350 - 2 * MAX_TRANSACTION_ROWS);
  });

  simulated('are not run again and again if few of them fit a transaction', async (all) => {
    const replica = all.start({ maxRows: 9_999 });
    await all.ready();
    const { items, write } = replica.replica;
    let runs = 0;
    const writes = Array.from({ length: 30 }, () =>
      write(
        () => {
          runs++;
          for (let i = 0; i < 70; i++) items.create({ title: 'x' });
        },
        (_, number) => number,
      ),
    );
    assert.equal(new Set(await Promise.all(writes)).size, writes.length);
    assert(runs <= 6 * writes.length, `${runs} runs`);
  });
});

describe('several items at once', () => {
  simulated('are created in one commit, or not at all', async (all) => {
    const replica = all.start();
    await all.ready();
    const { revision } = all.etcd.store;
    const body = Array.from({ length: 100 }, (_, i) => ({ title: `${i}` }));
    const created = await replica.post(`${LIST}/batch`, body);
    assert.equal(created.status, 201, created.text);
    assert.equal(all.etcd.store.revision, revision + 1);
    assert.equal((await replica.post(`${LIST}/batch`, [...body, { title: '' }])).status, 400);
    assert.equal((await titles(replica)).length, 100);
  });

  simulated('are patched in as many commits as it takes', async (all) => {
    const seed = Array.from({ length: 250 }, (_, i) => ({ title: `${i}` }));
    const [a, b] = await startTwo(all, { seed });
    await a.put(`${LIST}/8`, { completed: true });
    const tagOf = async (id: number) => (await a.get(`${LIST}/${id}`)).headers.etag;
    const tags = [await tagOf(7), await tagOf(8)];
    const { revision } = all.etcd.store;
    const patched = await b.patch(`${LIST}?where={}`, { completed: true });
    assert.deepEqual([patched.status, patched.text], [200, '{"updated":250}']);
    assert.equal(all.etcd.store.revision, revision + 2);
    assert.equal((await a.get(`${LIST}?completed=false`)).text, '[]');
    assert.notEqual(await tagOf(7), tags[0]);
    assert.equal(await tagOf(8), tags[1], 'it has not changed');
    const late = await b.patch(`${LIST}?id.gt=0`, { priority: 9 }, { 'if-match': '"another"' });
    assert.equal(late.status, 412);
  });

  simulated('have an unknown outcome if only some are patched', async (all) => {
    const replica = all.start({ seed: Array.from({ length: 150 }, () => ({ title: 'x' })) });
    await all.ready();
    all.etcd.onWrite = () => {
      all.etcd.isFull = true;
    };
    const patched = await replica.patch(`${LIST}?id.gt=0`, { priority: 1 });
    assert.equal(patched.status, 503);
    assert.match(
      patched.text,
      /A part of the items may be done; repeat .*space exceeded.*"outcome-unknown"/,
    );
    assert.equal(replica.metric('todo_store_unknown_outcomes_total'), 1);
  });
});
