/*
 * Measures one operation of one engine, in a process that does nothing else. Prints a `Result` as
 * JSON. Arguments: the `src` folder of the engine, the file of rows and search terms, the
 * operation, and the milliseconds to measure.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Table } from '../../src/lib/table/table.ts';
import {
  BULK_WRITES,
  bulkUpdate,
  type Engine,
  type Input,
  OPERATIONS,
  SCHEMA,
  type Values,
} from './operations.ts';

/**
 * Microseconds of processor time an operation, with V8's helper threads: of the first ones in a new
 * process, and after a warm-up. Processor time, unlike elapsed time, hardly depends on the load.
 */
export interface Result {
  readonly cold: number;
  readonly warm: number;
}

/** The number of operations that count as cold, unless they take longer than the limit. */
const COLD = 1000;
const COLD_LIMIT_MS = 1000;

const [source = '', file = '', what = '', ms = '0'] = process.argv.slice(2);
const folder = ['lib/table', 'table'].find((each) => existsSync(`${source}/${each}/table.ts`));
const module: { readonly Table: typeof Table } = await import(`${source}/${folder}/table.ts`);

const lines = readFileSync(file, 'utf8').split('\n');
const terms: readonly string[] = JSON.parse(lines.pop() ?? '');
// Parsed row by row, as from requests: V8 compares slices of a larger text more slowly.
const values = lines.map((line): Values => JSON.parse(line));
const input: Input = { values, terms };

process.stdout.write(JSON.stringify(await measured()));

async function measured(): Promise<Result> {
  if (what === 'bytes a row') return { cold: Number.NaN, warm: bytesOfRow() };
  const engine = filled();
  const part = BULK_WRITES.indexOf(what);
  if (part >= 0)
    return { cold: (bulkUpdate(engine)[part] ?? Number.NaN) * 1000, warm: warmBulk(part) };
  const run = OPERATIONS[what]?.(input);
  if (!run) throw new Error(`there is no operation "${what}"`);
  globalThis.gc?.();
  let done = 0;
  const repeat = (limit: number, most = Number.POSITIVE_INFINITY): number => {
    const begin = performance.now();
    const first = done;
    const before = process.cpuUsage();
    do run(engine, done++);
    while (performance.now() - begin <= limit && done - first < most);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / (done - first);
  };
  const cold = repeat(COLD_LIMIT_MS, COLD);
  repeat(Number(ms) * 2);
  return { cold, warm: repeat(Number(ms)) };
}

/** Returns the best of several bulk writes, each on a new table. */
function warmBulk(part: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const engine = filled();
    globalThis.gc?.();
    best = Math.min(best, bulkUpdate(engine)[part] ?? Number.NaN);
  }
  return best * 1000;
}

function filled(): Engine {
  const engine = new module.Table(SCHEMA);
  for (const row of values) engine.insert(row);
  return engine;
}

/** Returns the bytes that a table takes for each row, without the texts of the rows. */
function bytesOfRow(): number {
  const before = memory();
  const engine = filled();
  const bytes = (memory() - before) / values.length;
  if (engine.count() !== values.length) throw new Error('rows are missing');
  return bytes;
}

function memory(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
