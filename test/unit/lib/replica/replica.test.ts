import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { assertProblem } from '../../../api/suite.ts';
import { itemPath, LIST, pathsOf } from '../../../support/paths.ts';
import { VARIANTS } from '../../../support/service.ts';
import {
  create,
  fakeEtcd,
  startReplica,
  titles,
  until,
  waitPatiently,
} from './support/replicas.ts';

for (const variant of VARIANTS) {
  describe(`replicas of one list, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, itemPath } = pathsOf(variant);
    it('respond alike, and assign ids from 1 without gaps', async (test) => {
      const { url } = await fakeEtcd(test);
      const [a, b] = [
        await startReplica(test, url, { variant }),
        await startReplica(test, url, { variant }),
      ];
      assert.equal(await create(a.client, 'one'), 1);
      assert.equal(await create(b.client, 'two'), 2);
      assert.equal(await create(a.client, 'three'), 3);
      assert.equal((await b.client.put(itemPath(1), { title: 'ONE' })).status, 200);
      assert.equal((await a.client.delete(itemPath(2))).status, 204);
      assert.equal(await create(b.client, 'four'), 4);
      const [ofA, ofB] = [await a.client.get(LIST), await b.client.get(LIST)];
      assert.equal(ofA.text, ofB.text);
      assert.equal(ofA.headers.etag, ofB.headers.etag);
      assert.deepEqual(await titles(a.client), ['ONE', 'three', 'four']);
      const [one, same] = [await a.client.get(itemPath(1)), await b.client.get(itemPath(1))];
      assert.equal(one.headers.etag, same.headers.etag);
      assert.equal((await a.client.get(itemPath(2))).status, 404);
    });

    it('load existing items, whatever characters they have', async (test) => {
      const { url } = await fakeEtcd(test);
      const a = await startReplica(test, url, { variant });
      const title = 'é"\\\u0000\u{1F600}\u{10400}';
      await a.client.post(LIST, { title, description: 'x\ny', priority: 5 });
      for (let i = 0; i < 20; i++) await create(a.client, String(i));
      await a.client.delete(itemPath(7));
      const b = await startReplica(test, url, { variant });
      const [ofA, ofB] = [await a.client.get(LIST), await b.client.get(LIST)];
      assert.equal(ofB.text, ofA.text);
      assert.equal(await create(b.client, 'next'), 22);
    });
  });
}

describe('a replica', { concurrency: 4 }, () => {
  waitPatiently();

  it('responds to writes without a change after reading all acknowledged ones', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    await create(a.client, 'x');
    await b.client.get(LIST);
    etcd.faults.watchDelayMs = 100;
    for (let round = 0; round < 5; round++) {
      const id = await create(a.client, 'there');
      assert.equal((await b.client.put(itemPath(id), {})).status, 200);
      assert.equal((await a.client.delete(itemPath(id))).status, 204);
      assert.equal((await b.client.put(itemPath(id), {})).status, 404);
      assert.equal((await b.client.get(itemPath(id))).status, 404);
    }
  });

  it('checks conditions on the current item', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    const id = await create(a.client, 'x');
    const { etag } = (await b.client.get(itemPath(id))).headers;
    etcd.faults.watchDelayMs = 100;
    await a.client.put(itemPath(id), { title: 'y' });
    const headers = { 'if-match': String(etag) };
    assertProblem(await b.client.delete(itemPath(id), headers), 412, 'precondition-failed');
    const same = await b.client.patch(itemPath(id), { title: 'y' }, headers);
    assertProblem(same, 412, 'precondition-failed');
  });

  it('keeps the limit of the first replica, and rejects another one', async (test) => {
    const { url } = await fakeEtcd(test);
    const a = await startReplica(test, url, { table: { maxRows: 3 } });
    await titles(a.client);
    const b = await startReplica(test, url, { table: { maxRows: 50 } });
    for (const { client } of [a, b, a]) await create(client, 'x');
    assertProblem(await b.client.post(LIST, { title: 'x' }), 507, 'store-full');
    const c = await startReplica(test, url, { table: { maxRows: 50 }, isMaxRowsGiven: true });
    await until('it says so', () => c.incompatibilities.length > 0);
    assert.deepEqual(c.incompatibilities, [
      'ETCD_PREFIX /test/ was created with MAX_ROWS 3, not 50',
    ]);
  });

  it('rejects a list of another variant, and writes nothing to it', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const a = await startReplica(test, url);
    await create(a.client, 'x');
    const { revision } = etcd.store;
    const b = await startReplica(test, url, { variant: variantB, settings: { timeoutMs: 200 } });
    await until('it says so', () => b.incompatibilities.length > 0);
    assert.deepEqual(b.incompatibilities, [
      'ETCD_PREFIX /test/ has items of variant a, and VARIANT is b',
    ]);
    assertProblem(await b.client.post(LIST, { title: 'y' }), 503, 'store-unavailable');
    assert.equal(etcd.store.revision, revision);
  });

  it('stores the seed once, and resets to it for all replicas', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const seed = Array.from({ length: 250 }, (_, i) => ({ title: `s${i + 1}` }));
    const replicas = await Promise.all([
      startReplica(test, url, { seed }),
      startReplica(test, url, { seed }),
      startReplica(test, url, { seed }),
    ]);
    const [a, b, c] = replicas;
    for (const { client } of replicas) assert.equal((await titles(client)).length, 250);
    const stored = () => etcd.store.keys('/test/row/', '/test/row0', etcd.store.revision).length;
    await until('what the slower ones wrote is gone', () => stored() === 250);
    assert.equal(await create(a.client, 'more'), 251);
    const headers = { authorization: 'Bearer secret' };
    const resets = [b, c].map(({ client }) => client.request('POST', '/admin/reset', { headers }));
    for (const { status } of await Promise.all(resets)) assert.equal(status, 204);
    for (const { client } of replicas) assert.equal((await titles(client)).length, 250);
    assert.equal(await create(c.client, 'again'), 251);
    assert.equal((await titles(a.client)).at(-1), 'again');
  });

  it('is not reset when it loads its list anew', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    await create(a.client, 'first');
    assert.deepEqual(await titles(b.client), ['first']);
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    const admin = (method: string, path: string, body = '') =>
      b.client.request(method, path, { headers, body });
    await admin('PUT', '/admin/faults', '{"faults":[{"method":"POST","delayMs":3600000}]}');
    const waiting = b.client.post(LIST, { title: 'late' });
    const ofPosts = '/admin/requests?method=POST&waitMs=60000';
    assert.match((await admin('GET', ofPosts)).text, /"late/);
    etcd.gateway.split = () => [];
    await create(a.client, 'second');
    etcd.store.compact();
    etcd.gateway.split = (all) => [all];
    etcd.breakWatches();
    await until('it has loaded the list again', () => b.replica.stats()?.loads === 2);
    assert.deepEqual(await titles(b.client), ['first', 'second']);
    assert.match((await admin('GET', '/admin/faults')).text, /"hits":1/);
    assert.match((await admin('GET', ofPosts)).text, /"late/);
    await admin('DELETE', '/admin/faults');
    assert.equal((await waiting).status, 201);
    await a.client.request('POST', '/admin/reset', { headers });
    await until('its journal is empty', async () => {
      const { text } = await admin('GET', '/admin/requests');
      return text === '{"requests":[]}';
    });
  });

  it('writes many operations in one transaction, and each row once in it', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url);
    const before = etcd.commits;
    const ids = await Promise.all(Array.from({ length: 250 }, (_, i) => create(client, `${i}`)));
    assert.deepEqual(
      [...ids].sort((a, b) => a - b),
      ids.map((_, i) => i + 1),
    );
    assert(etcd.commits - before < 60, `${etcd.commits - before} transactions`);
    const writes = Array.from({ length: 20 }, (_, i) =>
      client.put(itemPath(1), { title: `t${i}` }),
    );
    for (const { status } of await Promise.all(writes)) assert.equal(status, 200);
    for (const events of etcd.store.since(0)) {
      const keys = events.map(({ key }) => key);
      assert.equal(new Set(keys).size, keys.length);
    }
  });

  it('fails an operation without failing others', async (test) => {
    const { url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url, { table: { maxRows: 5 } });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post(LIST, { title: 'x' })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 507, 507, 507]);
    assert.equal((await titles(client)).length, 5);
  });

  it('describes its store in metrics', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url);
    await create(client, 'x');
    const { text } = await client.get('/metrics');
    assert.match(text, new RegExp(`^todo_store_revision ${etcd.store.revision}$`, 'm'));
    assert.match(text, /^todo_store_ready 1$/m);
    assert.match(text, /^todo_store_unknown_outcomes_total 0$/m);
  });
});
