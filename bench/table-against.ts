/*
 * Compares the table engine of this checkout with that of another one, on the same rows, in one
 * process:
 *
 *     npm run bench:against -- --other /path/to/another/checkout --sizes 1000,100000
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Condition } from '../src/lib/table/condition/condition.ts';
import { Table } from '../src/lib/table/table.ts';
import { Figures } from './lib/figures.ts';
import { needlesMatching } from './lib/needles.ts';
import { randomOf } from './lib/random.ts';
import { machine, progress, publish, table } from './lib/report.ts';
import { rowsOf } from './lib/rows.ts';
import { alternating, digits, duration } from './lib/stats.ts';

const { values: options } = parseArgs({
  options: {
    other: { type: 'string', default: '.' },
    sizes: { type: 'string', default: '1000,100000,1000000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    ms: { type: 'string', default: '250' },
    into: { type: 'string' },
  },
});

const SCHEMA = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', maxLength: 200, index: 'substring' },
  description: { kind: 'text', maxLength: 1000, index: 'substring' },
  completed: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'bitmap' },
  ascending: { kind: 'timestamp', index: 'ordered' },
  equal: { kind: 'timestamp', index: 'ordered' },
  random: { kind: 'timestamp', index: 'ordered' },
} as const;

type Engine = Table<typeof SCHEMA>;
type Values = Parameters<Engine['insert']>[0];

/** Timers that the other engine would use are collected here, and their work counts as well. */
const waiting: (() => void)[] = [];

function work(): void {
  for (let task = waiting.shift(); task; task = waiting.shift()) task();
}

type TableModule = { readonly Table: typeof Table };

const otherSource = ['lib/table', 'table'].find((room) =>
  existsSync(`${options.other}/src/${room}`),
);
const { Table: Other }: TableModule = await import(`${options.other}/src/${otherSource}/table.ts`);
/** Takes 1.0's background work, which a table without it ignores. */
const engineOptions: object = { schedule: (task: () => void) => waiting.push(task) };
const MAKERS: Readonly<Record<string, () => Engine>> = {
  ours: () => new Table(SCHEMA, engineOptions),
  other: () => new Other(SCHEMA, engineOptions),
};
const NAMES = Object.keys(MAKERS);

const done: Condition = { op: 'eq', column: 'completed', value: true };
const urgent: Condition = { op: 'gte', column: 'priority', value: 4 };

function containing(value: string): Condition {
  const columns = ['title', 'description'];
  return {
    op: 'or',
    conditions: columns.map((column) => ({ op: 'containsIgnoreCase', column, value })),
  };
}

const bySize = new Map<number, Figures>();
for (const size of options.sizes.split(',').map(Number)) bySize.set(size, compare(size));
const sections = [...bySize].map(([size, figures]) => section(size, figures));
publish('bench:against', [machine(), ...sections].join('\n\n'), options.into);

function compare(size: number): Figures {
  const figures = new Figures();
  const rounds = Number(options.rounds);
  const values = valuesOf(size);
  const needles = needlesMatching(rowsOf(size), { min: 10, max: 50, wanted: 40 });
  const isWanted = (what: string) => what.includes(options.only);
  if (isWanted('insert') || isWanted('remove')) {
    /** V8 forgets what it knows of a class with its last instance. */
    const kept = new Map<string, Engine>();
    for (let round = 0; round < (size < 1e6 ? rounds + 2 : 2); round++) {
      for (const name of alternating(NAMES, round)) {
        progress(`${size} rows, insert and remove, round ${round}: ${name}`);
        globalThis.gc?.();
        const engine = MAKERS[name]?.();
        if (!engine) continue;
        kept.set(name, engine);
        const inserting = timed(() => fill(engine, values));
        const removing = timed(() => {
          engine.remove([
            { op: 'lt', column: 'priority', value: 3 },
            { op: 'not', condition: done },
          ]);
          work();
        });
        if (round < 2 && size < 1e6) continue;
        figures.add('insert', name, inserting / size);
        figures.add('remove two sevenths', name, removing);
      }
    }
  }
  const engines = NAMES.map((name) => {
    progress(`${size} rows, filling: ${name}`);
    const engine = MAKERS[name]?.() ?? new Table(SCHEMA);
    fill(engine, values);
    return { name, engine };
  });
  for (const [what, run] of Object.entries(operations(size, needles))) {
    if (!isWanted(what)) continue;
    for (const { engine } of engines) repeat(engine, run, 400);
    const counts = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      for (const { name, engine } of alternating(engines, round)) {
        const { count, ms } = repeat(engine, run, Number(options.ms));
        counts.set(name, count);
        figures.add(what, name, (ms * 1000) / count);
      }
    }
    progress(`${size} rows, ${what}: ${digits(figures.ratio(what, 'other', 'ours'))}`);
  }
  return figures;
}

type Operation = (engine: Engine, i: number) => void;

function operations(size: number, needles: readonly string[]): Readonly<Record<string, Operation>> {
  const needle = (i: number) => needles[i % needles.length] ?? '';
  const anyId = (i: number) => 1 + ((i * 7919) % size);
  const first = (column: keyof typeof SCHEMA, offset = 0): Operation => {
    return (engine) => engine.search([], { orderBy: [{ column }], limit: 20, offset });
  };
  const newest = { orderBy: [{ column: 'id', direction: 'desc' }], limit: 20 } as const;
  return {
    'get by id': (engine, i) => engine.get(anyId(i)),
    'search, 10 to 50 rows match': (engine, i) => engine.search([containing(needle(i))]),
    'search, a text that is nowhere': (engine, i) => engine.search([containing(`zqxv${i % 7}`)]),
    'a filter and a search': (engine, i) => engine.search([done, containing(needle(i))]),
    'search, one or two letters': (engine, i) =>
      engine.search([containing(['zq', 'mi', 'xj', 'z'][i % 4] ?? '')]),
    'search, most rows match': (engine) => engine.search([containing('e')]),
    'count of a filter': (engine) => engine.count([done, urgent]),
    'newest 20 of a filter': (engine) => engine.search([done], newest),
    'first 20 of a filter, by priority': (engine) =>
      engine.search([done], { orderBy: [{ column: 'priority' }], limit: 20 }),
    'first 20 by time, all equal': first('equal'),
    'first 20 by time, random': first('random'),
    'first 20 by time, ascending': first('ascending'),
    'newest 20 by time, ascending': (engine) =>
      engine.search([], { orderBy: [{ column: 'ascending', direction: 'desc' }], limit: 20 }),
    '20 by time, all equal, after half of the rows': first('equal', size / 2),
    '20 by time, ascending, after half of the rows': first('ascending', size / 2),
    'update of a flag': (engine, i) => engine.update(anyId(i), { completed: i % 2 === 0 }),
    'update of a text': (engine, i) => engine.update(anyId(i), { title: `Changed to ${i}` }),
    'update of a text, then a search': (engine, i) => {
      engine.update(anyId(i), { title: `Changed to ${i}` });
      engine.search([containing(needle(i))]);
    },
  };
}

/** Repeats an operation for some milliseconds. */
function repeat(engine: Engine, run: Operation, atLeast: number) {
  let count = 0;
  const start = performance.now();
  let ms = 0;
  while (ms < atLeast) {
    run(engine, count++);
    if (count % 16 === 0 || ms > 1) work();
    ms = performance.now() - start;
  }
  work();
  return { count, ms: performance.now() - start };
}

function fill(engine: Engine, values: readonly Values[]): void {
  for (const row of values) engine.insert(row);
  work();
}

/** Times something, in microseconds. */
function timed(run: () => void): number {
  const start = performance.now();
  run();
  return (performance.now() - start) * 1000;
}

function valuesOf(size: number): readonly Values[] {
  const random = randomOf(size);
  const time = (seconds: number) =>
    new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().slice(0, -1);
  return rowsOf(size).map((row, i) => {
    const times = { ascending: time(i), equal: time(0), random: time(Math.floor(random() * 1e8)) };
    // As from a request: texts that are no slices of others, which V8 compares more slowly.
    return JSON.parse(JSON.stringify({ ...row, ...times }));
  });
}

function section(size: number, figures: Figures): string {
  const whats = ['insert', 'remove two sevenths', ...Object.keys(operations(size, ['']))];
  const rows = whats
    .filter((what) => Number.isFinite(figures.of(what, 'ours')))
    .map((what) => [
      what,
      ...NAMES.map((name) => duration(figures.of(what, name))),
      `${digits(figures.ratio(what, 'other', 'ours'))} ×`,
    ]);
  return table([`${size.toLocaleString('en-US')} rows`, ...NAMES, 'as fast'], rows);
}
