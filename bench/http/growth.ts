import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { duration } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import { OURS, startWithRows } from './programs.ts';
import { type Kind, requestFile, TITLES } from './requests.ts';

/** The kinds of requests. Those that change rows come last. */
const KINDS: readonly Kind[] = ['get', 'search', 'page', 'list', 'put', 'post'];
/** Beyond this many rows, a whole list takes up to seconds, so only one is requested at a time. */
const LARGE = 10_000;
const CONNECTIONS = 16;

/** The processor time of a request, in microseconds, as the table grows. */
export async function growth(sizes: readonly number[], seconds: number): Promise<string> {
  const times = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  for (const size of sizes) {
    progress(`growth, ${size} rows: filling`);
    const [server] = await startWithRows(OURS.slice(0, 1), size);
    if (!server) throw new Error('no server');
    const rows = rowsOf(size);
    for (const kind of KINDS) {
      const file = requestFile(kind, rows);
      const isLong = kind === 'list' && size > LARGE;
      const connections = isLong ? 1 : CONNECTIONS;
      const { cpuMicroseconds } = await load(server, file, isLong ? 5 * seconds : seconds, {
        connections,
      });
      progress(`growth, ${size} rows: ${kind}, ${duration(cpuMicroseconds)}`);
      times.get(kind)?.push(cpuMicroseconds);
    }
    await server.stop();
  }
  return table(
    ['processor time of a request', ...sizes.map((size) => `${size.toLocaleString('en-US')} rows`)],
    [...times].map(([kind, each]) => [TITLES[kind], ...each.map(duration)]),
  );
}
