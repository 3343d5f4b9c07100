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
 * The least ratio to another server, by kind of request and variant. Only the last kind changes the
 * number of rows.
 */
const TARGETS: readonly Target[] = [
  { kind: 'get', least: { floor: [0.97, 0.97], before: [0.98, 0.98] } },
  { kind: 'list', least: { floor: [1, 1] } },
  { kind: 'search', least: { before: [1, 1] } },
  { kind: 'put', least: { Fastify: [1.03, 1] } },
  { kind: 'post', least: { Fastify: [1.03, 0.97] } },
];

/** A result this share below its target counts as reached, because rounds differ by more. */
const TOLERANCE = 0.02;

interface Target {
  readonly kind: Kind;
  /** The ratios to the floor, an earlier build or a peer; for variants A and B. */
  readonly least: Readonly<Partial<Record<'floor' | 'before' | 'Fastify', readonly number[]>>>;
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
  return `${targets(kinds, figures)}\n\n${perSecond(kinds, figures)}`;
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

/** The ratios of each variant to its floor, to the earlier build and to Fastify, beside the targets. */
function targets(kinds: readonly Kind[], figures: Figures): string {
  const lines: string[][] = [];
  for (const { kind, least } of TARGETS.filter((target) => kinds.includes(target.kind))) {
    for (const [at, { name }] of OURS.entries()) {
      const others = { floor: floorName(name), before: `${name} before`, Fastify: 'Fastify' };
      for (const what of ['floor', 'before', 'Fastify'] as const) {
        const other = others[what];
        const target = least[what]?.[at];
        const ratio = figures.ratio(kind, name, other);
        if (Number.isNaN(ratio)) continue;
        const range = figures.ratioRange(kind, name, other).map((end) => end.toFixed(2));
        lines.push([
          `${TITLES[kind]}, ${name}`,
          what === 'floor' ? 'node:http' : what,
          `${ratio.toFixed(2)} (${range.join('–')})`,
          figures.ratio(`${kind} cpu`, other, name).toFixed(2),
          target === undefined ? '' : `${target}`,
          target === undefined ? '' : verdict(ratio >= target * (1 - TOLERANCE)),
        ]);
      }
    }
  }
  return table(
    ['1,000 rows', 'beside', 'rate (lowest–highest)', 'by processor time', 'target', ''],
    lines,
  );
}

/** A program with a long warm-up also has its best round, in brackets. */
function perSecond(kinds: readonly Kind[], figures: Figures): string {
  const warmed = new Set(OTHERS.filter((other) => other.warmUpSeconds).map(({ name }) => name));
  const names = [
    ...OURS.flatMap(({ name }) => [floorName(name), name]),
    ...[...BEFORE, ...OTHERS].map((program) => program.name),
  ];
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
