import type { Engine, Page, Values } from './engine.ts';

/** The rows and the terms to search for, each of which 10 to 50 rows contain. */
export interface Input {
  readonly values: readonly Values[];
  readonly terms: readonly string[];
}

/** An operation; `i` counts its calls. */
type Operation = (engine: Engine, input: Input, i: number) => void;

const TWO_LETTERS = ['zq', 'mi', 'xj', 'ed'];

/** Operations that change nothing. */
export const READS: Readonly<Record<string, Operation>> = {
  'get by id': (engine, input, i) => engine.get(anyId(input, i)),
  'search, 10 to 50 rows match': (engine, input, i) => engine.search(termOf(input, i)),
  'search, a text that is nowhere': (engine, _, i) => engine.search(`zqxv${i % 7}`),
  'search, two letters': (engine, _, i) => engine.search(TWO_LETTERS[i % 4] ?? ''),
  'search, most rows match': (engine) => engine.search('the'),
  'a filter and a search': (engine, input, i) => engine.searchCompleted(termOf(input, i)),
  'count of two filters': (engine) => engine.countUrgent(),
  'newest 20 of a filter': pageOf({ by: 'id', isDescending: true, isFiltered: true }),
  'first 20 of a filter, by priority': pageOf({ by: 'priority', isFiltered: true }),
  'first 20 by time, ascending': pageOf({ by: 'ascending' }),
  'first 20 by time, all equal': pageOf({ by: 'equal' }),
  'first 20 by time, random': pageOf({ by: 'random' }),
  'page in the middle, by time': (engine, { values }) =>
    engine.page({ by: 'ascending', offset: values.length >> 1 }),
  'whole list': (engine) => engine.list('id'),
  'whole list by a random time': (engine) => engine.list('random'),
};

/** Operations that change rows. They leave as many rows, with as many matches. */
export const WRITES: Readonly<Record<string, Operation>> = {
  'update of a flag': (engine, input, i) => engine.setFlag(anyId(input, i), isEven(i, input)),
  'update of a text': changeTitle,
  'update of a flag under an open list': (engine, input, i) =>
    engine.setFlagUnderList?.(anyId(input, i), isEven(i, input)),
  'four updates of a text, then a search': (engine, input, i) => {
    for (let update = 4 * i; update < 4 * i + 4; update++) changeTitle(engine, input, update);
    engine.search(termOf(input, i));
  },
  'bulk update of two fifths': (engine, _, i) => engine.setUrgentFlags(i % 2 === 0),
};

/** The name of the operation that fills a new table. It counts for each row. */
export const INSERT = 'insert';

/** An operation to repeat for a time, in milliseconds; or `update-all`, which is not measured. */
export interface Order {
  readonly what: string;
  readonly ms: number;
}

/** Microseconds of processor time, including V8's helper threads; bytes for the first report. */
export interface Report {
  readonly figure: number | null;
}

/** The order to change each row. */
export const UPDATE_ALL = 'update-all';

/** Gives each row the title of the next one. */
export function updateAll(engine: Engine, { values }: Input): void {
  for (let i = 0; i < values.length; i++) {
    engine.setTitle(i + 1, values[(i + 1) % values.length]?.title ?? '');
  }
}

function pageOf(page: Page): Operation {
  return (engine) => engine.page(page);
}

/** Gives a row the title of another one. */
function changeTitle(engine: Engine, input: Input, i: number): void {
  engine.setTitle(anyId(input, i), input.values[(i * 31) % input.values.length]?.title ?? '');
}

function termOf({ terms }: Input, i: number): string {
  return terms[i % terms.length] ?? '';
}

/** Returns ids in an order that jumps between all of the rows. */
function anyId({ values }: Input, i: number): number {
  return 1 + ((i * 7919) % values.length);
}

/** Changes its value each time that all rows had their turn. */
function isEven(i: number, { values }: Input): boolean {
  return Math.floor(i / values.length) % 2 === 0;
}
