import { countRows, typicalAnswer } from '../lib/ask.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { type Row, rowsOf } from '../lib/rows.ts';
import { seed } from '../lib/seed.ts';
import { Server } from '../lib/server.ts';
import { alternating, digits, median } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';
import { load } from '../lib/wrk.ts';
import { OTHERS } from './others.ts';
import { BEFORE, floorOf, OURS, startWithRows } from './programs.ts';
import { type Kind, needlesFor, requestFile, TITLES } from './requests.ts';

const ROWS = 1000;

/**
 * The least ratio of another server's processor time for a request to the service's, by kind of
 * request. Only the last kind changes the number of rows.
 */
const TARGETS: readonly Target[] = [
  { kind: 'get', beside: 'floor', least: 0.97 },
  { kind: 'list', beside: 'floor', least: 1, noise: 0.1 },
  { kind: 'search', beside: 'before', least: 1 },
  { kind: 'put', beside: 'Fastify', least: 1.03 },
  { kind: 'post', beside: 'Fastify', least: 1.03 },
];

/** Processor times of two equal builds differ by this share, those of long responses by `noise`. */
const NOISE = 0.02;

const COMPARED = ['floor', 'before', 'Fastify'] as const;

interface Target {
  readonly kind: Kind;
  readonly beside: (typeof COMPARED)[number];
  readonly least: number;
  readonly noise?: number;
}

export const RATE_KINDS: readonly Kind[] = TARGETS.map(({ kind }) => kind);

/**
 * Requests per second of each kind for every server, and the ratio to a floor in the same round.
 * Like the other servers, floors first serve all kinds, and are idle for the same time. This
 * matters because V8 makes faster code for one kind of request than for several, and drops code of
 * an idle process. Each round starts new processes, because two processes of the same program
 * differ by some per cent for as long as they run.
 */
export async function rates(
  kinds: readonly Kind[],
  rounds: number,
  seconds: number,
): Promise<string> {
  const rows = rowsOf(ROWS);
  const files = new Map(kinds.map((kind) => [kind, requestFile(kind, rows)]));
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    progress(`round ${round + 1} of ${rounds}`);
    const servers = await startWithRows([...OURS, ...BEFORE, ...OTHERS], ROWS);
    if (round === 0) await checkAnswers(servers, rows);
    const floors = new Map<Kind, readonly Server[]>();
    for (const [kind, file] of files) {
      const sample = kind === 'put' || kind === 'post' ? requestFile('get', rows) : file;
      floors.set(kind, await startFloors(servers.slice(0, OURS.length), sample));
    }
    const all = [...servers, ...[...floors.values()].flat()];
    for (const [kind, file] of files) {
      // The last kind adds rows, so it comes only right before it is timed.
      if (kind === 'post') continue;
      for (const server of all) await load(server, file, server.warmUpSeconds);
    }
    for (const [kind, file] of files) {
      // Each variant next to its floor, whose responses have the same size.
      const pairs = (floors.get(kind) ?? []).flatMap((floor, i) => [
        floor,
        ...servers.slice(i, i + 1),
      ]);
      const timed = [...pairs, ...servers.slice(OURS.length)];
      for (const server of alternating(timed, round)) {
        // Again, because V8 drops optimized code of a process that was idle.
        await load(server, file, SECONDS_TO_SPEED);
        const { perSecond, cpuMicroseconds, busy } = await load(server, file, seconds);
        progress(`${kind}: ${server.name}, ${digits(perSecond)}/s`);
        figures.add(kind, server.name, perSecond);
        figures.add(`${kind} cpu`, server.name, cpuMicroseconds);
        figures.add(`${kind} busy`, server.name, busy);
      }
    }
    for (const server of all) await server.stop();
  }
  const names = [
    ...OURS.flatMap(({ name }) => [floorName(name), name]),
    ...[...BEFORE, ...OTHERS].map((program) => program.name),
  ];
  return [
    targets(kinds, figures),
    processorTimes(kinds, figures, names),
    perSecond(kinds, figures, names),
  ].join('\n\n');
}

/** Starts a floor for each variant, with the variant's response. */
async function startFloors(variants: readonly Server[], sample: string): Promise<Server[]> {
  const floors: Server[] = [];
  for (const variant of variants) {
    const answer = await typicalAnswer(variant, sample);
    const floor = await Server.start(floorOf(floorName(variant.name), answer));
    await seed(floor, 1, ROWS);
    floors.push(floor);
  }
  return floors;
}

function floorName(variant: string): string {
  return `floor for ${variant}`;
}

/** Servers that return different rows cannot be compared. */
async function checkAnswers(servers: readonly Server[], rows: readonly Row[]): Promise<void> {
  const needles = needlesFor(rows);
  for (const target of ['', ...needles.map((needle) => `?search=${encodeURIComponent(needle)}`)]) {
    const counts: number[] = [];
    for (const server of servers) counts.push(await countRows(server, `/api/todos${target}`));
    if (new Set(counts).size > 1) throw new Error(`different rows for "${target}": ${counts}`);
  }
}

/**
 * The ratios of each variant to its floor, to the earlier build and to Fastify with the same items.
 * Processor time is what is judged: the rates of two equal builds differ by a tenth.
 */
function targets(kinds: readonly Kind[], figures: Figures): string {
  const lines: string[][] = [];
  for (const { kind, beside, least, noise = NOISE } of TARGETS) {
    if (!kinds.includes(kind)) continue;
    for (const { name } of OURS) {
      const others = {
        floor: floorName(name),
        before: `${name} before`,
        Fastify: `Fastify, ${name}`,
      };
      for (const what of COMPARED) {
        const ratio = figures.ratio(`${kind} cpu`, others[what], name);
        if (Number.isNaN(ratio)) continue;
        const range = figures.ratioRange(`${kind} cpu`, others[what], name);
        const isTarget = what === beside;
        lines.push([
          `${TITLES[kind]}, ${name}`,
          what === 'floor' ? 'node:http' : what,
          `${ratio.toFixed(3)} (${range.map((end) => end.toFixed(2)).join('–')})`,
          figures.ratio(kind, name, others[what]).toFixed(2),
          isTarget ? least.toFixed(2) : '',
          isTarget ? verdict(ratio >= least * (1 - noise)) : '',
        ]);
      }
    }
  }
  return table(
    ['1,000 rows', 'beside', 'by processor time (lowest–highest)', 'by rate', 'target', ''],
    lines,
  );
}

/** The processor time of a request, in microseconds, including the work after the response. */
function processorTimes(
  kinds: readonly Kind[],
  figures: Figures,
  names: readonly string[],
): string {
  return table(
    ['µs of processor time', ...kinds.map((kind) => TITLES[kind])],
    names.map((name) => [name, ...kinds.map((kind) => digits(figures.of(`${kind} cpu`, name)))]),
  );
}

/** A program with a long warm-up also has its best round, in brackets. */
function perSecond(kinds: readonly Kind[], figures: Figures, names: readonly string[]): string {
  const warmed = new Set(OTHERS.filter((other) => other.warmUpSeconds).map(({ name }) => name));
  const rate = (kind: Kind, name: string) => {
    const typical = digits(figures.of(kind, name));
    return warmed.has(name) ? `${typical} (${digits(figures.best(kind, name))})` : typical;
  };
  const busy = kinds.map((kind) => median(names.map((name) => figures.of(`${kind} busy`, name))));
  return table(
    ['requests a second', ...kinds.map((kind) => TITLES[kind])],
    [
      ...names.map((name) => [name, ...kinds.map((kind) => rate(kind, name))]),
      ['server at work', ...busy.map((share) => `${Math.round(share * 100)} %`)],
    ],
  );
}
