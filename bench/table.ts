/*
 * Compares the table engine with other embedded engines. README.md explains the comparison.
 */
import { parseArgs } from 'node:util';
import { ALASQL, FTS5, LIKE, LOKI, OURS } from './engines/all.ts';
import { Figures } from './lib/figures.ts';
import { requirePeers } from './lib/peers.ts';
import { machine, publish, table, verdict } from './lib/report.ts';
import { digits, duration } from './lib/stats.ts';
import { type Candidate, measure } from './table/measure.ts';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    into: { type: 'string' },
  },
});

/** The sizes for which targets are set. */
const [MEDIUM, LARGE] = [100_000, 1_000_000];

const OPERATIONS: Readonly<Record<string, string>> = {
  selective: 'search, 10 to 50 rows match',
  most: 'search, most rows match',
  short: 'search, one or two characters',
  get: 'get by id',
  insert: 'insert a row, all indexes',
  remove: 'remove half of the rows',
};

const TARGETS: readonly {
  readonly what: string;
  readonly rows: number;
  readonly than: Candidate;
  readonly times: number;
}[] = [
  { what: 'selective', rows: MEDIUM, than: LIKE, times: 50 },
  { what: 'selective', rows: MEDIUM, than: FTS5, times: 3 },
  { what: 'selective', rows: LARGE, than: FTS5, times: 20 },
  { what: 'most', rows: MEDIUM, than: LIKE, times: 4 },
  { what: 'short', rows: MEDIUM, than: LIKE, times: 2 },
  { what: 'get', rows: MEDIUM, than: LIKE, times: 10 },
  { what: 'insert', rows: MEDIUM, than: FTS5, times: 3 },
  { what: 'remove', rows: MEDIUM, than: LIKE, times: 1.3 },
];
const MOST_BYTES = 450;
/**
 * The maximum factor by which the time of a search may grow if the rows increase tenfold, and the
 * results do not. The factor of a scan is ten.
 */
const MOST_GROWTH = 3;

requirePeers();
const sizes = options.sizes.split(',').map(Number);
const peers = [LIKE, FTS5, LOKI, ALASQL].filter(({ name }) => name.includes(options.only));
const candidates = [OURS, ...peers];
const bySize = new Map<number, Figures>();
for (const size of sizes) {
  const figures = new Figures();
  await measure(size, Number(options.rounds), candidates, figures);
  bySize.set(size, figures);
}
publish('table', [machine(), ...targets(), ...sizes.map(timesAt)].join('\n\n'), options.into);

/** A table of the targets; none without the sizes for which they are set. */
function targets(): string[] {
  const lines: string[][] = [];
  for (const { what, rows, than, times } of TARGETS) {
    const figures = bySize.get(rows);
    if (!figures || !candidates.includes(than)) continue;
    const lead = figures.ratio(what, than.name, OURS.name);
    lines.push([
      OPERATIONS[what] ?? what,
      rows.toLocaleString('en-US'),
      than.name,
      `${times} × as fast`,
      `${digits(lead)} ×`,
      verdict(lead >= times),
    ]);
  }
  const medium = bySize.get(MEDIUM);
  const large = bySize.get(LARGE);
  if (large) {
    const bytes = large.of('bytes', OURS.name);
    const limit = `under ${MOST_BYTES}`;
    lines.push([
      'bytes a row',
      LARGE.toLocaleString('en-US'),
      '',
      limit,
      digits(bytes),
      verdict(bytes < MOST_BYTES),
    ]);
  }
  if (large && medium) {
    const growth = large.of('selective', OURS.name) / medium.of('selective', OURS.name);
    const results = large.of('found', 'each') / medium.of('found', 'each');
    lines.push([
      'selective search, 10 × the rows',
      LARGE.toLocaleString('en-US'),
      `${digits(results)} × the results`,
      `under ${MOST_GROWTH} × the time`,
      `${digits(growth)} ×`,
      verdict(growth < MOST_GROWTH),
    ]);
  }
  return lines.length > 0 ? [table(['', 'rows', 'against', 'target', 'measured', ''], lines)] : [];
}

function timesAt(size: number): string {
  const figures = bySize.get(size) ?? new Figures();
  const lines = Object.entries(OPERATIONS).map(([what, title]) => [
    title,
    ...candidates.map(({ name }) => {
      const time = duration(figures.of(what, name));
      return name === OURS.name || time === '–'
        ? time
        : `${time} (${digits(figures.ratio(what, name, OURS.name))} ×)`;
    }),
  ]);
  const bytes = candidates.map(({ name }) => digits(figures.of('bytes', name)));
  const head = [`${size.toLocaleString('en-US')} rows`, ...candidates.map(({ name }) => name)];
  return table(head, [...lines, ['bytes a row', ...bytes]]);
}
