import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { NO_FAULTS } from '../network/network-faults.ts';
import type { Simulation } from '../service/simulation.ts';
import { simulated } from './stage.ts';

/** How long clients write, in simulated milliseconds. */
const MS = 3_000;

/** Lets a client of each replica create items in a loop. @returns how many it has created */
async function createdBy(all: Simulation, latencies: readonly number[], has4_0: boolean) {
  const replicas = latencies.map((latencyMs, i) => {
    const replica = all.start({ maxRows: 100_000, is4_0: has4_0 && i === 0 });
    for (const link of replica.links) link.faults = { ...NO_FAULTS, latencyMs };
    return replica;
  });
  await all.ready();
  const end = all.now + MS;
  const counts = replicas.map(async (replica) => {
    let count = 0;
    for (; all.now < end; count++) {
      assert.equal((await replica.post('/api/todos', { title: 'x' })).status, 201);
    }
    return count;
  });
  return Promise.all(counts);
}

describe('replicas at different distances from etcd', () => {
  simulated('write about as often', async (all) => {
    const [near = 0, , far = 0] = await createdBy(all, [1, 2, 3], false);
    assert(near < 1.4 * far && far > 100, `${near} and ${far} creates`);
  });

  simulated('write beside one of 4.0', async (all) => {
    const counts = await createdBy(all, [1, 2, 3], true);
    assert(Math.min(...counts) > 100, counts.join());
  });
});
