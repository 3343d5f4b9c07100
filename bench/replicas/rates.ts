import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { freePorts } from '../../test/support/ports.ts';
import type { EtcdCluster } from '../../test/system/replicas/support/etcd.ts';
import { ReplicaProcess, startReplicas } from '../../test/system/replicas/support/replica.ts';
import { progress } from '../lib/report.ts';
import { digits, duration, quantile } from '../lib/stats.ts';

/** Clients of each service; each sends its next request after the response to the last. */
const CLIENTS = 32;

/** How long replicas write before it counts, because V8 first has to optimize that code. */
const WARM_UP_SECONDS = 4;

/** The numbers of replicas to measure, and of clients of each replica. */
const LOADS = [
  [1, 1],
  [1, CLIENTS],
  [1, 128],
  [2, CLIENTS],
  [3, CLIENTS],
] as const;

/** A kind of request. */
interface Kind {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** A read of one item, and a create. */
export const READ: Kind = { method: 'GET', path: '/api/todos/1' };
export const CREATE: Kind = { method: 'POST', path: '/api/todos', body: '{"title":"x"}' };
/** A write of one key to etcd. */
const PUT: Kind = { method: 'POST', path: '/v3/kv/put', body: '{"key":"YmVuY2g=","value":"eA=="}' };

/**
 * Reads and creates per second of a service in memory, and of replicas. For replicas, also the
 * ratio of creates to single puts in etcd, with the same number of clients and nodes, measured
 * right before.
 */
export async function rates(cluster: EtcdCluster, seconds: number): Promise<string[][]> {
  const rows: string[][] = [];
  const measure = async (name: string, urls: readonly string[], clients: number, puts?: number) => {
    progress(name);
    const written = await load(urls, clients, CREATE, seconds);
    const seen = await load(urls, clients, READ, seconds);
    const ratio = puts === undefined ? '' : digits(written.perSecond / puts);
    rows.push([name, ...figures(seen), ...figures(written), ratio, fairness(written.counts)]);
  };

  const [port = 0] = await freePorts(1);
  const inMemory = new ReplicaProcess(port, '/dev/null', { STORE: 'memory' });
  inMemory.program.start();
  await inMemory.ready();
  await load([inMemory.baseUrl], CLIENTS, CREATE, WARM_UP_SECONDS);
  await measure(`in memory, ${CLIENTS}`, [inMemory.baseUrl], CLIENTS);
  await inMemory.program.end();

  const nodes = cluster.nodes.map(({ clientPort }) => `http://127.0.0.1:${clientPort}`);
  for (const [count, clients] of LOADS) {
    const prefix = `/rates-${count}-${clients}/`;
    const settings = { ETCD_PREFIX: prefix, ADMIN_TOKEN: '' };
    const replicas = await startReplicas(cluster, count, settings);
    const urls = replicas.map(({ baseUrl }) => baseUrl);
    await load(urls, clients, CREATE, WARM_UP_SECONDS);
    const puts = await load(nodes.slice(0, count), clients, PUT, seconds);
    await measure(`${count}, ${clients}`, urls, clients, puts.perSecond);
    await Promise.all(replicas.map(({ program }) => program.end()));
  }
  return rows;
}

interface Load {
  readonly perSecond: number;
  /** Sorted, in milliseconds. */
  readonly latencies: Float64Array;
  /** The number of responses from each service. */
  readonly counts: readonly number[];
}

/** Lets clients of each service send requests of a kind for some seconds. */
export async function load(
  urls: readonly string[],
  clients: number,
  kind: Kind,
  seconds: number,
): Promise<Load> {
  const latencies: number[] = [];
  const counts = urls.map(() => 0);
  let isOver = false;
  const headers = { 'content-type': 'application/json' };
  const work = urls.flatMap((url, index) => {
    const pool = new Pool(url, { connections: clients });
    return Array.from({ length: clients }, async () => {
      while (!isOver) {
        const start = performance.now();
        const { method, path, body = null } = kind;
        const answer = await pool.request({ method, path, body, headers: body ? headers : {} });
        await answer.body.dump();
        if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode}`);
        latencies.push(performance.now() - start);
        counts[index] = (counts[index] ?? 0) + 1;
      }
    });
  });
  await sleep(seconds * 1_000);
  isOver = true;
  await Promise.all(work);
  const sorted = Float64Array.from(latencies).sort();
  return { perSecond: latencies.length / seconds, latencies: sorted, counts };
}

function figures({ perSecond, latencies }: Load): string[] {
  return [digits(perSecond), duration(quantile(latencies, 0.99) * 1_000)];
}

/** The ratio of creates on the slowest service to those on the fastest. */
function fairness(counts: readonly number[]): string {
  if (counts.length === 1) return '';
  return digits(Math.min(...counts) / Math.max(...counts));
}
