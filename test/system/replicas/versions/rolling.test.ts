import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ensureInstalled } from '../support/etcd.ts';
import { clusterFor, replicasOn } from '../support/running.ts';
import { etcdProgram, VERSIONS } from '../support/versions.ts';
import { Workload } from '../support/workload.ts';

ensureInstalled();

/** How long clients run before and after each restart, in milliseconds. */
const RUN_MS = 3_000;

describe('replicas while etcd goes from one version to the next, node by node', () => {
  it('fail no request, and stay linearizable', { timeout: 300_000 }, async (test) => {
    const [first, ...next] = VERSIONS;
    const cluster = await clusterFor(test, { version: first });
    const { replicas } = await replicasOn(test, cluster);
    const workload = new Workload(replicas.map(({ baseUrl }) => baseUrl));
    await workload.start();
    for (const version of next) {
      const command = etcdProgram(version);
      for (const { program } of cluster.nodes) {
        await workload.run(RUN_MS);
        await program.end('SIGTERM');
        program.command = command;
        program.start();
        await cluster.healthy();
      }
    }
    await workload.run(RUN_MS);
    const { counts, refusals } = workload;
    await workload.finish();
    test.diagnostic(JSON.stringify(counts));
    assert.deepEqual([...refusals], []);
  });
});
