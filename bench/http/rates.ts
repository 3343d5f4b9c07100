import { readFileSync } from 'node:fs';
import { countRows, typicalAnswer } from '../lib/ask.ts';
import type { Version } from '../lib/commit.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { type Row, rowsOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';
import { type Program, type Server, startAll, stopAll } from '../lib/server.ts';
import { alternating, digits, median } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';
import {
  type Answer,
  bareNodeHttp,
  hasSetting,
  loop,
  namedListOf,
  peers,
  ROWS,
  serviceOf,
  VARIANTS,
} from './programs.ts';
import { type Kind, requestFile, TITLES, termsFor } from './requests.ts';

/** The least ratio of another server's processor time for a request to the service's. */
const TARGETS: readonly { readonly kind: Kind; readonly beside: string; readonly least: number }[] =
  [
    { kind: 'get', beside: 'node:http', least: 0.93 },
    { kind: 'list', beside: 'node:http', least: 0.97 },
    { kind: 'search', beside: 'loop', least: 0.87 },
    { kind: 'put', beside: '3.0', least: 0.85 },
    { kind: 'post', beside: '3.0', least: 0.85 },
  ];
/** The most that a request at a list with a name may take, compared with the service's own list. */
const MOST_AT_NAMED_LIST = 1.03;

/** Other frameworks are measured in this share of the rounds: nobody asks for their per cents. */
const ROUNDS_PER_ROUND_OF_OTHERS = 5;
/** V8 compiles the functions of a request for so long, on threads that share the server's core. */
const WARM_UP_SECONDS = 3;
/** The rounds of POST that the same processes serve. */
const ROUNDS_PER_PROCESS = 7;
/** How many GET requests decide which response is typical. */
const SAMPLES = 100;

export interface RateOptions {
  readonly kinds: readonly Kind[];
  readonly rounds: number;
  readonly seconds: number;
  /** Earlier versions, with the folders of their builds. */
  readonly builds: readonly (Version & { readonly dist: string })[];
}

/**
 * The processor time of requests. All servers run at the same time, and in a round each is measured
 * one after the other, so that a change of the machine reaches all of them. They are warmed up before
 * the first round. For POST, which adds rows, there are new processes after some rounds.
 */
export async function rates(options: RateOptions): Promise<string> {
  const { kinds, rounds, seconds, builds } = options;
  const rows = rowsOf(ROWS);
  const own = VARIANTS.map((variant) => serviceOf(variant));
  const [first] = own;
  const lists = first && hasSetting(first, '--lists') ? [namedListOf(first)] : [];
  const isFastify = ({ name }: Program) => name.startsWith('Fastify');
  const fastify = peers().filter(isFastify);
  const others = peers().filter((program) => !isFastify(program));
  const pairs: readonly (readonly [title: string, programs: readonly Program[]])[] = [
    ['node:http', await floorsFor(own, rows)],
    ['loop', VARIANTS.map(loop)],
    ['Fastify', fastify],
    ...builds.map(
      ({ name, dist }) => [name, VARIANTS.map((each) => serviceOf(each, dist, name))] as const,
    ),
  ];
  const compared = pairs.flatMap(([, each]) => each);
  const all = [...own, ...lists, ...compared, ...others];
  // The loop is beside both variants.
  const programs = all.filter(({ name }, at) => all.findIndex((each) => each.name === name) === at);
  const figures = new Figures();
  let servers = await startAll(programs);
  await checkAnswers(servers, rows);
  for (const kind of kinds) {
    const file = requestFile(kind, rows);
    if (kind !== 'post') await warmUp(servers, file);
    for (let round = 0; round < rounds; round++) {
      progress(`${kind}, round ${round + 1} of ${rounds}`);
      if (kind === 'post' && round % ROUNDS_PER_PROCESS === 0) {
        await stopAll(servers);
        servers = await startAll(programs.filter((program) => !isFilledBy(kind, program)));
        await warmUp(servers, file);
      }
      for (const server of alternating(servers, round)) {
        const isOther = [...fastify, ...others].some(({ name }) => name === server.name);
        if (isOther && round % ROUNDS_PER_ROUND_OF_OTHERS !== 0) continue;
        const { cpuMicroseconds, busy } = await load(server, file, seconds);
        figures.add(kind, server.name, cpuMicroseconds, round);
        figures.add('busy', server.name, busy);
      }
    }
  }
  await stopAll(servers);
  const busiest = programs.map(({ name }) => figures.of('busy', name));
  return [
    timesBeside(kinds, pairs, figures),
    timesOfOthers(kinds, [...lists, ...others], figures),
    `Servers were at work for ${Math.round(median(busiest) * 100)} % of the time.`,
  ].join('\n\n');
}

async function warmUp(servers: readonly Server[], file: string): Promise<void> {
  for (const server of servers) await load(server, file, WARM_UP_SECONDS);
}

/** Bare `node:http` for each program, with its typical responses. */
async function floorsFor(programs: readonly Program[], rows: readonly Row[]): Promise<Program[]> {
  const floors: Program[] = [];
  const servers = await startAll(programs);
  for (const server of servers) {
    const answers: Record<string, Answer> = {};
    for (const kind of ['get', 'list', 'search'] as const) {
      const { body, fields } = await typicalAnswer(server, pathsOf(requestFile(kind, rows)));
      answers[kind] = { file: scratch(`${server.name}-${kind}.json`, body), fields };
    }
    floors.push(bareNodeHttp(`node:http ${server.name}`, answers));
  }
  await stopAll(servers);
  return floors;
}

/** Some distinct paths of the GET requests of a file. */
function pathsOf(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return [...new Set(lines.map((line) => line.split('\t')[1] ?? ''))].slice(0, SAMPLES);
}

/** Servers that return different rows cannot be compared. */
async function checkAnswers(servers: readonly Server[], rows: readonly Row[]): Promise<void> {
  const compared = servers.filter(({ name }) => !name.startsWith('node:http'));
  const searches = termsFor(rows).map((term) => `?search=${encodeURIComponent(term)}`);
  for (const path of ['', ...searches]) {
    const counts: number[] = [];
    for (const server of compared) counts.push(await countRows(server, path));
    if (new Set(counts).size > 1) throw new Error(`different rows for "${path}": ${counts}`);
  }
}

/** The service's figures, and those of servers with items of both variants, with ratios to them. */
function timesBeside(
  kinds: readonly Kind[],
  pairs: readonly (readonly [title: string, programs: readonly Program[]])[],
  figures: Figures,
): string {
  const lines = kinds.flatMap((kind) =>
    VARIANTS.map((variant, i) => {
      const cells = pairs.map(([, programs]) => {
        const name = programs[i]?.name ?? '';
        return `${beside(figures, kind, name, variant)} (${figures.range(kind, name, variant)})`;
      });
      const target = TARGETS.find((each) => each.kind === kind);
      const other = pairs.find(([title]) => title === target?.beside)?.[1][i]?.name ?? '';
      const isReached = figures.ratio(kind, other, variant) >= (target?.least ?? 0);
      const goal = target ? `${target.beside} ${target.least}: ${verdict(isReached)}` : '';
      return [`${TITLES[kind]}, ${variant}`, digits(figures.of(kind, variant)), ...cells, goal];
    }),
  );
  const titles = pairs.map(([title]) => title);
  return table(['µs of processor time', 'this', ...titles, 'target'], lines);
}

/** The figures of servers with items of variant A, a server in each row. */
function timesOfOthers(
  kinds: readonly Kind[],
  programs: readonly Program[],
  figures: Figures,
): string {
  const lines = programs.map((program) => {
    const { name, prefix } = program;
    const measured = kinds.filter((kind) => !isFilledBy(kind, program));
    const cells = kinds.map((kind) =>
      measured.includes(kind) ? beside(figures, kind, name, VARIANTS[0]) : '–',
    );
    const ratios = measured.map((kind) => figures.ratio(kind, name, VARIANTS[0]));
    const isReached = Math.max(...ratios) <= MOST_AT_NAMED_LIST;
    const goal = `at most ${MOST_AT_NAMED_LIST}×: ${verdict(isReached)}`;
    return [name, ...cells, prefix === undefined ? '' : goal];
  });
  const head = ['µs, beside A', ...kinds.map((kind) => TITLES[kind]), 'target'];
  return table(head, lines);
}

/** Whether requests of a kind fill a list with a name, which has a hundredth of the memory. */
function isFilledBy(kind: Kind, { prefix }: Program): boolean {
  return kind === 'post' && prefix !== undefined;
}

/** The figure of another server, and its ratio to the service's. */
function beside(figures: Figures, kind: Kind, name: string, own: string): string {
  return `${digits(figures.of(kind, name))}, ${figures.ratio(kind, name, own).toFixed(2)}×`;
}
