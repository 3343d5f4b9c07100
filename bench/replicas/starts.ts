import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../test/support/ports.ts';
import type { EtcdCluster } from '../../test/system/replicas/support/etcd.ts';
import { ReplicaProcess } from '../../test/system/replicas/support/replica.ts';
import { rowsOf } from '../lib/rows.ts';
import { digits, duration } from '../lib/stats.ts';

/** How long the first replica may take to write the rows to etcd, in milliseconds. */
const SEED_MS = 120_000;

/** By number of rows: the time until a replica is ready, its memory then, and the bytes in etcd. */
export async function starts(cluster: EtcdCluster, rows: number): Promise<string[][]> {
  const starts: string[][] = [];
  for (const count of [0, rows / 10, rows]) starts.push(await start(cluster, count));
  return starts;
}

async function start(cluster: EtcdCluster, rows: number): Promise<string[]> {
  const seedFile = join(cluster.directory, `seed-${rows}.json`);
  writeFileSync(seedFile, JSON.stringify(rowsOf(rows)));
  const before = await storedBytes(cluster);
  const settings = { ETCD_ENDPOINTS: cluster.endpoints, ETCD_PREFIX: `/start-${rows}/` };
  const [first = 0, second = 0] = await freePorts(2);
  const seeding = new ReplicaProcess(first, join(cluster.directory, 'seeding.log'), {
    ...settings,
    SEED_FILE: seedFile,
  });
  seeding.program.start();
  await seeding.ready(SEED_MS);
  await seeding.program.end();
  const replica = new ReplicaProcess(second, join(cluster.directory, 'start.log'), settings);
  const begin = performance.now();
  replica.program.start();
  await replica.ready(SEED_MS);
  const took = performance.now() - begin;
  const bytes = await replica.metric('process_resident_memory_bytes');
  await replica.program.end();
  const stored = (await storedBytes(cluster)) - before;
  const sizes = [bytes, stored].map((each) => `${digits(each / 2 ** 20)} MiB`);
  return [rows.toLocaleString('en-US'), duration(took * 1_000), ...sizes];
}

/** The bytes in use of the database of one node. */
async function storedBytes({ nodes }: EtcdCluster): Promise<number> {
  const url = `http://127.0.0.1:${nodes[0]?.clientPort}/metrics`;
  const text = await (await fetch(url)).text();
  return Number(/^etcd_mvcc_db_total_size_in_use_in_bytes (.*)$/m.exec(text)?.[1]);
}
