import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { EtcdCluster } from '../../test/replicas/support/etcd.ts';
import { ReplicaProcess, startReplicas } from '../../test/replicas/support/replica.ts';
import { freePorts } from '../../test/support/ports.ts';
import { progress } from '../lib/report.ts';
import { digits, duration, quantile } from '../lib/stats.ts';

/** Clients of each service; each sends its next request after the response to the last. */
const CLIENTS = 32;

/** A kind of request. */
interface Kind {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const READ: Kind = { method: 'GET', path: '/api/todos/1' };
const CREATE: Kind = { method: 'POST', path: '/api/todos', body: '{"title":"x"}' };

/** Reads and creates per second: one service in memory, replicas, and etcd alone. */
export async function rates(cluster: EtcdCluster, seconds: number): Promise<string[][]> {
  const rows: string[][] = [];
  const measure = async (name: string, urls: readonly string[], read: Kind, write: Kind) => {
    progress(name);
    const written = await load(urls, write, seconds);
    const seen = await load(urls, read, seconds);
    rows.push([name, ...figures(seen), ...figures(written), fairness(written.counts)]);
  };

  const [port = 0] = await freePorts(1);
  const inMemory = new ReplicaProcess(port, '/dev/null', { STORE: 'memory' });
  inMemory.program.start();
  await inMemory.ready();
  await measure('one service, in memory', [inMemory.baseUrl], READ, CREATE);
  await inMemory.program.end();

  for (const count of [1, 2, 3]) {
    const replicas = await startReplicas(cluster, count, { ETCD_PREFIX: `/rates-${count}/` });
    const urls = replicas.map(({ baseUrl }) => baseUrl);
    await measure(`${count} ${count === 1 ? 'replica' : 'replicas'}`, urls, READ, CREATE);
    await Promise.all(replicas.map(({ program }) => program.end()));
  }

  const key = Buffer.from('bench').toString('base64');
  const put = { method: 'POST', path: '/v3/kv/put', body: `{"key":"${key}","value":"eA=="}` };
  const range = { method: 'POST', path: '/v3/kv/range', body: `{"key":"${key}"}` };
  const nodes = cluster.nodes.map(({ clientPort }) => `http://127.0.0.1:${clientPort}`);
  await measure('etcd, one key, three nodes', nodes, range as Kind, put as Kind);
  return rows;
}

interface Load {
  readonly perSecond: number;
  /** Sorted, in milliseconds. */
  readonly latencies: Float64Array;
  /** The number of responses from each service. */
  readonly counts: readonly number[];
}

async function load(urls: readonly string[], kind: Kind, seconds: number): Promise<Load> {
  const latencies: number[] = [];
  const counts = urls.map(() => 0);
  let isOver = false;
  const headers = { 'content-type': 'application/json' };
  const work = urls.flatMap((url, index) => {
    const pool = new Pool(url, { connections: CLIENTS });
    return Array.from({ length: CLIENTS }, async () => {
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
  const [p50, p99] = [0.5, 0.99].map((share) => duration(quantile(latencies, share) * 1_000));
  return [digits(perSecond), p50 ?? '', p99 ?? ''];
}

/** The ratio of creates on the slowest service to those on the fastest. */
function fairness(counts: readonly number[]): string {
  if (counts.length === 1) return '';
  return digits(Math.min(...counts) / Math.max(...counts));
}
