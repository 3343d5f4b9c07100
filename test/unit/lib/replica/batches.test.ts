import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_TRANSACTION_ROWS } from '../../../../src/lib/replica/write/dry-run.ts';
import { itemPath } from '../../../support/paths.ts';
import { create, fakeEtcd, startReplica, titles, waitPatiently } from './support/replicas.ts';

describe('writes that come together', { concurrency: 3 }, () => {
  waitPatiently();

  it('are told by which commit an item was made, even if that is one of them', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client, replica, items } = await startReplica(test, url);
    const id = await create(client, 'x');
    const commits = etcd.commits;
    const [changed, seen, list, same] = await Promise.all([
      replica.write(
        () => items.table.update(id, { title: 'a' }),
        (_, number) => number,
      ),
      replica.write(
        () => items.table.find(id)?.revision,
        (revision) => revision,
      ),
      replica.write(
        () => items.table.version,
        (version) => version,
      ),
      client.put(itemPath(id), { title: 'a' }),
    ]);
    assert.deepEqual([seen, list], [changed, changed]);
    assert.equal(same.headers.etag, (await client.get(itemPath(id))).headers.etag);
    assert.equal(etcd.commits, commits + 1);
  });

  it('never fill a transaction beyond what etcd takes', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const seed = Array.from({ length: 300 }, (_, i) => ({ title: `${i}` }));
    const { client, replica, items } = await startReplica(test, url, { seed });
    assert.equal((await titles(client)).length, 300);
    const deleteFrom = (first: number) =>
      replica.write(
        () => {
          for (let id = first; id < first + MAX_TRANSACTION_ROWS; id++) items.table.delete(id);
        },
        (_, number) => number,
      );
    const creates = Array.from({ length: 50 }, (_, i) => create(client, `new ${i}`));
    const numbers = await Promise.all([deleteFrom(1), deleteFrom(1 + MAX_TRANSACTION_ROWS)]);
    await Promise.all(creates);
    assert((numbers[0] ?? 0) < (numbers[1] ?? 0), 'each in a transaction of its own');
    assert.equal((await titles(client)).length, 350 - 2 * MAX_TRANSACTION_ROWS);
    assert(numbers.every((number) => number <= etcd.store.revision));
  });

  it('are not run again and again if few of them fit a transaction', async (test) => {
    const { url } = await fakeEtcd(test);
    const { client, replica, items } = await startReplica(test, url, { table: { maxRows: 9_999 } });
    await titles(client);
    let runs = 0;
    const count = 30;
    const writes = Array.from({ length: count }, () =>
      replica.write(
        () => {
          runs++;
          for (let i = 0; i < 70; i++) items.create({ title: 'x' });
        },
        (_, number) => number,
      ),
    );
    assert.equal(new Set(await Promise.all(writes)).size, count);
    assert(runs <= 6 * count, `${runs} runs`);
  });

  it('respond at once, with the number of the commit that the list then shows', async (test) => {
    const { url } = await fakeEtcd(test);
    const { replica, items, client } = await startReplica(test, url);
    await titles(client);
    const [made, nothing] = await Promise.all([
      replica.write(
        () => items.create({ title: 'x' }),
        ({ id }, number) => [number, items.table.version, items.table.find(id)?.revision],
      ),
      replica.write(
        () => items.table.delete(99),
        (wasThere, number) => [wasThere, number === items.table.version],
      ),
    ]);
    assert.equal(new Set(made).size, 1);
    assert.deepEqual(nothing, [false, true]);
  });
});
