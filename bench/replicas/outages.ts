import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdCluster } from '../../test/system/replicas/support/etcd.ts';
import { type ReplicaProcess, startReplicas } from '../../test/system/replicas/support/replica.ts';
import { Workload } from '../../test/system/replicas/support/workload.ts';
import { progress } from '../lib/report.ts';
import { duration } from '../lib/stats.ts';

type Failure = (cluster: EtcdCluster, replicas: readonly ReplicaProcess[]) => Promise<void>;

/** How long a failure lasts, in milliseconds. */
const LASTS_MS = 4_000;

const FAILURES: Readonly<Record<string, Failure>> = {
  nothing: () => sleep(2_000),
  'kill -9 of the leader': async (cluster) => {
    const { leader } = await cluster.roles();
    await leader.program.end();
    await sleep(LASTS_MS);
    leader.program.start();
  },
  'a pause of the leader': async (cluster) => {
    const { leader } = await cluster.roles();
    leader.program.pause();
    await sleep(LASTS_MS);
    leader.program.resume();
  },
  'kill -9 of a follower': async (cluster) => {
    const { followers } = await cluster.roles();
    await followers[0]?.program.end();
    await sleep(LASTS_MS);
    followers[0]?.program.start();
  },
  'a pause of a follower': async (cluster) => {
    const { followers } = await cluster.roles();
    followers[0]?.program.pause();
    await sleep(LASTS_MS);
    followers[0]?.program.resume();
  },
  'a pause of a replica, at the others': async (_, replicas) => {
    replicas[0]?.program.pause();
    await sleep(LASTS_MS);
    replicas[0]?.program.resume();
  },
  'kill -9 of a replica, at the others': async (_, replicas) => {
    await replicas[0]?.program.end();
    await sleep(LASTS_MS);
    replicas[0]?.program.start();
    await replicas[0]?.ready();
  },
};

/** The longest time without an acknowledged write, for clients of all replicas except the first. */
export async function outages(cluster: EtcdCluster): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [index, [name, fail]] of Object.entries(FAILURES).entries()) {
    progress(name);
    await cluster.healthy();
    const replicas = await startReplicas(cluster, 3, { ETCD_PREFIX: `/outage-${index}/` });
    const workload = new Workload(replicas.slice(1).map(({ baseUrl }) => baseUrl));
    workload.start();
    await fail(cluster, replicas);
    await sleep(1_000);
    await workload.finish();
    await workload.stop();
    rows.push([name, duration(workload.longestGapMs * 1_000)]);
    await Promise.all(replicas.map(({ program }) => program.end()));
  }
  return rows;
}
