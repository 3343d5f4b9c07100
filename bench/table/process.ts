/*
 * The process of an engine: fills a table, and then measures each operation that its parent names.
 * Arguments: the folder of a version, or `sqlite`; and a file of rows and search terms.
 */
import { readFileSync } from 'node:fs';
import type { Engine, Values } from './engine.ts';
import {
  INSERT,
  type Input,
  type Order,
  READS,
  type Report,
  UPDATE_ALL,
  updateAll,
  WRITES,
} from './operations.ts';
import { OwnEngine } from './own-engine.ts';
import { Sqlite } from './sqlite.ts';

const [engine = '', file = ''] = process.argv.slice(2);
const create = await (engine === 'sqlite' ? Sqlite.load() : OwnEngine.load(engine));
const lines = readFileSync(file, 'utf8').split('\n');
const terms: readonly string[] = JSON.parse(lines.pop() ?? '[]');
// Parsed row by row, as from requests, because V8 compares slices of a larger text more slowly.
const input: Input = { values: lines.map((line): Values => JSON.parse(line)), terms };

const before = memory();
const table = filled();
// Versions up to 4.1 make an index of texts.
table.search('nowhere');
const bytes = (memory() - before) / input.values.length;
const calls = new Map<string, number>();
process.on('message', (order: Order) => report(measured(order)));
report(engine === 'sqlite' ? null : bytes);

function measured({ what, ms }: Order): number | null {
  if (what === UPDATE_ALL) {
    updateAll(table, input);
    return null;
  }
  if (what === INSERT) return repeated(() => void filled(), ms, what) / input.values.length;
  const operation = READS[what] ?? WRITES[what];
  if (!operation) throw new Error(`there is no operation "${what}"`);
  if (what.endsWith('under an open list') && !table.setFlagUnderList) return null;
  return repeated((i) => operation(table, input, i), ms, what);
}

/** Repeats a call, in batches that take a millisecond, because the time between calls costs too. */
function repeated(call: (i: number) => void, ms: number, what: string): number {
  let i = calls.get(what) ?? 0;
  const [first, begin, cpu] = [i, performance.now(), process.cpuUsage()];
  for (let batch = 1, elapsed = 0; elapsed < ms; elapsed = performance.now() - begin) {
    for (const end = i + batch; i < end; i++) call(i);
    if (elapsed < 1) batch *= 2;
  }
  const { user, system } = process.cpuUsage(cpu);
  calls.set(what, i);
  return (user + system) / (i - first);
}

function filled(): Engine {
  const made = create();
  for (const values of input.values) made.insert(values);
  return made;
}

/** The bytes in use, which leave out the texts of the rows: `input` has them as well. */
function memory(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function report(figure: number | null): void {
  process.send?.({ figure } satisfies Report);
}
