import { Figures } from '../lib/figures.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { seed } from '../lib/seed.ts';
import { type Program, Server } from '../lib/server.ts';
import { alternating } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import { OURS } from './programs.ts';
import { type Kind, requestFile, TITLES } from './requests.ts';

const ROWS = 1000;
const KINDS: readonly Kind[] = ['get', 'put'];
const WARM_UP_SECONDS = 1;

/** The service without observability, and with one kind each. */
const WITHOUT = 'neither';
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [WITHOUT]: { METRICS: 'off' },
  'METRICS=on (the default)': {},
  'ACCESS_LOG=on': { METRICS: 'off', ACCESS_LOG: 'on' },
};

/**
 * The cost of metrics and the access log: rates and processor time per request, as ratios within a
 * round.
 */
export async function observed(rounds: number, seconds: number): Promise<string> {
  const files = KINDS.map((kind) => [kind, requestFile(kind, rowsOf(ROWS))] as const);
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    progress(`observed, round ${round + 1} of ${rounds}`);
    const servers: Server[] = [];
    for (const program of programs()) {
      const server = await Server.start(program);
      await seed(server, 1, ROWS);
      await server.rest();
      servers.push(server);
    }
    for (const [kind, file] of files) {
      for (const server of servers) await load(server, file, WARM_UP_SECONDS);
      for (const server of alternating(servers, round)) {
        const { perSecond, cpuMicroseconds } = await load(server, file, seconds);
        figures.add(kind, server.name, perSecond);
        figures.add(`${kind} cpu`, server.name, cpuMicroseconds);
      }
    }
    for (const server of servers) await server.stop();
  }
  const ratio = (what: string, name: string) => {
    const range = figures.ratioRange(what, name, WITHOUT).map((end) => end.toFixed(2));
    return `${figures.ratio(what, name, WITHOUT).toFixed(2)} (${range.join('–')})`;
  };
  const lines = KINDS.flatMap((kind) =>
    Object.keys(OPTIONS)
      .filter((name) => name !== WITHOUT)
      .map((name) => [`${TITLES[kind]}, ${name}`, ratio(kind, name), ratio(`${kind} cpu`, name)]),
  );
  return table(['against neither', 'requests a second', 'CPU time a request'], lines);
}

function programs(): readonly Program[] {
  return OURS.slice(0, 1).flatMap(({ args, env }) =>
    Object.entries(OPTIONS).map(([name, options]) => ({ name, args, env: { ...env, ...options } })),
  );
}
