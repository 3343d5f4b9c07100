import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CLIENT_CORE } from './cores.ts';
import type { Server } from './server.ts';

const PACED = fileURLToPath(new URL('./paced.ts', import.meta.url));
const run = promisify(execFile);

/** A load of requests at a fixed rate. */
export interface Pace {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Quantiles of response times, in microseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Sends the requests of a file at a fixed rate, however long the responses take. */
export async function paced(
  server: Server,
  file: string,
  { rate, seconds, connections }: Pace,
): Promise<Times> {
  const { stdout } = await run('taskset', [
    ...['-c', String(CLIENT_CORE), process.execPath, '--import', 'tsx', PACED],
    ...[server.port, file, rate, seconds, connections].map(String),
  ]);
  return JSON.parse(stdout);
}
