import { setTimeout } from 'node:timers/promises';
import { paced } from '../lib/pace.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { type Row, rowsOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';
import { type Program, Server } from '../lib/server.ts';
import { duration } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';
import { load } from '../lib/wrk.ts';
import { floorOf, OURS, startWithRows } from './programs.ts';
import { requestFile } from './requests.ts';

const ROWS_OF_A_SEARCH = 20;
/** GET by id. */
const RATE = 200;
const CONNECTIONS = 8;

/** What must not be reached, in milliseconds. */
const LONGEST_TURN_MS = 10;
const P999_MS = 15;

/**
 * The longest turn of the event loop, and the response times of GET by id, while others read whole
 * lists, search and write. Bare `node:http`, which has no rows, shows what of that is V8's or the
 * machine's.
 */
export async function turns(rows: number, seconds: number): Promise<string> {
  const texts = rowsOf(rows);
  const gets = requestFile('get', texts);
  // What others do at the same time, and on how many connections each, as fast as they can.
  const others = [
    [requestFile('list', texts), 1],
    [searchFile(texts), 2],
    [requestFile('put', texts), 2],
  ] as const;
  const lines: string[][] = [];
  for (const program of [floorOf('bare node:http'), ...OURS]) {
    progress(`turns: filling ${program.name}`);
    const server = await started(program, rows);
    await load(server, gets, 1);
    await server.longestTurn();
    const inAll = SECONDS_TO_SPEED + seconds + 2;
    const loads = others.map(([each, connections]) => load(server, each, inAll, { connections }));
    await setTimeout(SECONDS_TO_SPEED * 1000);
    const longestAtFirst = await server.longestTurn();
    const times = await paced(server, gets, { rate: RATE, seconds, connections: CONNECTIONS });
    await Promise.all(loads);
    const longestThen = await server.longestTurn();
    await server.stop();
    const judged = (isReached: boolean) => (OURS.includes(program) ? verdict(isReached) : '');
    lines.push([
      program.name,
      ...[longestAtFirst, longestThen].flatMap((turn) => [
        duration(turn * 1000),
        judged(turn < LONGEST_TURN_MS),
      ]),
      ...[times.p50, times.p99, times.p999].map(duration),
      judged(times.p999 < P999_MS * 1000),
    ]);
  }
  return table(
    [
      `beside lists, searches and writes, ${rows.toLocaleString('en-US')} rows`,
      `longest turn, first ${SECONDS_TO_SPEED} s`,
      `under ${LONGEST_TURN_MS} ms`,
      'then',
      `under ${LONGEST_TURN_MS} ms`,
      'GET by id: p50',
      'p99',
      'p99.9',
      `under ${P999_MS} ms`,
    ],
    lines,
  );
}

async function started(program: Program, rows: number): Promise<Server> {
  if (!OURS.includes(program)) return Server.start(program, { probed: true });
  const [server] = await startWithRows([program], rows, { probed: true });
  if (!server) throw new Error('no server');
  return server;
}

/** Searches for words of the rows, most of which are frequent, as all rows found are counted. */
function searchFile(rows: readonly Row[]): string {
  const words = rows.slice(0, 200).flatMap(({ title }) => title.split(' ').slice(1, 2));
  const lines = words.map(
    (word) => `GET\t/api/todos?search=${encodeURIComponent(word)}&limit=${ROWS_OF_A_SEARCH}`,
  );
  return scratch('searches.txt', `${lines.join('\n')}\n`);
}
