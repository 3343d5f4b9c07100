import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EtcdClient } from '../../../../src/lib/replica/etcd/client.ts';
import { assertProblem } from '../../../api/suite.ts';
import { LIST } from '../../../support/paths.ts';
import { create, fakeEtcd, startReplica, titles, until } from './support/replicas.ts';

describe('a write', { concurrency: 3 }, () => {
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

  it('tries another endpoint if one is dead or silent', async (test) => {
    const one = await fakeEtcd(test);
    const { client } = await startReplica(test, `http://127.0.0.1:9,${one.url}`);
    assert.equal(await create(client, 'x'), 1);
    assert.deepEqual(await titles(client), ['x']);
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
