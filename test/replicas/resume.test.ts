import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import {
  assertReset,
  idsOf,
  LATE_MS,
  MISSED,
  pastOn,
  range,
  resume,
} from '../lib/replica/support/past.ts';
import { create } from '../lib/replica/support/replicas.ts';
import { EtcdCluster, ensureInstalled } from './support/etcd.ts';

describe('a stream on etcd that missed more events than its replica keeps', () => {
  let cluster: EtcdCluster;
  before(async () => {
    ensureInstalled();
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());

  const past = (test: TestContext) =>
    pastOn(
      test,
      cluster.nodes.map(({ clientPort }) => clientPort),
    );

  it('gets all of them, and continues', async (test) => {
    const { old, late, seen } = await past(test);
    const stream = await resume(late, seen);
    await create(old.client, 'later');
    await stream.take(MISSED);
    assert.deepEqual(idsOf(stream), range(MISSED + 1));
    assert.equal(late.replica.stats()?.loads, 1);
    stream.close();
  });

  it('gets all of them during a rolling restart of etcd', async (test) => {
    const { late, links, seen } = await past(test);
    for (const link of links) link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    for (const { program } of cluster.nodes) {
      await program.end('SIGTERM');
      program.start();
      await cluster.healthy();
    }
    for (const link of links) link.watchDelayMs = 0;
    await stream.take(MISSED - 1);
    assert.deepEqual(idsOf(stream), range(MISSED));
    stream.close();
  });

  it('ends if the rest is compacted, and then gets reset', async (test) => {
    const { late, links, seen } = await past(test);
    for (const link of links) link.watchDelayMs = LATE_MS;
    const stream = await resume(late, seen);
    await cluster.ctl('compact', String(late.replica.stats()?.revision));
    await stream.ended();
    assert.deepEqual(idsOf(stream), range(stream.events.length - 1));
    assert(stream.events.length - 1 < MISSED);
    await assertReset(late, stream);
  });
});
