import type { Version } from '../lib/commit.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { type Program, type Server, startAll, stopAll } from '../lib/server.ts';
import { alternating, digits } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import { ROWS, serviceOf } from './programs.ts';
import { requestFile, TITLES } from './requests.ts';

/** The most that a request may take with the journal, compared with one without it. */
const MOST = 1.1;

/** The fields that a browser sends with a request of a page, because the journal keeps them. */
const FIELDS: Readonly<Record<string, string>> = {
  Accept: '*/*',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9,de;q=0.8',
  Origin: 'http://localhost:5173',
  Referer: 'http://localhost:5173/',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Site': 'same-site',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0',
};

const WARM_UP_SECONDS = 3;
/** The rounds of POST, which adds rows, that the same processes serve. */
const ROUNDS_PER_PROCESS = 7;

export interface JournalOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Earlier versions, with the folders of their builds. */
  readonly builds: readonly (Version & { readonly dist: string })[];
}

/** A service without the control of test suites, and the same one with it, which has the journal. */
interface Pair {
  readonly title: string;
  readonly without: Program;
  readonly with: Program;
}

function pairOf(title: string, service: Program): Pair {
  const { name, env } = service;
  const controlled = { ...env, ADMIN_TOKEN: 'bench' };
  return {
    title,
    without: service,
    with: { ...service, name: `${name} journal`, env: controlled },
  };
}

/**
 * The processor time of requests with the journal and without it. In a round all servers are measured
 * one after the other, so that a change of the machine reaches both of a pair.
 */
export async function journal({ rounds, seconds, builds }: JournalOptions): Promise<string> {
  const pairs = [
    pairOf('this', serviceOf('A')),
    ...builds.map(({ name, dist }) => pairOf(name, serviceOf('A', dist, name))),
  ];
  const programs = pairs.flatMap((pair) => [pair.without, pair.with]);
  const kinds = ['get', 'post'] as const;
  const rows = rowsOf(ROWS);
  const figures = new Figures();
  for (const kind of kinds) {
    const file = requestFile(kind, rows);
    let servers: readonly Server[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`journal, ${kind}, round ${round + 1} of ${rounds}`);
      if (round % ROUNDS_PER_PROCESS === 0) {
        await stopAll(servers);
        servers = await startAll(programs);
        for (const server of servers) await load(server, file, WARM_UP_SECONDS, FIELDS);
      }
      for (const server of alternating(servers, round)) {
        const { cpuMicroseconds } = await load(server, file, seconds, FIELDS);
        figures.add(kind, server.name, cpuMicroseconds, round);
      }
    }
    await stopAll(servers);
  }
  const lines = kinds.flatMap((kind) =>
    pairs.map((pair, i) => {
      const names = [pair.with.name, pair.without.name] as const;
      const ratio = figures.ratio(kind, ...names);
      const range = figures.range(kind, ...names);
      return [
        `${TITLES[kind]}, ${pair.title}`,
        digits(figures.of(kind, pair.without.name)),
        `${digits(figures.of(kind, pair.with.name))}, ${ratio.toFixed(2)}× (${range})`,
        i === 0 ? `at most ${MOST}×: ${verdict(ratio <= MOST)}` : '',
      ];
    }),
  );
  return table(['µs of processor time', 'without', 'with the journal', 'target'], lines);
}
