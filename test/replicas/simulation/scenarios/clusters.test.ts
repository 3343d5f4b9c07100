import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, titles } from '../../../support/items.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import type { Simulation } from '../service/simulation.ts';
import { refusalOf, simulated, startOne, startTwo } from './stage.ts';

/** The links of a replica, by the order of its endpoints. The first replica begins with node 0. */
function linksOf({ links }: SimulatedReplica) {
  const [first, ...others] = links;
  assert(first);
  return { first, others };
}

/** The keys of the list in the clusters that nodes have become. */
function keysElsewhere({ network }: Simulation): string[] {
  return [...network.separated.values()].flatMap(({ store }) =>
    store.keys('/test/', '/test0', store.revision),
  );
}

describe('a node that comes back as a cluster of its own', () => {
  simulated('is left by replicas, which stay with the list that they know', async (all) => {
    const [a, b] = await startTwo(all);
    await create(a, 'first');
    const { first, others } = linksOf(a);
    all.network.separate(first.url, true);
    for (let i = 0; i < 20; i++) {
      await create(a, 'more');
      assert.equal((await titles(b)).length, 2 + i);
      for (const link of a.links) link.reset();
    }
    assert.deepEqual(a.otherClusters, [
      `${first.url} is of another cluster of etcd: 9, not cdf818194e3a8c32`,
    ]);
    all.network.set(others, 'refused');
    await all.sleep(10_000);
    const refused = await a.get('/api/todos');
    assert.equal(refused.status, 503, 'not the list of another cluster');
    assert.match(refused.text, /"code":"store-unavailable"/);
    assert.equal((await a.post('/api/todos', { title: 'lost' })).status, 503);
    assert.deepEqual(keysElsewhere(all), []);
    all.network.heal();
    await all.ready(6_000);
    assert.equal((await titles(a)).length, 21);
    assert.deepEqual([a.restores, b.restores], [0, 0]);
  });

  simulated('ends the start of a replica', async (all) => {
    const { first } = linksOf(await startOne(all));
    all.network.separate(first.url, true);
    assert.equal(
      await refusalOf(all),
      `the endpoints are of different clusters of etcd: ${first.url} of 9, and others of cdf818194e3a8c32`,
    );
  });

  simulated('gets no list while it is the only one that answers', async (all) => {
    const replica = all.start();
    const { first, others } = linksOf(replica);
    all.network.separate(first.url, true);
    all.network.set(others, 'refused');
    await all.sleep(10_000);
    assert.match(
      (await replica.get('/readyz')).text,
      /there is no list, and it is created only while more than half of the endpoints answer/,
    );
    assert.deepEqual(keysElsewhere(all), []);
    all.network.set(others, 'open');
    await all.until('it finds out', () => replica.incompatibilities.length > 0);
    assert.match(replica.incompatibilities.join(), /^the endpoints are of different clusters/);
  });
});

describe('a list', () => {
  simulated('is created when more than half of the endpoints answer', async (all) => {
    const replica = all.start();
    const { others } = linksOf(replica);
    all.network.set(others, 'silent');
    await all.sleep(10_000);
    assert.notEqual(replica.notReadyReason, undefined);
    assert.equal(all.etcd.store.value('/test/head'), undefined);
    all.network.set(others.slice(0, 1), 'open');
    await all.ready(6_000);
    assert.equal(await create(replica, 'x'), 1);
  });

  simulated('is loaded from a single endpoint if it exists', async (all) => {
    await create(all.start(), 'x');
    const late = all.start();
    all.network.set(linksOf(late).others, 'silent');
    await all.ready(6_000);
    assert.deepEqual(await titles(late), ['x']);
  });
});
