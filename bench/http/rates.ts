import { countRows, typicalAnswer } from '../lib/ask.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { type Row, rowsOf } from '../lib/rows.ts';
import { seed } from '../lib/seed.ts';
import { Server } from '../lib/server.ts';
import { alternating, digits, median } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';
import { load } from '../lib/wrk.ts';
import { BEFORE, floorOf, OTHERS, OURS, startWithRows } from './programs.ts';
import { type Kind, needlesFor, requestFile, TITLES } from './requests.ts';

const ROWS = 1000;

/** Only the last of these kinds changes the number of rows. */
const TARGETS = [
  { kind: 'get', floor: 0.92 },
  { kind: 'list', floor: 1 },
  { kind: 'search', floor: 0.5 },
  { kind: 'put', floor: 0.72 },
  { kind: 'post', floor: 0.72 },
] as const;

export const RATE_KINDS: readonly Kind[] = TARGETS.map(({ kind }) => kind);

/**
 * Requests per second of each kind for every server, and the ratio to a floor in the same round.
 * Floors have served all kinds before, like the other servers, and have been idle for as long: V8
 * makes code for one kind of requests faster than code for several, and tidies up when idle. Each
 * round starts new processes, because two processes of the same program differ by some per cent for
 * as long as they run.
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
        // V8 tidies the heap of an idle process, and drops code that it has optimized.
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

function targets(kinds: readonly Kind[], figures: Figures): string {
  const lines: string[][] = [];
  for (const { kind, floor } of TARGETS) {
    if (!kinds.includes(kind)) continue;
    for (const { name } of OURS) {
      const ratio = figures.ratio(kind, name, floorName(name));
      const range = figures.ratioRange(kind, name, floorName(name)).map((end) => end.toFixed(2));
      lines.push([
        TITLES[kind],
        name,
        `${floor} of node:http`,
        `${ratio.toFixed(2)} (${range.join('–')})`,
        figures.ratio(`${kind} cpu`, floorName(name), name).toFixed(2),
        verdict(ratio >= floor),
      ]);
      const leads = OTHERS.map((other) => ({
        name: other.name,
        lead: figures.ratio(kind, name, other.name),
      }));
      const best = leads.reduce((a, b) => (b.lead < a.lead ? b : a));
      lines.push([
        '',
        name,
        'ahead of the best peer',
        `${digits(best.lead)} × ${best.name}`,
        '',
        verdict(best.lead >= 1),
      ]);
      for (const before of BEFORE) {
        if (before.name !== `${name} before`) continue;
        lines.push([
          '',
          name,
          'against the build before',
          digits(figures.ratio(kind, name, before.name)),
          figures.ratio(`${kind} cpu`, before.name, name).toFixed(2),
          '',
        ]);
      }
    }
  }
  return table(
    ['1,000 rows', 'service', 'target', 'measured (lowest–highest)', 'by processor time', ''],
    lines,
  );
}

/** A program that takes long to get to speed also has its best round, in brackets. */
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
