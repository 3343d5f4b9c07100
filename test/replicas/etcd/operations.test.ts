import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertProblem } from '../../support/assertions.ts';
import { create, titles } from '../../support/items.ts';
import { isOk, until } from '../../support/until.ts';
import { ensureInstalled } from './support/etcd.ts';
import { clusterFor, replicasOn, startReplica } from './support/running.ts';

ensureInstalled();

describe('replicas during the operation of etcd', { concurrency: 2 }, () => {
  it('follow a restore from a backup', async (test) => {
    const cluster = await clusterFor(test);
    const { replicas, clients } = await replicasOn(test, cluster);
    const [a, b] = clients;
    await create(a, 'kept');
    const backup = join(cluster.directory, 'backup');
    await cluster.ctl('snapshot', 'save', backup);
    for (let i = 0; i < 5; i++) await create(a, 'lost');
    await cluster.restore(backup);
    for (const client of clients) {
      await until('the backup shows', async () => {
        const { status, text } = await client.get('/api/todos');
        return status === 200 && !text.includes('lost');
      });
    }
    for (const { log } of replicas) {
      assert.equal(log.filter((line) => line.includes('etcd was restored')).length, 1);
    }
    for (let i = 0; i < 5; i++) assert.equal(await create(b, 'new'), 2 + i);
    assert.deepEqual(await titles(a), ['kept', 'new', 'new', 'new', 'new', 'new']);
  });

  it('stay with their cluster if a node comes back as one of its own', async (test) => {
    const cluster = await clusterFor(test);
    const { replicas, clients } = await replicasOn(test, cluster);
    const [a, b] = clients;
    await create(a, 'first');
    const [node, ...others] = cluster.nodes;
    assert(node);
    await cluster.separate(node);
    for (let i = 0; i < 5; i++) await create(a, 'more');
    assert.equal((await titles(b)).length, 6);
    for (const { proxy } of others) proxy.set('refuse');
    assertProblem(await a.get('/api/todos'), 503, 'store-unavailable');
    const log = replicas.flatMap(({ log }) => log).join('\n');
    assert(log.includes(`${node.url} is of another cluster of etcd: `), log);
  });

  it('wait for etcd at their start, and reject a list of another variant', async (test) => {
    const cluster = await clusterFor(test);
    const { clients } = await replicasOn(test, cluster);
    await create(clients[0], 'first');
    for (const { proxy } of cluster.nodes) proxy.set('refuse');
    const other = await startReplica(test, cluster, { VARIANT: 'b' });
    await until('it is alive', () => isOk(`${other.baseUrl}/livez`));
    assert.equal(await other.isReady(), false);
    cluster.heal();
    assert.equal(await other.program.exit(), 2);
    assert.match(
      other.log.join('\n'),
      /^todo-service: \S+head is of a, and this replica serves b \(VARIANT, RESOURCE\)$/m,
    );
  });
});
