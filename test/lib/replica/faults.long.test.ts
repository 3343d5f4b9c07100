import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EtcdClient } from '../../../src/lib/replica/etcd/client.ts';
import { assertProblem } from '../../api/suite.ts';
import { LIST } from '../../support/paths.ts';
import { turns } from '../../support/raw.ts';
import { create, fakeEtcd, startReplica, titles, until } from './support/replicas.ts';

describe('a write', { concurrency: 3 }, () => {
  it('happens once if its response is lost and it is sent again', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    let count = 0;
    etcd.faults.txn = () => (['lose-answer', 'lose-request', undefined] as const)[count++ % 3];
    for (let i = 0; i < 10; i++)
      assert.equal(await create(i % 2 ? a.client : b.client, `${i}`), i + 1);
    etcd.faults.txn = () => undefined;
    assert.equal((await titles(a.client)).length, 10);
    assert.equal(await create(b.client, 'last'), 11);
  });

  it('happens once if others write while its response is lost', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(test, url)));
    let count = 0;
    etcd.faults.txn = () => (count++ % 4 === 0 ? 'lose-answer' : undefined);
    const writes = replicas.flatMap(({ client }, r) =>
      Array.from({ length: 20 }, async (_, i) => {
        await turns(i);
        return create(client, `${r}.${i}`);
      }),
    );
    const ids = (await Promise.all(writes)).sort((x, y) => x - y);
    assert.deepEqual(
      ids,
      ids.map((_, i) => i + 1),
    );
    const [first] = replicas;
    assert(first);
    const all = await titles(first.client);
    assert.equal(new Set(all).size, 60);
    assert.equal(all.length, 60);
  });

  it('is recognised after the list was reloaded meanwhile', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    await create(a.client, 'first');
    let isFirst = true;
    etcd.faults.txn = () => {
      if (!isFirst) return undefined;
      isFirst = false;
      // Hides the event that the request waits for, so that the list is reloaded.
      etcd.gateway.split = (events) => [events.slice(1)];
      return 'lose-answer';
    };
    assert.equal(await create(a.client, 'second'), 2);
    etcd.gateway.split = (events) => [events];
    assert.equal(await create(b.client, 'third'), 3);
    for (const { client } of [a, b]) {
      assert.deepEqual(await titles(client), ['first', 'second', 'third']);
    }
  });

  it('is rejected if etcd is full, unless it was applied', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url);
    await create(client, 'first');
    etcd.faults.txn = () => 'full';
    const refused = await client.post(LIST, { title: 'x' });
    assertProblem(refused, 503, 'store-unavailable');
    assert.equal(refused.headers['retry-after'], '1');
    etcd.faults.txn = () => 'applied-but-full';
    assert.equal(await create(client, 'second'), 2);
    etcd.faults.txn = () => undefined;
    assert.deepEqual(await titles(client), ['first', 'second']);
  });

  it('has an unknown outcome without a response in time', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url, { settings: { timeoutMs: 1_000 } });
    await create(client, 'first');
    etcd.faults.txn = () => {
      etcd.faults.isSilent = true;
      return 'lose-answer';
    };
    assertProblem(await client.post(LIST, { title: 'x' }), 503, 'outcome-unknown');
    assertProblem(await client.get(LIST), 503, 'store-unavailable');
    await until('it is not ready', async () => (await client.get('/readyz')).status === 503);
    const later = await client.post(LIST, { title: 'y' });
    assertProblem(later, 503, 'store-unavailable');
    etcd.faults.txn = () => undefined;
    etcd.faults.isSilent = false;
    await until('it serves again', async () => (await client.get(LIST)).status === 200);
    assert.deepEqual(await titles(client), ['first', 'x']);
    assert.match((await client.get('/metrics')).text, /^todo_store_unknown_outcomes_total 1$/m);
  });
});

describe('a replica without etcd', { concurrency: 5 }, () => {
  it('returns 503 soon, is alive but not ready, and recovers by itself', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url);
    await create(client, 'x');
    etcd.close();
    assertProblem(await client.get(LIST), 503, 'store-unavailable');
    assert.equal((await client.get('/livez')).status, 200);
    await until('it is not ready', async () => (await client.get('/readyz')).status === 503);
    await etcd.listen();
    await until('it is ready', async () => (await client.get('/readyz')).status === 200);
    assert.deepEqual(await titles(client), ['x']);
  });

  it('listens, and loads once etcd is available', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    etcd.close();
    const { client } = await startReplica(test, url);
    assert.equal((await client.get('/livez')).status, 200);
    assertProblem(await client.get('/readyz'), 503, 'store-unavailable');
    assertProblem(await client.get(LIST), 503, 'store-unavailable');
    await etcd.listen();
    await until('it is ready', async () => (await client.get('/readyz')).status === 200);
    assert.equal(await create(client, 'x'), 1);
  });

  it('continues to serve local reads', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client } = await startReplica(test, url, { settings: { readsLocally: true } });
    await create(client, 'x');
    etcd.close();
    assert.deepEqual(await titles(client), ['x']);
    assert.equal((await client.get('/readyz')).status, 200);
    assertProblem(await client.post(LIST, { title: 'y' }), 503, 'store-unavailable');
  });

  it('tries another endpoint if one is dead or silent', async (test) => {
    const one = await fakeEtcd(test);
    const { client } = await startReplica(test, `http://127.0.0.1:9,${one.url}`);
    assert.equal(await create(client, 'x'), 1);
    assert.deepEqual(await titles(client), ['x']);
  });

  it('logs in again if its token has expired', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    etcd.gateway.password = 'secret';
    const user = { name: 'todo', password: () => 'secret' };
    const { client } = await startReplica(test, url, {
      settings: { etcd: { endpoints: [url], user } },
    });
    await create(client, 'x');
    etcd.gateway.token = 'second';
    await create(client, 'y');
    etcd.breakWatches();
    etcd.gateway.token = 'third';
    await create(client, 'z');
    assert.deepEqual(await titles(client), ['x', 'y', 'z']);
    assert(etcd.gateway.logins >= 3);
  });

  it('logs in once if many requests have an expired token', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    etcd.gateway.password = 'secret';
    const user = { name: 'todo', password: () => 'secret' };
    const client = new EtcdClient({ endpoints: [url], user });
    test.after(() => client.close());
    const ask = () => client.range({ key: 'eA==' }, { deadline: performance.now() + 5_000 });
    await ask();
    etcd.gateway.token = 'second';
    await Promise.all(Array.from({ length: 20 }, ask));
    assert.equal(etcd.gateway.logins, 2);
  });
});
