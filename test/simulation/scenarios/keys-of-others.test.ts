import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Answer } from '../../support/client.ts';
import type { Simulation } from '../service/simulation.ts';
import { SimulatedStream } from '../service/stream.ts';
import { create, inWorld, titles } from './stage.ts';

/** How soon a replica serves again once what it could not read has been repaired, in ms. */
const REPAIRED_MS = 15_000;

/** What somebody may have stored instead of an object with certain members. */
const GARBAGE = ['{', 'null', '[]', '{"generation":7}', ''];

/** Replaces the value of a key, and returns the one before. */
function replace({ etcd }: Simulation, key: string, value: string): string {
  const before = etcd.store.value(key);
  assert(before !== undefined);
  etcd.write([{ put: key, value }]);
  return before;
}

/** Replaces members of a JSON object. */
function withMembers(text: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(text), ...members });
}

function assertUnavailable({ status, text }: Answer): void {
  assert.equal(status, 503, text);
  assert.match(text, /"code":"store-unavailable"/);
}

describe('a head that cannot be read', () => {
  for (const garbage of GARBAGE) {
    inWorld(`makes the store unavailable until it is repaired: ${garbage}`, async (all) => {
      const running = all.start();
      await all.ready();
      assert.equal(await create(running, 'first'), 1);
      const head = replace(all, '/test/head', garbage);
      const starting = all.start();
      await all.world.sleep(10_000);
      for (const replica of all.replicas) {
        const refused = await replica.get('/readyz');
        assertUnavailable(refused);
        assert.match(refused.text, /unreadable: \/test\/head is not/);
        assertUnavailable(await replica.get('/api/todos'));
        const post = await replica.post('/api/todos', { title: 'lost' });
        assertUnavailable(post);
        assert.match(post.text, /\/test\/head/);
      }
      replace(all, '/test/head', withMembers(head, { ofLater: [1] }));
      await all.ready(REPAIRED_MS);
      assert.deepEqual(await titles(starting), ['first']);
      assert.equal(await create(running, 'second'), 2);
      await all.world.sleep(2_000);
      for (const { availability } of all.replicas) {
        assert.deepEqual(
          availability.map((reason) => reason?.includes('unreadable: /test/head')),
          [true, undefined],
        );
      }
    });
  }

  inWorld('is named at once, also if it is deleted', async (all) => {
    const replica = all.start();
    await all.ready();
    const head = all.etcd.store.value('/test/head') ?? '';
    all.etcd.write([{ remove: '/test/head', end: undefined }]);
    await all.world.sleep(1_000);
    const start = all.world.now;
    for (const refused of [await replica.get('/api/todos'), await replica.delete('/api/todos/1')]) {
      assertUnavailable(refused);
      assert.match(refused.text, /\(unreadable: \/test\/head is missing\)/);
    }
    assert(all.world.now - start < 1_000);
    all.etcd.write([{ put: '/test/head', value: head }]);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(replica, 'first'), 1);
  });

  inWorld('does so while rows are loaded, and if it is deleted', async (all) => {
    const seed = Array.from({ length: 3_000 }, (_, i) => ({ title: `s${i}` }));
    const first = all.start({ seed, maxRows: 10_000 });
    await all.ready();
    const loading = all.start({ maxRows: 10_000 });
    for (const link of loading.links) link.weather = { ...link.weather, latencyMs: 300 };
    await all.until('rows are being loaded', () => loading.replica.stats()?.loads === 1);
    const head = replace(all, '/test/head', 'x');
    await all.world.sleep(3_000);
    all.etcd.write([{ remove: '/test/head', end: undefined }]);
    await all.world.sleep(3_000);
    assert.match((await first.get('/readyz')).text, /unreadable: \/test\/head is missing/);
    all.etcd.write([{ put: '/test/head', value: head }]);
    await all.ready(REPAIRED_MS);
    assert.equal((await titles(loading)).length, 3_000);
  });
});

describe('a meta that does not fit', () => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{', /a format that this version does not know/],
    ['"x"', /a format that this version does not know/],
    ['{"format":1,"variant":"a","id":"x"}', /limits\.maxRows is not a positive integer/],
    [
      '{"format":1,"variant":"a","id":"x","limits":{"maxRows":"many"}}',
      /limits\.maxRows is not a positive integer/,
    ],
    ['{"format":1,"variant":7,"id":"x","limits":{"maxRows":5}}', /variant is not a text/],
  ];
  for (const [value, reason] of wrong) {
    inWorld(`is refused at the start, and later ends writes: ${value}`, async (all) => {
      const running = all.start();
      await all.ready();
      assert.equal(await create(running, 'first'), 1);
      const meta = replace(all, '/test/meta', value);
      const starting = all.start();
      await all.until('it is refused', () => starting.incompatibilities.length > 0);
      assert.match(starting.incompatibilities[0] ?? '', reason);
      all.replicas.pop();

      assert.deepEqual(await titles(running), ['first']);
      const post = await running.post('/api/todos', { title: 'lost' });
      assertUnavailable(post);
      assertUnavailable(await running.reset());
      const readiness = await running.get('/readyz');
      assert.equal(readiness.status, 503);
      assert.match(readiness.text, reason);
      await all.world.sleep(5_000);
      assert.deepEqual(running.incompatibilities, []);

      replace(all, '/test/meta', withMembers(meta, { ofLater: true }));
      await all.ready(REPAIRED_MS);
      assert.equal(await create(running, 'second'), 2);
      await all.world.sleep(2_000);
      assert.equal(running.availability.length, 2);
    });
  }

  inWorld('is refused at the start, and later ends writes: none', async (all) => {
    const running = all.start();
    await all.ready();
    assert.equal(await create(running, 'first'), 1);
    const meta = all.etcd.store.value('/test/meta') ?? '';
    all.etcd.write([{ remove: '/test/meta', end: undefined }]);
    const starting = all.start();
    await all.until('it is refused', () => starting.incompatibilities.length > 0);
    assert.match(starting.incompatibilities[0] ?? '', /has a list without a meta/);
    all.replicas.pop();

    await all.world.sleep(3_000);
    assert.deepEqual(await titles(running), ['first']);
    for (const refused of [
      await running.post('/api/todos', { title: 'x' }),
      await running.reset(),
    ]) {
      assertUnavailable(refused);
      assert.match(refused.text, /has a list without a meta/);
    }
    assert.match((await running.get('/readyz')).text, /has a list without a meta/);
    all.etcd.write([{ put: '/test/meta', value: meta }]);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(running, 'second'), 2);
    assert.equal(running.replica.stats()?.loads, 1);
  });

  inWorld('is told even if there was no watch when it came', async (all) => {
    const replica = all.start();
    await all.ready();
    assert.equal(await create(replica, 'first'), 1);
    all.network.breakAll();
    const meta = replace(all, '/test/meta', '{');
    await all.world.sleep(3_000);
    const { status, text } = await replica.get('/readyz');
    assert.equal(status, 503);
    assert.match(text, /a format that this version does not know/);
    assert.deepEqual(await titles(replica), ['first']);
    all.network.breakAll();
    replace(all, '/test/meta', meta);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(replica, 'second'), 2);
    assert.equal(replica.replica.stats()?.loads, 1);
  });

  inWorld('is over once it has been repaired, after a reset, too', async (all) => {
    const replica = all.start();
    await all.ready();
    replace(all, '/test/meta', replace(all, '/test/meta', '{'));
    await all.ready(REPAIRED_MS);
    assert.equal((await replica.reset()).status, 204);
    assert.equal(await create(replica, 'first'), 1);
    assert.equal(replica.replica.stats()?.conflicts, 0);
  });

  inWorld('is over once etcd is restored from a backup of before it', async (all) => {
    const replica = all.start();
    await all.ready();
    assert.equal(await create(replica, 'first'), 1);
    const { revision } = all.etcd.store;
    const meta = replace(all, '/test/meta', '{');
    await all.until('it is told', async () => (await replica.get('/readyz')).status === 503);
    replace(all, '/test/meta', meta);
    await all.ready(REPAIRED_MS);
    all.network.breakAll();
    all.etcd.store.restore(revision);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(replica, 'second'), 2);
  });

  inWorld('is no part of what a stream has missed', async (all) => {
    const replica = all.start();
    await all.ready();
    const stream = await replica.stream();
    assert(stream instanceof SimulatedStream);
    const ready = await stream.next();
    replica.close(stream);
    await create(replica, 'first');
    replace(all, '/test/meta', replace(all, '/test/meta', '{'));
    await all.ready(REPAIRED_MS);
    await create(replica, 'second');
    const late = all.start();
    await all.ready();
    const resumed = await late.stream(ready?.id);
    assert(resumed instanceof SimulatedStream);
    const events = [await resumed.next(), await resumed.next(), await resumed.next()];
    assert.deepEqual(
      events.map((each) => each?.event),
      ['ready', 'put', 'put'],
    );
    late.close(resumed);
  });

  inWorld('ends writes even if the watch has not brought it yet', async (all) => {
    const replica = all.start();
    await all.ready();
    for (const link of replica.links) link.weather = { ...link.weather, latencyMs: 200 };
    const posting = replica.post('/api/todos', { title: 'x' });
    const meta = replace(all, '/test/meta', '{');
    assertUnavailable(await posting);
    assert.deepEqual(await titles(replica), []);
    replace(all, '/test/meta', meta);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(replica, 'y'), 1);
  });
});

describe('a generation that others have written', () => {
  inWorld('is named by a reset, and disturbs nothing else', async (all) => {
    const replica = all.start();
    await all.ready();
    const generation = replace(all, '/test/generation', 'x');
    assert.equal(await create(replica, 'first'), 1);
    const refused = await replica.reset();
    assertUnavailable(refused);
    assert.match(refused.text, /unreadable: \/test\/generation does not name/);
    assert.equal((await replica.get('/readyz')).status, 200);
    replace(all, '/test/generation', generation);
    assert.equal((await replica.reset()).status, 204);
    assert.deepEqual(await titles(replica), []);
  });
});

describe('fields of others', () => {
  inWorld('may have more members in their descriptions, and not wrong ones', async (all) => {
    all.start();
    await all.ready();
    const fields: Record<string, object> = JSON.parse(all.etcd.store.value('/test/fields') ?? '');
    const title = { ...fields.title, note: 'of a later version' };
    replace(all, '/test/fields', JSON.stringify({ ...fields, title }));
    all.start();
    await all.ready();
    replace(all, '/test/fields', '7');
    const misfit = all.start();
    await all.until('it is refused', () => misfit.incompatibilities.length > 0);
  });
});
