import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../../support/ports.ts';
import { isOk, until } from '../../../support/until.ts';
import type { EtcdCluster } from './etcd.ts';
import { Program } from './process.ts';

/** The program to test. */
const MAIN = fileURLToPath(new URL('../../../../dist/main.js', import.meta.url));

/** A replica in a separate process. */
export class ReplicaProcess {
  readonly program: Program;
  readonly baseUrl: string;
  readonly logFile: string;

  constructor(port: number, logFile: string, env: NodeJS.ProcessEnv) {
    this.logFile = logFile;
    this.baseUrl = `http://127.0.0.1:${port}`;
    const settings = { STORE: 'etcd', HOST: '127.0.0.1', PORT: String(port), ...env };
    this.program = new Program(process.execPath, [MAIN], settings, logFile);
  }

  /** Waits until the replica is ready. */
  async ready(withinMs = 20_000): Promise<void> {
    try {
      await until('the replica is ready', () => this.isReady(), { everyMs: 20, withinMs });
    } catch (cause) {
      throw new Error(readFileSync(this.logFile, 'utf8'), { cause });
    }
  }

  /** The lines that it has logged. */
  get log(): readonly string[] {
    return readFileSync(this.logFile, 'utf8').trim().split('\n');
  }

  isReady(): Promise<boolean> {
    return isOk(`${this.baseUrl}/readyz`).catch(() => false);
  }

  /** The value of a metric. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.baseUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  }
}

/** Starts replicas on a cluster, and waits until they are ready. */
export async function startReplicas(
  cluster: EtcdCluster,
  count = 3,
  env: NodeJS.ProcessEnv = {},
): Promise<ReplicaProcess[]> {
  const replicas: ReplicaProcess[] = [];
  for (const [index, port] of (await freePorts(count)).entries()) {
    const settings = {
      ETCD_ENDPOINTS: rotated(cluster.endpoints, index),
      ADMIN_TOKEN: 'secret',
      ...env,
    };
    const logFile = join(cluster.directory, `replica-${port}.log`);
    const replica = new ReplicaProcess(port, logFile, settings);
    replica.program.start();
    replicas.push(replica);
  }
  try {
    await Promise.all(replicas.map((replica) => replica.ready()));
  } catch (error) {
    await Promise.all(replicas.map(({ program }) => program.end()));
    throw error;
  }
  return replicas;
}

/** Each replica tries a different node first. */
function rotated(endpoints: string, index: number): string {
  const all = endpoints.split(',');
  return [...all.slice(index % all.length), ...all.slice(0, index % all.length)].join(',');
}
