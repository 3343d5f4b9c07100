import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { EtcdCluster, ensureInstalled } from '../test/replicas/etcd/support/etcd.ts';
import { serviceOf, withoutRows, withRows } from './http/programs.ts';
import type { Version } from './lib/commit.ts';
import { unpinSelf } from './lib/cores.ts';
import { Figures } from './lib/figures.ts';
import { progress, table } from './lib/report.ts';
import { type Program, type Server, startAll, stopAll } from './lib/server.ts';
import { alternating, digits, duration, quantile } from './lib/stats.ts';

/** Clients of each replica; each sends its next request after the response to the last. */
const CLIENTS = 32;
const COUNTS = [1, 3];
/** The number of items that replicas start with when their start is measured. */
const STORED_ROWS = 10_000;

const WORK = {
  creates: { method: 'POST', path: '/api/todos', body: '{"title":"x"}' },
  reads: { method: 'GET', path: '/api/todos/1', body: null },
  puts: { method: 'POST', path: '/v3/kv/put', body: '{"key":"YmVuY2g=","value":"eA=="}' },
} as const;
type What = keyof typeof WORK;
/** The work of replicas, in the order of the table. */
const OF_REPLICAS = ['creates', 'reads'] as const;

/** The name of etcd itself, whose single puts are compared with creates. */
const ETCD = 'puts of etcd';

/**
 * Creates and reads per second of replicas, and the start of one. Everything is on this machine:
 * three nodes of etcd with their data on disk, the replicas of all versions, and the clients. In a
 * round, each version is measured one after the other.
 */
export async function replicas(
  rounds: number,
  seconds: number,
  builds: readonly (Version & { readonly dist: string })[],
): Promise<string> {
  ensureInstalled();
  unpinSelf();
  const cluster = await EtcdCluster.start();
  try {
    const versions = [
      serviceOf('A'),
      ...builds.map(({ name, dist }) => serviceOf('A', dist, name)),
    ].map((program) => onEtcd(program, cluster.endpoints));
    const figures = new Figures();
    for (const count of COUNTS)
      await measureRates(count, versions, cluster, rounds, seconds, figures);
    await measureStarts(versions, rounds, figures);
    return tableOf(versions, figures);
  } finally {
    await cluster.stop();
  }
}

function onEtcd(program: Program, endpoints: string): Program {
  const { name, env } = withoutRows(program);
  const prefix = `/bench-${name.replace(' ', '-')}/`;
  return {
    ...program,
    env: { ...env, STORE: 'etcd', ETCD_ENDPOINTS: endpoints, ETCD_PREFIX: prefix },
  };
}

async function measureRates(
  count: number,
  versions: readonly Program[],
  { nodes }: EtcdCluster,
  rounds: number,
  seconds: number,
  figures: Figures,
): Promise<void> {
  const all: { readonly name: string; readonly servers: readonly Server[] }[] = [];
  for (const version of versions) {
    const servers = await startAll(Array.from({ length: count }, () => version));
    await load(servers.map(urlOf), 'creates', seconds);
    all.push({ name: version.name, servers });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { name, servers } of alternating(all, round)) {
      for (const what of OF_REPLICAS) {
        progress(`${name}: ${count} replicas, ${what}`);
        const { perSecond, latencies } = await load(servers.map(urlOf), what, seconds);
        figures.add(rowName(count, what), name, perSecond);
        figures.add(`${rowName(count, what)} p99`, name, quantile(latencies, 0.99));
      }
    }
    const urls = nodes.slice(0, count).map(({ clientPort }) => `http://127.0.0.1:${clientPort}`);
    const { perSecond } = await load(urls, 'puts', seconds);
    figures.add(rowName(count, 'creates'), ETCD, perSecond);
  }
  for (const { servers } of all) await stopAll(servers);
}

/** The time until a replica serves a list that is stored already. */
async function measureStarts(
  versions: readonly Program[],
  rounds: number,
  figures: Figures,
): Promise<void> {
  const stored = versions.map((version) => {
    const prefix = `${version.env?.ETCD_PREFIX}rows/`;
    return { ...version, env: { ...version.env, ETCD_PREFIX: prefix } };
  });
  await stopAll(await startAll(stored.map((version) => withRows(version, STORED_ROWS))));
  for (let round = 0; round < rounds; round++) {
    for (const version of alternating(stored, round)) {
      const servers = await startAll([version]);
      for (const { name, startMs } of servers) figures.add('start', name, startMs);
      await stopAll(servers);
    }
  }
}

function tableOf(versions: readonly Program[], figures: Figures): string {
  const names = versions.map(({ name }) => name);
  const [own = ''] = names;
  const ratio = (what: string, name: string, to: string) =>
    name === to ? '' : `, ${figures.ratio(what, name, to).toFixed(2)}×`;
  const rates = COUNTS.flatMap((count) =>
    OF_REPLICAS.map((what) => {
      const row = rowName(count, what);
      const p99 = (name: string) => duration(figures.of(`${row} p99`, name) * 1_000);
      const cells = names.map(
        (name) => `${digits(figures.of(row, name))}/s, p99 ${p99(name)}${ratio(row, own, name)}`,
      );
      const puts = figures.of(row, ETCD);
      return [row, ...cells, Number.isNaN(puts) ? '' : `${digits(puts)}/s${ratio(row, own, ETCD)}`];
    }),
  );
  const start = names.map(
    (name) => `${duration(figures.of('start', name) * 1_000)}${ratio('start', name, own)}`,
  );
  const startRow = `start with ${STORED_ROWS.toLocaleString('en-US')} items`;
  return table(['', ...names, ETCD], [...rates, [startRow, ...start, '']]);
}

function rowName(count: number, what: What): string {
  return `${what}, ${count === 1 ? '1 replica' : `${count} replicas`}`;
}

function urlOf({ list }: Server): string {
  return new URL(list).origin;
}

/** Lets clients of each server send requests of a kind for some seconds. */
async function load(
  urls: readonly string[],
  what: What,
  seconds: number,
): Promise<{ readonly perSecond: number; readonly latencies: Float64Array }> {
  const latencies: number[] = [];
  let isOver = false;
  const { method, path, body } = WORK[what];
  const headers = body === null ? {} : { 'content-type': 'application/json' };
  const work = urls.map(async (url) => {
    const pool = new Pool(url, { connections: CLIENTS });
    const client = async () => {
      while (!isOver) {
        const start = performance.now();
        const response = await pool.request({ method, path, body, headers });
        await response.body.dump();
        if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode}`);
        latencies.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await pool.close();
  });
  await sleep(seconds * 1_000);
  isOver = true;
  await Promise.all(work);
  const sorted = Float64Array.from(latencies).sort();
  return { perSecond: latencies.length / seconds, latencies: sorted };
}
