import assert from 'node:assert/strict';
import { describe, mock } from 'node:test';
import { Table } from '../../../../src/lib/table/table.ts';
import { EtcdClient } from '../../../../src/replicas/replica/etcd/client.ts';
import { create, titles } from '../../../support/items.ts';
import { bodyOf, type Reply } from '../etcd/gateway.ts';
import { GARBAGE, NO_FAULTS } from '../network/network-faults.ts';
import { assertTrue, createAll } from './outcomes.ts';
import { intercept, isCommit, simulated, startOne, startTwo, storedTitles } from './stage.ts';

const EXHAUSTED: Reply = {
  status: 429,
  body: bodyOf({ message: 'etcdserver: mvcc: database space exceeded', code: 8 }),
};

describe('the answer to a write', () => {
  // It has the shape of the answer to another transaction.
  const header = { cluster_id: '14841639068965178418', revision: '9' };
  const foreign: Reply = { status: 200, body: JSON.stringify({ header, succeeded: true }) };
  for (const reply of [...GARBAGE, foreign]) {
    simulated(
      `states the true outcome if it answers ${reply.status} ${reply.body}`,
      async (all) => {
        const [replica, other] = [all.start({ timeoutMs: 500 }), all.start()];
        await all.ready();
        for (const isDone of [true, false]) {
          const arrivals = isDone ? [0] : [];
          intercept(replica, (path, body) =>
            isCommit(path, body) ? { arrivals, response: reply } : undefined,
          );
          const outcomes = await createAll(replica, `${isDone}`, 3);
          assertTrue(storedTitles(all.etcd), outcomes);
          // Only a refusal by etcd itself proves that the write has not happened.
          assert.equal(outcomes.notDone.length, isDone || !isEtcds(reply) ? 0 : 3);
          assert.equal(outcomes.done.length, isDone ? 3 : 0);
          assert.equal((await titles(other)).length, 3);
        }
      },
    );
  }

  simulated('does not know the outcome while an attempt is on its way', async (all) => {
    const replica = await startOne(all);
    let attempts = 0;
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      attempts++;
      if (attempts === 1) return { arrivals: [20_000], response: 'reset' };
      return { arrivals: [], response: EXHAUSTED };
    });
    // The connection breaks while the first attempt waits somewhere.
    all.environment.afterIn(undefined, 100, () => {
      for (const link of replica.links) link.reset();
    });
    const outcomes = await createAll(replica, 't', 1);
    assert.deepEqual(outcomes.unknown, ['t0']);
    assert.equal(replica.metric('todo_store_unknown_outcomes_total'), 1);
    assert(attempts > 1);
    intercept(replica, undefined);
    await all.sleep(30_000);
    assertTrue(storedTitles(all.etcd), outcomes);
    assert.deepEqual(await titles(replica), ['t0']);
  });

  simulated('is a refusal of its own transaction alone', async (all) => {
    const replica = await startOne(all);
    for (const link of replica.links) link.faults = { ...NO_FAULTS, latencyMs: 20 };
    const later: Promise<number>[] = [];
    intercept(replica, (path, body) => {
      if (!isCommit(path, body) || later.length > 0) return undefined;
      later.push(create(replica, 'later'));
      return { arrivals: [], response: EXHAUSTED };
    });
    const refused = await createAll(replica, 't', 1);
    assert.deepEqual(refused.notDone, ['t0']);
    assert.deepEqual(await Promise.all(later), [1]);
  });

  simulated('does not know the outcome if it has to load the list meanwhile', async (all) => {
    const replica = await startOne(all);
    const { etcd } = all;
    const { split } = etcd;
    // Until the load, no event tells what came after the head that the write has seen.
    etcd.split = () => [];
    let attempts = 0;
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      attempts++;
      return attempts === 1 ? { arrivals: [0], response: 'reset' } : { arrivals: [100] };
    });
    const writing = createAll(replica, 't', 1);
    await all.until('it is sent again', () => attempts === 2);
    await create(all.start(), 'later');
    etcd.store.compact();
    etcd.split = split;
    for (const link of replica.links) link.resetWatches();
    const outcomes = await writing;
    assert.deepEqual(outcomes.unknown, ['t0']);
    assertTrue(storedTitles(etcd), outcomes);
    assert.equal(replica.metric('todo_store_loads_total'), 2);
  });

  simulated('knows that nothing was written with an old token, or without a login', async (all) => {
    all.etcd.password = 'secret';
    const replica = await startOne(all, { password: 'secret' });
    all.etcd.password = 'another';
    all.etcd.token = 'second';
    const outcomes = await createAll(replica, 't', 20);
    assert.deepEqual(outcomes.unknown, []);
    assert.equal(outcomes.notDone.length, 20);
  });

  simulated('tags an item by its own commit, also after later commits', async (all) => {
    const [a, b] = await startTwo(all);
    let isLost = false;
    intercept(a, (path, body) => {
      // The replica finds out the outcome after the commits of the other one.
      if (isLost && path === '/v3/kv/range') return { arrivals: [200] };
      if (isLost || !isCommit(path, body)) return undefined;
      isLost = true;
      for (let i = 0; i < 9; i++) all.etcd.write([{ put: 'other', value: `${i}` }]);
      return { response: 'reset', arrivals: [0] };
    });
    const making = a.post('/api/todos', { title: 'x' });
    await all.until('it is sent', () => isLost);
    await all.sleep(10);
    for (let i = 0; i < 70; i++) await b.post('/api/todos', { title: `${i}` });
    const made = await making;
    assert.deepEqual([made.status, made.json().id], [201, 1], 'it came first');
    const read = await b.get(`/api/todos/${made.json().id}`);
    assert.equal(read.headers.etag, made.headers.etag);
  });
});

function fail(): never {
  throw new TypeError('the password is 12345');
}

describe('a bug', () => {
  simulated('before a write is sent is not an error of the store', async (all) => {
    const replica = all.start();
    await create(replica, 'first');
    const { revision } = all.etcd.store;
    const broken = mock.method(Table.prototype, 'find', fail);
    await assert.rejects(replica.get('/api/todos/1'), /12345/);
    await assert.rejects(replica.patch('/api/todos/1', { title: 'lost' }), /12345/);
    broken.mock.restore();
    assert.equal(all.etcd.store.revision, revision);
    assert.deepEqual(await titles(replica), ['first']);
  });

  simulated('in a write that may have been sent is not one either', async (all) => {
    const replica = await startOne(all);
    const { txn } = EtcdClient.prototype;
    type Txn = typeof txn;
    const failLater = async function (this: EtcdClient, ...args: Parameters<Txn>) {
      await txn.apply(this, args);
      return fail();
    };
    const bugs = [
      [0, fail],
      [1, failLater],
    ] as const;
    for (const [commits, bug] of bugs) {
      const { revision } = all.etcd.store;
      const broken = mock.method(EtcdClient.prototype, 'txn', bug);
      await assert.rejects(replica.post('/api/todos', { title: 'x' }), /12345/);
      broken.mock.restore();
      assert.equal(all.etcd.store.revision - revision, commits);
    }
    assert.equal(await create(replica, 'y'), 2);
    assert.deepEqual(await titles(replica), ['x', 'y']);
    assert.equal(replica.metric('todo_store_unknown_outcomes_total'), 0);
  });
});

function isEtcds({ body }: Reply): boolean {
  return body.includes('"code":8');
}
