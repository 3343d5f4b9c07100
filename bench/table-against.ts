/*
 * Compares the table engine of this checkout with those of others, on the same rows. Each operation
 * of each engine runs in a process of its own. Rounds alternate between the engines until the last
 * three agree.
 *
 *     node bench/table-against.ts --others 1.1=/path/to/one,1.2=/path/to/another --sizes 1000,100000
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BULK_WRITES, OPERATIONS } from './against/operations.ts';
import type { Result } from './against/run.ts';
import { needlesMatching } from './lib/needles.ts';
import { randomOf } from './lib/random.ts';
import { machine, progress, publish, table } from './lib/report.ts';
import { rowsOf } from './lib/rows.ts';
import { scratch } from './lib/scratch.ts';
import { alternating, digits, duration, median } from './lib/stats.ts';

const { values: options } = parseArgs({
  options: {
    others: { type: 'string', default: '' },
    sizes: { type: 'string', default: '1000,100000' },
    rounds: { type: 'string', default: '12' },
    only: { type: 'string', default: '' },
    ms: { type: 'string', default: '300' },
    into: { type: 'string' },
  },
});

/** How many rounds must agree, and within which share of the least. */
const AGREEING = 3;
const TOLERANCE = 0.05;

const STATES: readonly (keyof Result)[] = ['cold', 'warm'];

const RUN = fileURLToPath(new URL('against/run.ts', import.meta.url));

interface Candidate {
  readonly name: string;
  readonly source: string;
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'this', source: fileURLToPath(new URL('../src', import.meta.url)) },
  ...options.others
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [name = '', path = ''] = each.split('=');
      return { name, source: `${path}/src` };
    }),
];

const WHATS = [...Object.keys(OPERATIONS), ...BULK_WRITES, 'bytes a row'].filter((what) =>
  what.includes(options.only),
);

const sizes = options.sizes.split(',').map(Number);
const bySize = sizes.map(figuresAt);
const head = sizes.flatMap((size) => [
  `${size.toLocaleString('en-US')} rows`,
  ...CANDIDATES.slice(1).map(({ name }) => `${name} takes`),
  'spread',
]);
const lines = WHATS.map((what, i) => [what, ...bySize.flatMap((figures) => figures[i] ?? [])]);
publish(
  'against',
  `${machine()} Up to ${options.rounds} rounds.\n\n${table(['cold, warm', ...head], lines)}`,
  options.into,
);

/** Returns the figures of each operation for a number of rows. */
function figuresAt(size: number): readonly (readonly string[])[] {
  const rows = rowsOf(size);
  const terms = needlesMatching(rows, { min: 10, max: 50, wanted: 40 });
  const random = randomOf(size);
  const time = (seconds: number) =>
    new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().slice(0, -1);
  const lines = rows.map((row, i) => {
    const times = { ascending: time(i), equal: time(0), random: time(Math.floor(random() * 1e8)) };
    return JSON.stringify({ ...row, ...times });
  });
  const file = scratch(`rows-${size}`, [...lines, JSON.stringify(terms)].join('\n'));
  return WHATS.map((what) => compared(size, file, what));
}

/** Measures an operation of all engines. Returns their figures, and ratios to the first. */
function compared(size: number, file: string, what: string): readonly string[] {
  const results = new Map<string, Result[]>(CANDIDATES.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const { name, source } of alternating(CANDIDATES, round)) {
      progress(`${size} rows, ${what}, round ${round + 1}: ${name}`);
      results.get(name)?.push(measured(source, file, what));
    }
    const all = [...results.values()];
    if (all.every((each) => spreadOf(lastOf(each), 'warm') <= TOLERANCE)) break;
  }
  const figureOf = (name: string, state: keyof Result): number => {
    return median(used(results.get(name) ?? []).map((each) => each[state]));
  };
  const unit = what === 'bytes a row' ? digits : duration;
  const own = STATES.map((state) => unit(figureOf('this', state)));
  const ratios = CANDIDATES.slice(1).map(({ name }) => {
    const times = STATES.map((state) => digits(figureOf(name, state) / figureOf('this', state)));
    return `${times.join(', ')} ×`;
  });
  const spread = Math.max(...[...results.values()].map((each) => spreadOf(used(each), 'warm')));
  return [own.join(', '), ...ratios, `${Math.round(spread * 100)} %`];
}

/** Returns the last rounds if they agree, and all of them if not. */
function used(results: readonly Result[]): readonly Result[] {
  const last = lastOf(results);
  return spreadOf(last, 'warm') <= TOLERANCE ? last : results;
}

function lastOf(results: readonly Result[]): readonly Result[] {
  return results.slice(-AGREEING);
}

/** Returns how far the results are apart, as a share of the least; infinite for too few. */
function spreadOf(results: readonly Result[], state: keyof Result): number {
  if (results.length < AGREEING) return Number.POSITIVE_INFINITY;
  const figures = results.map((each) => each[state]);
  return Math.max(...figures) / Math.min(...figures) - 1;
}

function measured(source: string, file: string, what: string): Result {
  const args = [
    '--expose-gc',
    '--max-old-space-size=12000',
    '--disable-warning=ExperimentalWarning',
  ];
  const output = execFileSync(process.execPath, [...args, RUN, source, file, what, options.ms]);
  const { cold, warm }: Record<keyof Result, number | null> = JSON.parse(output.toString());
  return { cold: cold ?? Number.NaN, warm: warm ?? Number.NaN };
}
