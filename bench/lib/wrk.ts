import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CLIENT_CORE } from './cores.ts';
import type { Server } from './server.ts';

const SCRIPT = fileURLToPath(new URL('./requests.lua', import.meta.url));
const run = promisify(execFile);

/** Enough clients to keep a server busy, all in one load generator. */
const CONNECTIONS = 64;

/** The result of a load. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** The server's processor time per request, in microseconds, including work after the load. */
  readonly cpuMicroseconds: number;
  /** The share of time that the server was busy; much below 1, the load generator is the limit. */
  readonly busy: number;
}

/**
 * Sends the requests of a file as fast as responses arrive.
 * @param seconds any number, although wrk knows whole ones only
 * @param fields header fields of each request
 * @throws Error if a socket fails or a response is 4xx or 5xx, because the figure would mean nothing
 */
export async function load(
  server: Server,
  file: string,
  seconds: number,
  fields: Readonly<Record<string, string>> = {},
): Promise<Load> {
  const fieldArgs = Object.entries(fields).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const cpuBefore = server.cpuSeconds();
  const { stdout } = await run('taskset', [
    ...['-c', String(CLIENT_CORE), 'timeout', '--preserve-status', '--signal=INT', String(seconds)],
    ...['wrk', '-t1', `-c${CONNECTIONS}`, '-d60s'],
    ...[...fieldArgs, '--timeout', '60s', '-s', SCRIPT, server.list, '--', file],
  ]);
  const cpu = server.cpuSeconds() - cpuBefore;
  await server.rest();
  const cpuInAll = server.cpuSeconds() - cpuBefore;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const failed = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const broken = /Socket errors.*/.exec(stdout)?.[0];
  if (broken || failed > 0) {
    throw new Error(`${server.name}: ${broken ?? `${failed} of ${requests} responses are errors`}`);
  }
  const perSecond = Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
  if (!(requests > 0)) throw new Error(`${server.name} sent no response within ${seconds} s`);
  return {
    requests,
    perSecond,
    cpuMicroseconds: (cpuInAll * 1e6) / requests,
    busy: (cpu * perSecond) / requests,
  };
}
