import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdCluster, ensureInstalled } from './support/etcd.ts';
import { startReplicas } from './support/replica.ts';
import { Workload } from './support/workload.ts';

/** The time after a fault within which a write is acknowledged, in milliseconds. */
const RECOVERY_MS = 6_000;

/** A fault while clients write and read through three replicas. */
interface Fault {
  readonly name: string;
  readonly run: (cluster: EtcdCluster) => Promise<void>;
  /** No request may fail, although some may be slow. */
  readonly failsNothing?: boolean;
  /** The time for which the fault makes writes impossible, in milliseconds. */
  readonly outageMs?: number;
}

/**
 * Faults that need a real etcd. Those of replicas and of messages are played in
 * test/replicas/simulation.
 */
const FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of the leader',
    run: async (cluster) => {
      const { leader } = await cluster.roles();
      await leader.program.end('SIGKILL');
      await sleep(4_000);
      leader.program.start();
    },
  },
  {
    name: 'a pause of the leader',
    run: async (cluster) => {
      const { leader } = await cluster.roles();
      leader.program.pause();
      await sleep(4_000);
      leader.program.resume();
    },
  },
  {
    name: 'a leader cut off from the other nodes',
    run: async (cluster) => {
      const { leader } = await cluster.roles();
      await cluster.isolate(leader);
      await sleep(4_000);
      cluster.heal();
    },
  },
  {
    name: 'the loss of a majority',
    outageMs: 3_000,
    run: async (cluster) => {
      const { followers } = await cluster.roles();
      await Promise.all(followers.map(({ program }) => program.end('SIGKILL')));
      await sleep(3_000);
      for (const { program } of followers) program.start();
    },
  },
  {
    name: 'a rolling restart of etcd',
    failsNothing: true,
    run: async (cluster) => {
      for (const { program } of cluster.nodes) {
        await program.end('SIGTERM');
        program.start();
        await cluster.healthy();
        await sleep(500);
      }
    },
  },
];

describe('three replicas on three nodes of etcd', () => {
  let cluster: EtcdCluster;
  before(async () => {
    ensureInstalled();
    cluster = await EtcdCluster.start();
  });
  after(() => cluster.stop());

  for (const [index, { name, run, failsNothing = false, outageMs = 0 }] of FAULTS.entries()) {
    it(`stay linearizable under ${name}`, async (test) => {
      const replicas = await startReplicas(cluster, 3, { ETCD_PREFIX: `/fault-${index}/` });
      test.after(() => Promise.all(replicas.map(({ program }) => program.end())));
      const workload = new Workload(replicas.map(({ baseUrl }) => baseUrl));
      test.after(() => workload.stop());
      workload.start();
      await sleep(500);
      await run(cluster);
      const ended = workload.counts.done;
      await sleep(RECOVERY_MS / 3);
      await cluster.healthy();
      await sleep(500);
      await Promise.all(replicas.map((replica) => replica.ready()));
      const { counts, longestGapMs, refusals } = workload;
      await workload.finish();
      test.diagnostic(`${JSON.stringify(counts)}, no write for ${Math.round(longestGapMs)} ms`);
      if (refusals.size > 0) test.diagnostic(JSON.stringify([...refusals]));
      assert(counts.done > ended, 'writes continue after it');
      assert(longestGapMs < outageMs + RECOVERY_MS, `no write for ${longestGapMs} ms`);
      if (failsNothing) assert.deepEqual([...refusals], []);
    });
  }
});
