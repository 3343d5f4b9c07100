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
  { kind: 'get', beside: 'node:http', least: 0.97 },
  { kind: 'list', beside: 'node:http', least: 1, noise: 0.1 },
  { kind: 'search', beside: 'before', least: 1 },
  { kind: 'put', beside: 'Fastify', least: 1.03 },
  { kind: 'post', beside: 'Fastify', least: 1.03 },
];

/** Processor times of two equal builds differ by this share, those of long responses by `noise`. */
const NOISE = 0.02;

interface Target {
  readonly kind: Kind;
  /** The title of a comparison. */
  readonly beside: string;
  readonly least: number;
  readonly noise?: number;
}

/** A server to compare with, and its name in the figures beside each variant. */
interface Comparison {
  readonly title: string;
  readonly names: readonly (string | undefined)[];
}

const COMPARISONS: readonly Comparison[] = [
  { title: 'node:http', names: OURS.map(({ name }) => floorName(name)) },
  ...(BEFORE.length > 0 ? [{ title: 'before', names: BEFORE.map(({ name }) => name) }] : []),
  ...comparisonsWith(OTHERS.map(({ name }) => name)),
];

/** Comparisons with the items of each variant, and those with the items of the first one alone. */
const OF_BOTH_VARIANTS = COMPARISONS.filter(({ names }) => names.length === OURS.length);
const OF_ONE_VARIANT = COMPARISONS.filter(({ names }) => names.length < OURS.length);

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
  const tables = [times(kinds, figures)];
  if (OF_ONE_VARIANT.length > 0) tables.push(timesOfOneVariant(kinds, figures));
  return [...tables, busy(kinds, figures)].join('\n\n');
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

/** Peers by title. A peer without a variant in its name has the items of the first one. */
function comparisonsWith(names: readonly string[]): readonly Comparison[] {
  const endings = OURS.map(({ name }) => `, ${name}`);
  const titles = new Set(names.map((name) => endings.reduce((n, end) => n.replace(end, ''), name)));
  return [...titles].map((title) => ({
    title,
    names: names.includes(title) ? [title] : endings.map((ending) => title + ending),
  }));
}

/**
 * The processor time of a request in microseconds, including the work after the response, and for
 * other servers its ratio to the service's. It is judged instead of the rate, because the rates of
 * two equal builds differ by a tenth.
 */
function times(kinds: readonly Kind[], figures: Figures): string {
  const lines = TARGETS.filter(({ kind }) => kinds.includes(kind)).flatMap((target) =>
    OURS.map(({ name }, variant) => {
      const what = `${target.kind} cpu`;
      const others = OF_BOTH_VARIANTS.map(({ names }) => {
        const other = names[variant];
        if (other === undefined) return '';
        const range = figures.ratioRange(what, other, name).map((end) => end.toFixed(2));
        return `${timeBeside(figures, what, other, name)} (${range.join('–')})`;
      });
      const own = digits(figures.of(what, name));
      return [`${TITLES[target.kind]}, ${name}`, own, ...others, judged(target, variant, figures)];
    }),
  );
  const titles = OF_BOTH_VARIANTS.map(({ title }) => title);
  return table(['µs of processor time', 'this', ...titles, 'target'], lines);
}

/** The same of peers that have the items of the first variant alone, a peer in each row. */
function timesOfOneVariant(kinds: readonly Kind[], figures: Figures): string {
  const own = OURS[0]?.name ?? '';
  const lines = OF_ONE_VARIANT.map(({ title, names: [other = ''] }) => [
    title,
    ...kinds.map((kind) => timeBeside(figures, `${kind} cpu`, other, own)),
  ]);
  return table(['µs of processor time', ...kinds.map((kind) => TITLES[kind])], lines);
}

/** The figure of another server, and its ratio to the service's. */
function timeBeside(figures: Figures, what: string, other: string, own: string): string {
  return `${digits(figures.of(what, other))}, ${figures.ratio(what, other, own).toFixed(2)} ×`;
}

/** A target, and whether a variant reaches it; empty if the other server was not measured. */
function judged(target: Target, variant: number, figures: Figures): string {
  const { kind, beside, least, noise = NOISE } = target;
  const other = COMPARISONS.find(({ title }) => title === beside)?.names[variant];
  const name = OURS[variant]?.name;
  if (other === undefined || name === undefined) return '';
  const ratio = figures.ratio(`${kind} cpu`, other, name);
  return `${beside} ${least.toFixed(2)}: ${verdict(ratio >= least * (1 - noise))}`;
}

/** A server that is not always at work waits for the load generator. */
function busy(kinds: readonly Kind[], figures: Figures): string {
  const names = [OURS.map(({ name }) => name), ...COMPARISONS.map(({ names }) => names)].flat();
  const shares = kinds.map((kind) =>
    median(names.flatMap((name) => (name ? figures.of(`${kind} busy`, name) : []))),
  );
  return `Servers were at work for ${Math.round(Math.min(...shares) * 100)} % of the time or more.`;
}
