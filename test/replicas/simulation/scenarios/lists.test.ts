import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { create, titles } from '../../../support/items.ts';
import { SimulatedStream } from '../service/stream.ts';
import {
  intercept,
  isCommit,
  LONG_LIST,
  refusalOf,
  simulated,
  startOne,
  startTwo,
  storedTitles,
  TITLES,
} from './stage.ts';

describe('a list', () => {
  simulated('has the limit of the first replica, and refuses another', async (all) => {
    const [a, b] = [all.start({ maxRows: 3 }), all.start({ maxRows: 50 })];
    for (const replica of [a, b, a]) await create(replica, 'x');
    assert.equal((await b.post('/api/todos', { title: 'x' })).status, 507);
    const reason = await refusalOf(all, { maxRows: 50, isMaxRowsGiven: true });
    assert.equal(reason, '/test/head has MAX_ROWS 3, not 50');
  });

  simulated('is the only one: there are none with names', async (all) => {
    const replica = await startOne(all);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', '/anna'],
      ['DELETE', '/anna'],
    ] as const) {
      const answer = await replica.request(method, `/admin/lists${path}`);
      assert.equal(answer.status, 409);
      assert.equal(answer.json<{ code: string }>().code, 'not-supported');
    }
    assert.equal((await replica.get('/lists/anna/api/todos')).status, 404);
  });
});

/** In a transaction's text, the operation that makes a generation current. */
const SWITCH = `"request_put":{"key":"${Buffer.from('/test/generation').toString('base64')}"`;

describe('a reset', () => {
  simulated('of any size shows the old list, then the whole new one', async (all) => {
    const [a, b] = await startTwo(all, LONG_LIST);
    await create(a, 'more');
    let isOver = false;
    const seen = new Set<string>();
    const watching = [a, b].map(async (replica) => {
      while (!isOver) {
        const list = await replica.get('/api/todos?limit=0');
        seen.add(`${list.status} ${list.headers['x-total-count']}`);
        await all.sleep(1);
      }
    });
    assert.equal((await a.reset()).status, 204);
    await all.sleep(300);
    isOver = true;
    await Promise.all(watching);
    assert.deepEqual([...seen], ['200 3001', '200 3000']);
    assert.deepEqual(await titles(b), TITLES);
    assert.deepEqual(storedTitles(all.etcd), TITLES, 'the old rows are deleted');
    await create(a, 'later');
    assert.equal((await titles(b)).length, 3_001);
    assert.equal(b.metric('todo_store_loads_total'), 2, 'it loads the list once');
  });

  simulated('ends the faults of its own replica, and no others', async (all) => {
    const replicas = await startTwo(all, { seed: [{ title: 'one' }] });
    for (const replica of replicas) await replica.setFaults([{ method: 'GET', status: 418 }]);
    const [resetting, other] = replicas;
    await resetting.reset();
    assert.deepEqual(await titles(resetting), ['one']);
    assert.equal((await other.get('/api/todos')).status, 418);
    await create(other, 'two');
    assert.deepEqual(await titles(resetting), ['one', 'two']);
  });

  simulated('keeps the ids of its seed, also above 2^53', async (all) => {
    const options = { variant: variantB };
    const [a, b] = await startTwo(all, options);
    const ids = [5n, 2n ** 53n + 1n, 2n ** 62n];
    const body = `[${ids.map((id) => `{"id":${id},"title":"${id}"}`).join()}]`;
    assert.equal((await a.reset(body)).status, 204);
    const next = 2n ** 62n + 1n;
    const start = all.now;
    assert.equal((await titles(b)).length, ids.length, 'it has learned of the reset');
    assert(all.now - start < 50, `${all.now - start} ms`);
    assert.match(
      (await b.post('/api/todos', { title: `${next}` })).text,
      new RegExp(`"id":${next},`),
    );
    const late = await startOne(all, options);
    for (const replica of [a, b, late]) {
      assert.deepEqual(await titles(replica), [...ids, next].map(String));
      assert.match((await replica.get(`/api/todos/${next}`)).text, new RegExp(`"id":${next},`));
    }
    assert.equal((await a.reset(`[{"id":${2n ** 63n - 1n},"title":"last"}]`)).status, 204);
    const refused = await a.post('/api/todos', { title: 'x' });
    assert.equal(refused.status, 507);
    assert.match(refused.text, /reset the service","instance".*"code":"ids-exhausted"/);
  });

  simulated(
    'reports that etcd is full, and the next one deletes the rows that it left',
    async (all) => {
      const replica = await startOne(all, LONG_LIST);
      let parts = 0;
      intercept(replica, (path, body) => {
        if (isCommit(path, body) && ++parts === 10) all.etcd.isFull = true;
        return undefined;
      });
      const answer = await replica.reset();
      assert.equal(answer.status, 503);
      assert.match(answer.text, /store-unavailable/);
      assert.match(answer.text, /database space exceeded/);
      assert.deepEqual(await titles(replica), TITLES);
      intercept(replica, undefined);
      all.etcd.isFull = false;
      assert.equal((await replica.reset()).status, 204);
      await all.until('the other rows are deleted', () => storedTitles(all.etcd).length === 3_000);
    },
  );

  simulated('gives up if another program has changed the generation', async (all) => {
    const replica = await startOne(all, { seed: [{ title: 'seed' }] });
    all.etcd.write([{ put: '/test/generation', value: 'other' }]);
    let tries = 0;
    intercept(replica, (path, body) => {
      if (isCommit(path, body)) tries++;
      return undefined;
    });
    const answer = await replica.reset();
    assert.equal(answer.status, 503);
    assert.match(answer.text, /\/test\/generation has changed: another reset or program wrote it/);
    assert.equal(tries, 10);
    assert.deepEqual(await titles(replica), ['seed']);
  });

  for (const resets of [1, 2]) {
    simulated(`happens once for each of ${resets}, and loses no later create`, async (all) => {
      const replica = await startOne(all, { seed: [{ title: 'seed' }] });
      const generations = new Set<string | undefined>();
      const note = () => generations.add(all.etcd.store.value('/test/generation'));
      note();
      all.etcd.onWrite = note;
      let step: 'before' | 'lost' | 'asked' = 'before';
      intercept(replica, (path, body) => {
        if (!isCommit(path, body) || !body.includes(SWITCH)) return undefined;
        if (step === 'before') {
          step = 'lost';
          return { arrivals: [0], response: 'reset' };
        }
        if (step !== 'lost') return undefined;
        // The replica finds out the outcome after the list has been loaded.
        step = 'asked';
        return { arrivals: [300] };
      });
      const answers = Array.from({ length: resets }, () => replica.reset());
      await all.sleep(resets === 1 ? 150 : 5_000);
      await create(replica, 'kept');
      for (const answer of await Promise.all(answers)) assert.equal(answer.status, 204);
      await all.sleep(10_000);
      assert.equal(generations.size, 1 + resets);
      assert.deepEqual(await titles(replica), ['seed', 'kept']);
    });
  }
});

describe('a restore from a backup', () => {
  for (const when of ['in the middle of', 'at the end of'] as const) {
    simulated(`${when} a reset leaves all of its rows, or none`, async (all) => {
      const [a, b] = await startTwo(all, LONG_LIST);
      await create(a, 'more');
      await all.sleep(1_000);
      const { revision } = all.etcd.store;
      let parts = 0;
      let isRestored = false;
      intercept(a, (path, body) => {
        if (!isCommit(path, body)) return undefined;
        parts++;
        if (isRestored || (when === 'in the middle of' ? parts < 10 : !body.includes(SWITCH))) {
          return undefined;
        }
        isRestored = true;
        all.network.breakAll();
        all.etcd.store.restore(revision);
        return { arrivals: [0] };
      });
      const answer = await a.reset();
      assert.equal(answer.status, 204, answer.text);
      assert(parts > 30, 'it was begun again');
      await all.sleep(10_000);
      assert.deepEqual(storedTitles(all.etcd), TITLES);
      for (const replica of [a, b, all.start(LONG_LIST)]) {
        await all.ready();
        assert.deepEqual(await titles(replica), TITLES);
      }
    });
  }

  simulated('makes streams start again', async (all) => {
    const replica = await startOne(all);
    await create(replica, 'in the backup');
    const { revision } = all.etcd.store;
    const stream = await replica.stream();
    assert(stream instanceof SimulatedStream);
    await stream.next();
    await create(replica, 'lost');
    assert.equal((await stream.next())?.event, 'put');
    all.network.breakAll();
    all.etcd.store.restore(revision);
    await create(replica, 'made');
    for (const event of ['reset', 'put']) assert.equal((await stream.next())?.event, event);
    assert.equal(replica.restores, 1);
    replica.close(stream);
  });

  simulated('leaves no lag behind a request from before, and keeps the watch', async (all) => {
    const replica = await startOne(all);
    await create(replica, 'in the backup');
    const { revision } = all.etcd.store;
    await create(replica, 'lost');
    assert.equal((await titles(replica)).length, 2);
    const watches: number[] = [];
    let isAsked = false;
    intercept(replica, (path, body) => {
      if (path === '/v3/watch') watches.push(all.now);
      if (path !== '/v3/kv/range' || body.includes('"limit"') || isAsked) return undefined;
      isAsked = true;
      // etcd reports the head that is about to be lost. The report comes when it is lost.
      const kvs = [all.etcd.store.get('/test/head')];
      const response = { status: 200, body: JSON.stringify({ header: all.etcd.header, kvs }) };
      all.environment.afterIn(undefined, 400, () => {
        all.etcd.store.restore(revision);
        for (const link of replica.links) link.resetWatches();
      });
      return { arrivals: [], response, delayMs: 800 };
    });
    const reading = titles(replica);
    await all.until('it has loaded the backup', () => replica.restores === 1);
    assert.deepEqual(await reading, ['in the backup']);
    await all.sleep(10);
    assert.equal(replica.metric('todo_store_lag_revisions'), 0);
    const { length } = watches;
    await all.sleep(10_000);
    assert.equal(watches.length, length, 'no silence has ended a watch');
  });

  simulated('loses nothing to deletions of before', async (all) => {
    const replica = await startOne(all, { seed: [{ title: 'seed' }] });
    await create(replica, 'in the backup');
    const { revision } = all.etcd.store;
    // Deletions take so long that they come after the restore.
    intercept(replica, (path, body) =>
      path === '/v3/kv/txn' && body.includes('range_end') && body.includes('delete_range')
        ? { arrivals: [2_000, 4_000] }
        : undefined,
    );
    assert.equal((await replica.reset()).status, 204);
    await all.sleep(500);
    all.etcd.store.restore(revision);
    for (const link of replica.links) link.reset();
    await all.sleep(60_000);
    assert.deepEqual(storedTitles(all.etcd), ['seed', 'in the backup']);
    assert.deepEqual(await titles(replica), ['seed', 'in the backup']);
  });
});

describe('a list that is deleted', () => {
  simulated('is created again, even by a replica whose seed did not fit into it', async (all) => {
    const first = await startOne(all, { maxRows: 2 });
    const seed = [{ title: 'one' }, { title: 'two' }, { title: 'three' }];
    const second = await startOne(all, { seed });
    first.kill();
    all.replicas.shift();
    all.etcd.write([{ remove: '/test/', end: '/test0' }]);
    await all.ready(6_000);
    assert.deepEqual(await titles(second), ['one', 'two', 'three']);
  });

  simulated(
    'gives no tag again, also if a replica is paused, and another one late',
    async (all) => {
      const replicas = [all.start(), all.start(), all.start()] as const;
      const [a, b, c] = replicas;
      const path = '/api/todos';
      await all.ready();
      /** Each representation that a replica has sent, by its path and tag. */
      const shown = new Map<string, string>();
      const read = async () => {
        const tags = new Set();
        for (const replica of replicas) {
          for (const target of [path, `${path}/1`]) {
            const { headers, text } = await replica.get(target);
            const name = `${target} ${headers.etag}`;
            assert.equal(shown.get(name) ?? text, text, 'a tag names one representation');
            shown.set(name, text);
            tags.add(name);
          }
        }
        assert.equal(tags.size, 2, 'all replicas have the same tags');
      };
      for (let round = 1; round <= 3; round++) {
        for (let i = 1; i <= 4; i++) {
          await create(a, `${i} of ${round}`);
          await read();
        }
        all.environment.pause(b.process);
        all.network.breakAll();
        all.network.set(c.links, 'refused');
        all.etcd.store.restore(1);
        await all.sleep(3_000);
        all.network.set(c.links, 'open');
        all.environment.resume(b.process);
        await all.sleep(3_000);
        await all.ready(3_000);
        assert.deepEqual(
          replicas.map(({ restores }) => restores),
          [round, round, round],
        );
      }
    },
  );
});
