import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Version } from '../lib/commit.ts';
import { Figures } from '../lib/figures.ts';
import { needlesMatching } from '../lib/needles.ts';
import { randomOf } from '../lib/random.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';
import { alternating, digits, duration } from '../lib/stats.ts';
import { INSERT, type Order, READS, type Report, UPDATE_ALL, WRITES } from './operations.ts';

const PROCESS = fileURLToPath(new URL('process.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const OWN = 'this';
const BYTES = 'bytes a row, without texts';
/** Added to the names of reads that follow an update of each row. */
const UPDATED = ', each row updated';

export interface TableOptions {
  readonly versions: readonly Version[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** The time of a measurement in milliseconds. */
  readonly ms: number;
  /** A part of the names of the operations to measure. */
  readonly only: string;
}

/**
 * Compares the table engine of this checkout with those of other versions, and with SQLite. Each
 * engine has a process, and all are there at the same time. In a round, each repeats an operation
 * for a moment, one after the other.
 */
export async function tableReport(options: TableOptions): Promise<string> {
  const engines = new Map([[OWN, ROOT]]);
  for (const { name, folder } of options.versions) engines.set(name, folder);
  if (isBuiltin('node:sqlite')) engines.set('SQLite', 'sqlite');
  const columns: (readonly string[])[] = [];
  const isWanted = (what: string) => what.includes(options.only);
  const wanted = {
    reads: Object.keys(READS).filter(isWanted),
    writes: [...Object.keys(WRITES), INSERT].filter(isWanted),
  };
  const names = [...engines.keys()];
  const whats = [...wanted.reads, ...wanted.writes, BYTES];
  for (const size of options.sizes) {
    const figures = await measuredAt(size, engines, wanted, options);
    for (const name of names) {
      columns.push(whats.map((what) => cell(figures, what, name)));
    }
  }
  const heads = options.sizes.flatMap((size) => [
    `${size.toLocaleString('en-US')} rows`,
    ...names.slice(1),
  ]);
  const lines = whats.map((what, i) => [what, ...columns.map((column) => column[i] ?? '')]);
  return table(['', ...heads], lines);
}

/** An engine that runs. */
interface Running {
  readonly name: string;
  readonly child: ChildProcess;
}

async function measuredAt(
  size: number,
  engines: ReadonlyMap<string, string>,
  { reads, writes }: { readonly reads: readonly string[]; readonly writes: readonly string[] },
  options: TableOptions,
): Promise<Figures> {
  const figures = new Figures();
  const file = inputFile(size);
  const running: Running[] = [];
  for (const [name, engine] of engines) {
    const execArgv = [...process.execArgv, '--expose-gc', '--disable-warning=ExperimentalWarning'];
    const child = fork(PROCESS, [engine, file], { execArgv });
    running.push({ name, child });
    figures.add(BYTES, name, await reportOf(child));
  }
  for (const what of reads) await measure(what, what, running, options, figures);
  for (const what of writes) await measure(what, what, running, options, figures);
  for (const { child } of running) await order(child, { what: UPDATE_ALL, ms: 0 });
  for (const what of reads) await measure(what, what + UPDATED, running, options, figures);
  for (const { child } of running) child.disconnect();
  return figures;
}

/** Repeats an operation in all processes, first until V8 has optimized it, and then in rounds. */
async function measure(
  what: string,
  name: string,
  running: readonly Running[],
  { rounds, ms }: TableOptions,
  figures: Figures,
): Promise<void> {
  progress(name);
  for (const { child } of running) await order(child, { what, ms: 2 * ms });
  for (let round = 0; round < rounds; round++) {
    for (const { name: engine, child } of alternating(running, round)) {
      figures.add(name, engine, await order(child, { what, ms }));
    }
  }
}

function order(child: ChildProcess, order: Order): Promise<number> {
  child.send(order);
  return reportOf(child);
}

async function reportOf(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process of an engine has ended');
  });
  const message = once(child, 'message').then(([report]: Report[]) => report?.figure);
  return (await Promise.race([message, ended])) ?? Number.NaN;
}

/** The figure of this engine, or the ratio of another's to it; reads have two. */
function cell(figures: Figures, what: string, name: string): string {
  const each = what in READS ? [what, what + UPDATED] : [what];
  if (name === OWN) {
    const text = what === BYTES ? digits : duration;
    return each.map((key) => text(figures.of(key, name))).join(', ');
  }
  const ratios = each.map((key) => digits(figures.ratio(key, name, OWN)));
  return ratios.includes('–') ? '–' : `${ratios.join(', ')}×`;
}

/** Writes the rows of a size and terms that some of them contain, one JSON text a line. */
function inputFile(size: number): string {
  const rows = rowsOf(size);
  const terms = needlesMatching(rows, { min: 10, max: 50, wanted: 40 });
  const random = randomOf(size);
  const time = (seconds: number) =>
    new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().slice(0, -1);
  const lines = rows.map((row, i) => {
    const times = { ascending: time(i), equal: time(0), random: time(Math.floor(random() * 1e8)) };
    return JSON.stringify({ ...row, ...times });
  });
  return scratch(`rows-${size}`, [...lines, JSON.stringify(terms)].join('\n'));
}
