import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CLIENT_CORE } from './cores.ts';
import type { Server } from './server.ts';

const SCRIPT = fileURLToPath(new URL('./requests.lua', import.meta.url));
const run = promisify(execFile);

/** The result of a load. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /**
   * The server's processor time per request, in microseconds, including background work after the
   * load.
   */
  readonly cpuMicroseconds: number;
  /**
   * The share of time that the server was busy: close to 1 if it, not the load generator, is the
   * limit.
   */
  readonly busy: number;
}

/**
 * Sends the requests of a file as fast as responses arrive.
 *
 * @throws Error if a response is not 2xx or a socket fails, because the figure would mean nothing
 */
export async function load(
  server: Server,
  file: string,
  seconds: number,
  connections = 16,
): Promise<Load> {
  const cpuBefore = server.cpuSeconds();
  const { stdout } = await run('taskset', [
    ...['-c', String(CLIENT_CORE), 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`],
    ...['--timeout', '60s', '-s', SCRIPT, `http://127.0.0.1:${server.port}`, '--', file],
  ]);
  const cpu = server.cpuSeconds() - cpuBefore;
  await server.rest();
  const cpuInAll = server.cpuSeconds() - cpuBefore;
  const bad = /Non-2xx.*|Socket errors.*/.exec(stdout);
  if (bad) throw new Error(`${server.name}: ${bad[0]}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const perSecond = Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]);
  if (!(requests > 0)) throw new Error(`${server.name} sent no response within ${seconds} s`);
  return {
    requests,
    perSecond,
    cpuMicroseconds: (cpuInAll * 1e6) / requests,
    busy: (cpu * perSecond) / requests,
  };
}
