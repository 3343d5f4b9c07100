import { typicalAnswer } from '../lib/ask.ts';
import { paced } from '../lib/pace.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { Server } from '../lib/server.ts';
import { digits, duration } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import { floorOf, OTHERS, OURS, startWithRows } from './programs.ts';
import { type Kind, requestFile, TITLES } from './requests.ts';

const ROWS = 1000;
const KINDS: readonly Kind[] = ['get', 'search', 'put'];
const LOAD = 0.5;
const CONNECTIONS = 32;

/** The response times at half of each server's maximum load. */
export async function latencies(seconds: number): Promise<string> {
  const rows = rowsOf(ROWS);
  const servers = await startWithRows([...OURS, ...OTHERS.slice(0, 2)], ROWS);
  const lines: string[][] = [];
  for (const kind of KINDS) {
    const file = requestFile(kind, rows);
    const sample = kind === 'search' ? file : requestFile('get', rows);
    const answers = await Promise.all(
      servers.slice(0, 1).map((server) => typicalAnswer(server, sample)),
    );
    const floor = await Server.start(floorOf('floor', answers[0]));
    for (const server of [floor, ...servers]) {
      await load(server, file, 1);
      const { perSecond } = await load(server, file, 2);
      const rate = Math.floor(perSecond * LOAD);
      progress(`latency of ${kind}: ${server.name} at ${rate}/s`);
      const times = await paced(server, file, { rate, seconds, connections: CONNECTIONS });
      lines.push([
        TITLES[kind],
        server.name,
        digits(rate),
        ...[times.p50, times.p99, times.p999].map(duration),
      ]);
    }
    await floor.stop();
  }
  for (const server of servers) await server.stop();
  return table(
    [`latency at ${LOAD * 100} % load`, 'server', 'requests a second', 'p50', 'p99', 'p99.9'],
    lines,
  );
}
