import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { decoded } from '../etcd/store.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { create, intercept, inWorld, isCommit, storedTitles, titles } from './stage.ts';

const SEED = Array.from({ length: 3_000 }, (_, i) => ({ title: `seed ${i}` }));

const TITLES = SEED.map(({ title }) => title);

describe('a reset', () => {
  inWorld(
    'of any size shows the old list, then the new one, and nobody is unready',
    async (all) => {
      const options = { seed: SEED, maxRows: 10_000 };
      const [a, b] = [all.start(options), all.start(options)];
      await all.ready();
      await create(a, 'more');
      let isOver = false;
      const seen = new Set<string>();
      const watching = [a, b].map(async (replica) => {
        while (!isOver) {
          const list = await replica.get('/api/todos?limit=0');
          const { status } = await replica.get('/readyz');
          seen.add(`${list.status} ${list.headers['x-total-count']} ${status}`);
          await all.world.sleep(1);
        }
      });
      const loads = b.replica.stats()?.loads;
      assert.equal((await a.reset()).status, 204);
      await all.world.sleep(1_000);
      isOver = true;
      await Promise.all(watching);
      assert.deepEqual([...seen], ['200 3001 200', '200 3000 200']);
      assert.equal(b.replica.stats()?.loads, loads, 'its rows had come by the watch');
      assert.deepEqual(await titles(b), TITLES);
      assert.deepEqual(storedTitles(all.etcd), TITLES, 'the old rows are swept');
    },
  );

  inWorld(
    'on several replicas at once needs no load: the rows of each come by the watch',
    async (all) => {
      const seed = SEED.map((each, i) => ({ ...each, id: 3 * i + 1 }));
      const options = { seed, maxRows: 10_000 };
      const replicas = [all.start(options), all.start(options), all.start(options)];
      await all.ready();
      const loads = replicas.map(({ replica }) => replica.stats()?.loads);
      const resets = replicas.slice(1).map((replica) => replica.reset());
      assert.deepEqual(
        (await Promise.all(resets)).map(({ status }) => status),
        [204, 204],
      );
      for (const replica of replicas) assert.deepEqual(await titles(replica), TITLES);
      assert.deepEqual(
        replicas.map(({ replica }) => replica.stats()?.loads),
        loads,
      );
    },
  );

  inWorld('by another replica refuses a write that waits, in whatever commit', async (all) => {
    const seed = [{ title: 'one' }, { title: 'two' }];
    const [a, b] = [all.start({ seed }), all.start({ seed })];
    await all.ready();
    let commits = 0;
    intercept(a, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      commits++;
      // The first one reaches etcd after the reset, which makes the work run again.
      return { arrivals: [commits === 1 ? 2_000 : 0] };
    });
    const refused = [
      a.post('/api/todos', { title: 'three' }),
      a.put('/api/todos/1', { title: 'changed' }),
      a.request('DELETE', '/api/todos/2'),
      a.request('DELETE', '/api/todos?title=two'),
    ];
    await all.world.sleep(100);
    assert.equal(commits, 1);
    assert.equal((await b.reset()).status, 204);
    for (const answer of await Promise.all(refused)) {
      assert.equal(answer.status, 409, answer.text);
      assert.equal(answer.json<{ code: string }>().code, 'reset');
    }
    assert.deepEqual(await titles(a), ['one', 'two']);
    assert.deepEqual(storedTitles(all.etcd), ['one', 'two']);
    assert.equal(await create(a, 'three'), 3, 'a request after the reset is a new one');
  });

  inWorld('says that etcd is full, and leaves nothing of what has filled it', async (all) => {
    const replica = all.start({ seed: SEED, maxRows: 10_000 });
    await all.ready();
    let parts = 0;
    intercept(replica, (path, body) => {
      if (isCommit(path, body) && ++parts === 10) all.etcd.isFull = true;
      return undefined;
    });
    const answer = await replica.reset();
    assert.equal(answer.status, 503);
    assert.match(answer.text, /store-unavailable/);
    assert.match(answer.text, /database space exceeded/);
    await all.world.sleep(1_000);
    assert.deepEqual(storedTitles(all.etcd), TITLES);
  });

  inWorld('happens once for each that is asked for, and loses no create between', async (all) => {
    const replica = all.start({ seed: [{ title: 'seed' }] });
    await all.ready();
    const generations = new Set<string | undefined>();
    const note = () => generations.add(all.etcd.store.value('/test/generation'));
    note();
    all.etcd.onWrite = note;
    let isLost = false;
    intercept(replica, (path, body) => {
      if (isLost || !isCommit(path, body) || !body.includes(GENERATION)) return undefined;
      isLost = true;
      return { arrivals: [0], response: 'reset' };
    });
    const [first, second] = await Promise.all([replica.reset(), replica.reset()]);
    assert.deepEqual([first.status, second.status, isLost], [204, 204, true]);
    await create(replica, 'kept');
    await all.world.sleep(10_000);
    assert.equal(generations.size, 3);
    assert.deepEqual(await titles(replica), ['seed', 'kept']);
  });
});

/** In a transaction's text, the key of the current generation. */
const GENERATION = Buffer.from('/test/generation').toString('base64');

describe('a sweep', () => {
  inWorld('deletes nothing of a backup that was restored before it', async (all) => {
    const replica = all.start({ seed: [{ title: 'seed' }] });
    await all.ready();
    await create(replica, 'in the backup');
    const { revision } = all.etcd.store;
    // Deletions take so long that they come after the restore.
    intercept(replica, (path, body) =>
      path === '/v3/kv/txn' && body.includes('range_end') && body.includes('delete_range')
        ? { arrivals: [2_000, 4_000] }
        : undefined,
    );
    assert.equal((await replica.reset()).status, 204);
    await all.world.sleep(500);
    all.etcd.store.restore(revision);
    for (const link of replica.links) for (const exchange of link.open) exchange.reset();
    await all.world.sleep(60_000);
    assert.deepEqual(storedTitles(all.etcd), ['seed', 'in the backup']);
    assert.deepEqual(await titles(replica), ['seed', 'in the backup']);
  });
});

describe('a restore from a backup', () => {
  inWorld('in the middle of a reset leaves all of its rows, or none', async (all) => {
    const options = { seed: SEED, maxRows: 10_000 };
    const [a, b] = [all.start(options), all.start(options)];
    await all.ready();
    await create(a, 'more');
    await all.world.sleep(1_000);
    const { revision } = all.etcd.store;
    let parts = 0;
    intercept(a, (path, body) => {
      if (!isCommit(path, body) || ++parts !== 10) return undefined;
      all.network.breakAll();
      all.etcd.store.restore(revision);
      return { arrivals: [0] };
    });
    assert.equal((await a.reset()).status, 204);
    assert(parts > 30, 'it was begun again');
    await all.world.sleep(10_000);
    assert.deepEqual(storedTitles(all.etcd), TITLES);
    for (const replica of [a, b, all.start(options)]) {
      await all.ready();
      assert.deepEqual(await titles(replica), TITLES);
    }
  });

  inWorld('while a list is loaded leaves nothing in it of what is lost', async (all) => {
    const options = { seed: SEED, maxRows: 10_000 };
    const a = all.start(options);
    await all.ready();
    await all.world.sleep(1_000);
    const { revision } = all.etcd.store;
    const b = all.start(options);
    let pages = 0;
    intercept(b, (path, body) => {
      if (path !== '/v3/kv/range' || !body.includes('"limit"') || ++pages > 3) return undefined;
      if (pages === 1) {
        // The watch stays with a node that is silent from now on.
        for (const link of b.links.slice(0, 1)) all.network.set(link, 'silent');
        void a.put('/api/todos/1', { title: 'lost' });
        return { arrivals: [], response: 'reset' };
      }
      if (pages === 2) return { arrivals: [50] };
      all.network.breakAll();
      all.etcd.store.restore(revision);
      return { arrivals: [0] };
    });
    await all.world.sleep(1_000);
    await all.ready();
    assert(pages > 3);
    assert.deepEqual(await titles(b), TITLES);
  });

  inWorld(
    'gives no tag again, not even by a replica that had not seen what is lost',
    async (all) => {
      const [a, b] = [all.start(), all.start()];
      await all.ready();
      for (const replica of [a, b]) await create(replica, 'in the backup');
      await all.world.sleep(1_000);
      const { revision } = all.etcd.store;
      all.world.pause(b.process);
      const lost = await a.post('/api/todos', { title: 'lost' });
      a.kill();
      all.network.breakAll();
      all.etcd.store.restore(revision);
      all.world.resume(b.process);
      const made = await b.post('/api/todos', { title: 'made' });
      assert.deepEqual([lost.status, made.status], [201, 201]);
      assert.equal(all.etcd.store.revision, revision + 1);
      assert.notEqual(made.headers.etag, lost.headers.etag);
    },
  );
});

describe('a list that is deleted', () => {
  inWorld('is begun anew, even by a replica whose seed did not fit into it', async (all) => {
    const first = all.start({ maxRows: 2 });
    await all.ready();
    const seed = [{ title: 'one' }, { title: 'two' }, { title: 'three' }];
    const second = all.start({ seed });
    await all.ready();
    first.kill();
    all.replicas.shift();
    all.etcd.write([{ remove: '/test/', end: '/test0' }]);
    await all.ready(6_000);
    assert.deepEqual(await titles(second), ['one', 'two', 'three']);
  });

  inWorld('gives no tag again, not even if etcd has lost its revisions', async (all) => {
    const replica = all.start({ variant: variantB, seed: [{ title: 'seed' }] });
    await all.ready();
    const tags = new Set<unknown>();
    for (let round = 1; round <= 3; round++) {
      tags.add((await replica.get('/api/todos/1')).headers.etag);
      tags.add((await replica.post('/api/todos', { title: 'first' })).headers.etag);
      tags.add((await replica.post('/api/todos', { title: 'second' })).headers.etag);
      assert.equal(tags.size, 3 * round);
      all.network.breakAll();
      all.etcd.store.restore(1);
      await all.world.sleep(3_000);
      await all.ready(6_000);
    }
  });
});

describe('a list that is loaded', () => {
  inWorld('is loaded once, whatever is compacted meanwhile', async (all) => {
    const options = { seed: SEED, maxRows: 10_000 };
    const a = all.start(options);
    await all.ready();
    const b = all.start(options);
    for (const link of b.links) link.weather = { ...link.weather, latencyMs: 400 };
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        await a.put('/api/todos/1', { title: `${i}` });
        all.etcd.store.compact();
        await all.world.sleep(100);
      }
    })();
    await all.ready(20_000);
    isOver = true;
    await writing;
    assert.equal(b.replica.stats()?.loads, 1);
    for (const link of b.links) link.weather = { ...link.weather, latencyMs: 1 };
    assert.deepEqual(await titles(b), await titles(a));
  });
});

describe('a page of a list', () => {
  const sparse = [1, 2, 5_000, 1_000_000_000].map((id) => ({ id, title: `${id}` }));
  for (const [what, seed, pages] of [
    ['dense', SEED, 4],
    ['sparse', sparse, 20],
  ] as const) {
    inWorld(`is of no more than its rows, which etcd counts: ${what} ids`, async (all) => {
      const options = { seed, maxRows: 10_000 };
      all.start(options);
      await all.ready();
      const { store } = all.etcd;
      const replica = all.start(options);
      const counted: number[] = [];
      intercept(replica, (path, body) => {
        const { key, range_end, limit } = JSON.parse(body);
        if (path !== '/v3/kv/range' || limit === undefined) return undefined;
        counted.push(store.keys(decoded(key), decoded(range_end), store.revision).length);
        return undefined;
      });
      await all.ready();
      assert.equal(counted.length, pages);
      assert(Math.max(...counted) <= 1_000, `${counted}`);
      const titled = seed.map(({ title }) => title);
      assert.deepEqual(await titles(replica), titled);
    });
  }
});

describe('a row that cannot be read', () => {
  inWorld('is named once, and left out, while all others are served', async (all) => {
    const a = all.start({ seed: [{ title: 'one' }, { title: 'two' }, { title: 'three' }] });
    await all.ready();
    const { store } = all.etcd;
    for (const value of ['{', '{"title":7}', '{"title":"two","priority":"high"}']) {
      const key = store.keys('/test/row/', '/test/row0', store.revision)[1] ?? '';
      all.etcd.write([{ put: key, value }]);
      const b = all.start();
      await all.ready();
      assert.deepEqual(await titles(b), ['one', 'three']);
      assert.deepEqual(b.unreadable, [key]);
      assert.equal((await b.get('/api/todos/2')).status, 404);
      await create(b, `beside ${value}`);
      await b.reset();
      assert.deepEqual(await titles(b), []);
      b.kill();
      all.replicas.pop();
      assert.equal((await a.reset()).status, 204);
      assert.deepEqual(await titles(a), ['one', 'two', 'three']);
    }
  });
});

describe('the log of a replica', () => {
  const outages: readonly (readonly [string, (all: Outage, isOn: boolean) => void])[] = [
    ['paused', ({ replica, network }, isOn) => set(replica, network, isOn ? 'silent' : 'open')],
    ['gone', ({ replica, network }, isOn) => set(replica, network, isOn ? 'refused' : 'open')],
    ['without permission', ({ etcd }, isOn) => (etcd.deniesPermission = isOn)],
  ];
  for (const [what, happen] of outages) {
    inWorld(`has one line if etcd is ${what}, and one when it is back`, async (all) => {
      const replica = all.start();
      await all.ready();
      const { etcd, network } = all;
      for (let round = 1; round <= 2; round++) {
        happen({ replica, etcd, network }, true);
        await all.world.sleep(20_000);
        assert.equal((await replica.get('/readyz')).status, 503);
        happen({ replica, etcd, network }, false);
        await all.ready(6_000);
        await all.world.sleep(5_000);
        const told = replica.availability.map((reason) => reason === undefined);
        assert.deepEqual(told, Array.from({ length: round }, () => [false, true]).flat());
      }
    });
  }

  inWorld('has no line of a list that is only long', async (all) => {
    const options = { seed: SEED, maxRows: 10_000 };
    all.start(options);
    await all.ready();
    const replica = all.start(options);
    // Each page takes seconds, as if it came after many others.
    intercept(replica, (path, body) =>
      path === '/v3/kv/range' && body.includes('"limit"') ? { arrivals: [4_000] } : undefined,
    );
    await all.world.sleep(10_000);
    const { text } = await replica.get('/readyz');
    assert.match(text, /\(The list has not been loaded yet\)/);
    await all.ready();
    assert.deepEqual(replica.availability, []);
  });
});

describe('the reason why a store is not available', () => {
  inWorld('is told again if it is of another kind, once a minute', async (all) => {
    all.etcd.password = 'secret';
    const replica = all.start({ user: { name: 'todo', password: 'secret' } });
    await all.ready();
    set(replica, all.network, 'refused');
    await all.world.sleep(20_000);
    set(replica, all.network, 'silent');
    await all.world.sleep(20_000);
    all.etcd.deniesPermission = true;
    set(replica, all.network, 'open');
    await all.world.sleep(40_000);
    assert.match((await replica.get('/readyz')).text, /forbidden: .*permission denied/);
    all.etcd.deniesPermission = false;
    all.etcd.password = 'another';
    all.etcd.token = 'another';
    await all.world.sleep(70_000);
    all.etcd.password = 'secret';
    await all.ready(6_000);
    await all.world.sleep(3_000);
    const words = ['refused', 'silent', 'TLS', 'login', 'forbidden', 'compacted', 'unreadable'];
    const told = replica.availability.map((reason) =>
      reason === undefined ? ['back'] : words.filter((word) => reason.includes(word)),
    );
    assert.deepEqual(told, [['refused'], ['forbidden'], ['login'], ['back']]);
  });
});

interface Outage {
  readonly replica: SimulatedReplica;
  readonly etcd: { deniesPermission: boolean };
  readonly network: { set(link: SimulatedReplica['links'][number], reach: Reach): void };
}

type Reach = 'open' | 'silent' | 'refused';

function set({ links }: SimulatedReplica, network: Outage['network'], reach: Reach): void {
  for (const link of links) network.set(link, reach);
}
