import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdCluster, EtcdNode } from '../../test/replicas/support/etcd.ts';
import { startReplicas } from '../../test/replicas/support/replica.ts';
import { digits } from '../lib/stats.ts';

/** How long to count, in milliseconds. */
const COUNTED_MS = 5_000;

/** What an idle replica costs etcd in a second, by number of replicas. */
export async function costs(cluster: EtcdCluster): Promise<string[][]> {
  const rows: string[][] = [];
  for (const count of [0, 1, 3]) {
    const env = { ETCD_PREFIX: `/costs-${count}/` };
    const replicas = count === 0 ? [] : await startReplicas(cluster, count, env);
    await sleep(1_000);
    const before = await totals(cluster);
    await sleep(COUNTED_MS);
    const after = await totals(cluster);
    const rates = after.map((total, i) => ((total - (before[i] ?? 0)) * 1_000) / COUNTED_MS);
    const [requests = 0, bytes = 0, cpu = 0] = rates;
    rows.push([`${count}`, digits(requests), digits(bytes), `${digits(cpu * 100)} %`]);
    await Promise.all(replicas.map(({ program }) => program.end()));
  }
  return rows;
}

/** The requests, the bytes sent to clients, and the seconds of processors, of all nodes. */
async function totals({ nodes }: EtcdCluster): Promise<readonly number[]> {
  const names = [
    'grpc_server_handled_total',
    'etcd_network_client_grpc_sent_bytes_total',
    'process_cpu_seconds_total',
  ];
  const all = await Promise.all(nodes.map(metricsOf));
  return names.map((name) => {
    const values = all.join('\n').matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'gm'));
    return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
  });
}

async function metricsOf({ clientPort }: EtcdNode): Promise<string> {
  return (await fetch(`http://127.0.0.1:${clientPort}/metrics`)).text();
}
