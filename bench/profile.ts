/*
 * Breaks down the difference between the service and bare node:http. Both run under `--cpu-prof`
 * and the same load. The table shows the processor time of a request by place: the layers of `src`,
 * and those of `PLACES`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST, floorOf, OURS } from './http/programs.ts';
import { type Kind, requestFile, TITLES } from './http/requests.ts';
import { type Answer, typicalAnswer } from './lib/ask.ts';
import { pinSelf } from './lib/cores.ts';
import { PLACES, timeByPlace } from './lib/profile.ts';
import { machine, progress, publish, table } from './lib/report.ts';
import { rowsOf } from './lib/rows.ts';
import { seed } from './lib/seed.ts';
import { type Program, Server } from './lib/server.ts';
import { digits } from './lib/stats.ts';
import { load } from './lib/wrk.ts';

const ROWS = 1000;
const KINDS: readonly Kind[] = ['get', 'search', 'put', 'post'];
const SAMPLING_INTERVAL_MICROSECONDS = '200';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    /** A file to insert the report into as well. */
    into: { type: 'string' },
  },
});

/** The microseconds of a request by place, and in total. */
type Times = ReadonlyMap<string, number>;

pinSelf();
const rows = rowsOf(ROWS);
const [variantA] = OURS;
if (!variantA) throw new Error('no variant');
const columns: { title: string; times: Times }[] = [];
for (const kind of KINDS) {
  progress(`profile of ${kind}`);
  const answer = await sampleAnswer(variantA, kind);
  columns.push({
    title: `${TITLES[kind]}: floor`,
    times: await profile(floorOf('floor', answer), kind),
  });
  columns.push({ title: 'variant A', times: await profile(variantA, kind) });
}
const places = new Set(columns.flatMap(({ times }) => [...times.keys()]));
const known: readonly string[] = Object.values(PLACES);
const order = [...known, ...[...places].filter((place) => !known.includes(place)).sort()];
const cell = (times: Times, place: string) =>
  times.has(place) ? digits(times.get(place) ?? 0) : '';
const sum = (times: Times) => [...times.values()].reduce((a, b) => a + b, 0);
const report = table(
  ['microseconds of a request', ...columns.map(({ title }) => title)],
  [
    ...order.map((place) => [place, ...columns.map(({ times }) => cell(times, place))]),
    ['together', ...columns.map(({ times }) => digits(sum(times)))],
  ],
);
publish('profile', `${machine()}\n\n${report}`, options.into);

/** The response for the floor, of the same size as the service's. */
async function sampleAnswer(program: Program, kind: Kind): Promise<Answer> {
  const server = await Server.start(program);
  await seed(server, 1, ROWS);
  const answer = await typicalAnswer(server, requestFile(kind === 'search' ? kind : 'get', rows));
  await server.stop();
  return answer;
}

async function profile(program: Program, kind: Kind): Promise<Times> {
  const directory = mkdtempSync(join(tmpdir(), 'profile-'));
  const flags = ['--cpu-prof', '--cpu-prof-dir', directory];
  const interval = ['--cpu-prof-interval', SAMPLING_INTERVAL_MICROSECONDS];
  const args = [...flags, ...interval, ...program.args];
  const server = await Server.start({ ...program, args }, { probed: true });
  if (OURS.includes(program)) await seed(server, 1, ROWS);
  const { requests } = await load(server, requestFile(kind, rows), Number(options.seconds));
  await server.exit();
  const times = timeByPlace(directory, `${DIST}/main.js`);
  rmSync(directory, { recursive: true });
  return new Map([...times].map(([place, time]) => [place, time / requests]));
}
