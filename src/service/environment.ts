import cluster from 'node:cluster';
import { ConfigError } from '../lib/config/index.ts';

/** @throws ConfigError if the program runs in a runtime that has its own `node:http` */
export function checkRuntime(): void {
  const { bun, deno } = process.versions;
  const name = bun !== undefined ? 'Bun' : deno !== undefined ? 'Deno' : undefined;
  if (name !== undefined) throw new ConfigError(`${name} is not supported; run it with Node`);
}

/** @throws ConfigError if a setting of version 1 is set that is gone */
export function checkWithdrawnSettings({ READS }: NodeJS.ProcessEnv): void {
  if (READS) throw new ConfigError('READS is no longer a setting: reads are always linearizable');
}

/** @throws ConfigError if the process is a worker of Node's cluster */
export function checkSingleProcess(): void {
  if (!cluster.isWorker) return;
  const reason = 'each worker of a cluster would have a list of its own';
  throw new ConfigError(`${reason}; start one process (in pm2, fork mode), or set STORE=etcd`);
}
