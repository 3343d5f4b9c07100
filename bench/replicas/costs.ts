import type { EtcdCluster, EtcdNode } from '../../test/system/replicas/support/etcd.ts';
import { startReplicas } from '../../test/system/replicas/support/replica.ts';
import { digits } from '../lib/stats.ts';
import { CREATE, load, READ } from './rates.ts';

/** How long to count, in seconds. */
const COUNTED_S = 5;

/** What replicas cost etcd in a second, idle and with reading clients. */
export async function costs(cluster: EtcdCluster): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, count, clients] of [
    ['no replica', 0, 0],
    ['1 idle replica', 1, 0],
    ['3 idle replicas', 3, 0],
    ['1 replica, 32 clients that read', 1, 32],
  ] as const) {
    const env = { ETCD_PREFIX: `/costs-${count}-${clients}/` };
    const replicas = count === 0 ? [] : await startReplicas(cluster, count, env);
    const urls = replicas.map(({ baseUrl }) => baseUrl);
    await load(urls, 1, CREATE, 0.5);
    const before = await totals(cluster);
    const { perSecond } = await load(urls, clients, READ, COUNTED_S);
    const after = await totals(cluster);
    const [requests = 0, cpu = 0] = after.map((total, i) => (total - (before[i] ?? 0)) / COUNTED_S);
    rows.push([name, ...[perSecond, requests].map(digits), `${digits(cpu * 100)} %`]);
    await Promise.all(replicas.map(({ program }) => program.end()));
  }
  return rows;
}

/** The requests and the seconds of processors of all nodes. */
async function totals({ nodes }: EtcdCluster): Promise<readonly number[]> {
  const names = ['grpc_server_handled_total', 'process_cpu_seconds_total'];
  const all = await Promise.all(nodes.map(metricsOf));
  return names.map((name) => {
    const values = all.join('\n').matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'gm'));
    return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
  });
}

async function metricsOf({ clientPort }: EtcdNode): Promise<string> {
  return (await fetch(`http://127.0.0.1:${clientPort}/metrics`)).text();
}
