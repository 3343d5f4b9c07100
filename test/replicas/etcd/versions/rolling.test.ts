import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../support/until.ts';
import { type EtcdCluster, ensureInstalled } from '../support/etcd.ts';
import { clusterFor, replicasOn } from '../support/running.ts';
import { type EtcdVersion, etcdProgram, VERSIONS } from '../support/versions.ts';
import { Workload } from '../support/workload.ts';

ensureInstalled();

/** The time for which clients run before and after each restart, in milliseconds. */
const RUN_MS = 3_000;

/**
 * After how many writes a node of etcd takes a snapshot: several times in a run, because etcd 3.7
 * stops at entries of its log that 3.5 has written.
 */
const SNAPSHOT_COUNT = 100;

describe('replicas while etcd goes from one version to the next, node by node', () => {
  it('fail no request, and stay linearizable', { timeout: 300_000 }, async (test) => {
    const [first, ...next] = VERSIONS;
    const cluster = await clusterFor(test, {
      version: first,
      args: [`--snapshot-count=${SNAPSHOT_COUNT}`],
    });
    const { replicas } = await replicasOn(test, cluster);
    const workload = new Workload(replicas.map(({ baseUrl }) => baseUrl));
    test.after(() => workload.stop());
    workload.start();
    for (const version of next) {
      const command = etcdProgram(version);
      for (const { program } of cluster.nodes) {
        await sleep(RUN_MS);
        await program.end('SIGTERM');
        program.command = command;
        program.start();
        await cluster.healthy();
      }
      await agreed(cluster, version);
    }
    await sleep(RUN_MS);
    const { counts, refusals } = workload;
    await workload.finish();
    test.diagnostic(JSON.stringify(counts));
    assert.deepEqual([...refusals], []);
  });
});

/** Waits until the nodes have agreed on a version, as the next upgrade requires. */
async function agreed(cluster: EtcdCluster, version: EtcdVersion): Promise<void> {
  const url = `http://127.0.0.1:${cluster.nodes[0]?.clientPort}/version`;
  await until(`the cluster has version ${version}`, async () => {
    const { etcdcluster } = JSON.parse(await (await fetch(url)).text());
    return etcdcluster === `${version}.0`;
  });
}
