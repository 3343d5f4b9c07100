import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, titles } from '../../../support/items.ts';
import type { Answer } from '../../../support/requests.ts';
import type { Simulation } from '../service/simulation.ts';
import { refusalOf, simulated } from './stage.ts';

/** How soon a replica serves again once what it could not read has been repaired, in ms. */
const REPAIRED_MS = 15_000;

/** What somebody may have stored instead of an object with certain members. */
const GARBAGE = [
  ...['{', 'null', '[]', '{"generation":7}', ''],
  // The last id of variant A is 2147483647.
  '{"generation":"g","idsAssigned":"2147483648","changes":0,"writers":{}}',
];

/** What is said of it. */
const UNREADABLE = /(^|: )\/test\/head (is not the head of|is not a JSON|has idsAssigned beyond)/;

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
    simulated(`makes the store unavailable until it is repaired: ${garbage}`, async (all) => {
      const running = all.start();
      await all.ready();
      assert.equal(await create(running, 'first'), 1);
      const head = replace(all, '/test/head', garbage);
      assert.match(await refusalOf(all), UNREADABLE);
      await all.sleep(10_000);
      const refused = await running.get('/readyz');
      assertUnavailable(refused);
      assert.match(refused.text, UNREADABLE);
      assertUnavailable(await running.get('/api/todos'));
      const post = await running.post('/api/todos', { title: 'lost' });
      assertUnavailable(post);
      assert.match(post.text, /\/test\/head/);
      replace(all, '/test/head', withMembers(head, { ofLater: [1] }));
      await all.ready(REPAIRED_MS);
      assert.equal(await create(running, 'second'), 2);
      await all.sleep(2_000);
      assert.deepEqual(
        running.availability.map((reason) => reason && UNREADABLE.test(reason)),
        [true, undefined],
      );
    });
  }

  simulated('is named at once, also if it is deleted', async (all) => {
    const replica = all.start();
    await all.ready();
    const head = all.etcd.store.value('/test/head') ?? '';
    all.etcd.write([{ remove: '/test/head', end: undefined }]);
    await all.sleep(1_000);
    const start = all.now;
    for (const refused of [await replica.get('/api/todos'), await replica.delete('/api/todos/1')]) {
      assertUnavailable(refused);
      assert.match(refused.text, /\(\/test\/head is missing\)/);
    }
    assert(all.now - start < 1_000);
    all.etcd.write([{ put: '/test/head', value: head }]);
    await all.ready(REPAIRED_MS);
    assert.equal(await create(replica, 'first'), 1);
  });
});

describe('a meta that does not fit', () => {
  const wrong: readonly (readonly [members: object | string, RegExp])[] = [
    ['{', /\/test\/meta is not a JSON object/],
    [{ format: 4 }, /a format that this version does not know/],
    [{ fields: 'other' }, /has items with other fields/],
    [{ limits: null }, /\/test\/meta is not the meta of a list/],
    [{ limits: { maxRows: 'many' } }, /\/test\/meta is not the meta of a list/],
    [{ variant: 7 }, /\/test\/meta is not the meta of a list/],
    [{ id: null }, /\/test\/meta is not the meta of a list/],
  ];
  for (const [members, reason] of wrong) {
    const title = 'ends a start, and makes a replica unavailable at its next load';
    simulated(`${title}: ${JSON.stringify(members)}`, async (all) => {
      const running = all.start();
      await all.ready();
      assert.equal(await create(running, 'first'), 1);
      const meta = all.etcd.store.value('/test/meta') ?? '';
      const isText = typeof members === 'string';
      replace(all, '/test/meta', isText ? members : withMembers(meta, members));
      assert.match(await refusalOf(all), reason);
      assert.equal(await create(running, 'second'), 2, 'the list is not loaded again');
      assert.equal((await running.reset()).status, 204);
      await all.sleep(1_000);
      for (const refused of [await running.get('/readyz'), await running.get('/api/todos')]) {
        assertUnavailable(refused);
        assert.match(refused.text, reason);
      }
      replace(all, '/test/meta', withMembers(meta, { ofLater: true }));
      await all.ready(REPAIRED_MS);
      assert.deepEqual(await titles(running), []);
    });
  }

  simulated('may be missing, which ends a start, and is noticed at the next load', async (all) => {
    const running = all.start();
    await all.ready();
    const meta = all.etcd.store.value('/test/meta') ?? '';
    all.etcd.write([{ remove: '/test/meta', end: undefined }]);
    assert.match(await refusalOf(all), /\/test\/meta is missing/);
    assert.equal(await create(running, 'first'), 1);
    await running.reset();
    await all.sleep(1_000);
    assert.match((await running.get('/readyz')).text, /\/test\/meta is missing/);
    all.etcd.write([{ put: '/test/meta', value: meta }]);
    await all.ready(REPAIRED_MS);
  });
});

describe('a row that cannot be read', () => {
  const garbage = ['{', '{"title":7}', '{"title":"two","priority":"high"}'];
  for (const value of garbage) {
    simulated(`ends a start, and makes a running replica unavailable: ${value}`, async (all) => {
      const running = all.start({ seed: [{ title: 'one' }, { title: 'two' }] });
      await all.ready();
      const { store } = all.etcd;
      const key = store.keys('/test/row/', '/test/row0', store.revision)[1] ?? '';
      const before = replace(all, key, value);
      assert((await refusalOf(all)).startsWith(`${key} `));
      // The next write finds that something else has written.
      await running.post('/api/todos', { title: 'three' });
      await all.sleep(3_000);
      const refused = await running.get('/api/todos');
      assertUnavailable(refused);
      assert(refused.text.includes(key), refused.text);
      assert((await running.get('/readyz')).text.includes(key));
      replace(all, key, before);
      await all.ready(REPAIRED_MS);
      assert.deepEqual(await titles(running), ['one', 'two', 'three']);
    });
  }

  simulated('is one with an id that was never assigned', async (all) => {
    const running = all.start({ seed: [{ title: 'one' }] });
    await all.ready();
    const { store } = all.etcd;
    const [key = ''] = store.keys('/test/row/', '/test/row0', store.revision);
    const later = `${key.slice(0, -1)}9`;
    all.etcd.write([{ put: later, value: store.value(key) ?? '' }]);
    assert.equal(await refusalOf(all), `${later} has an id that was never assigned`);
    all.etcd.write([{ remove: later, end: undefined }]);
    assert.equal(await create(running, 'two'), 2);
  });
});
