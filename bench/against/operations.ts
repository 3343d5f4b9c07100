import type { Condition } from '../../src/lib/table/condition/condition.ts';
import type { Table } from '../../src/lib/table/table.ts';

/** The columns of the compared tables: texts, few values, and times in three orders. */
export const SCHEMA = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', maxLength: 200, index: 'substring' },
  description: { kind: 'text', maxLength: 1000, index: 'substring' },
  completed: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'bitmap' },
  ascending: { kind: 'timestamp', index: 'ordered' },
  equal: { kind: 'timestamp', index: 'ordered' },
  random: { kind: 'timestamp', index: 'ordered' },
} as const;

/** The members of the engine that are compared. Version 1.1 has no bulk updates. */
export type Engine = Pick<
  Table<typeof SCHEMA>,
  'insert' | 'update' | 'search' | 'count' | 'cursor' | 'find'
> &
  Partial<Pick<Table<typeof SCHEMA>, 'modification'>>;

export type Values = Parameters<Engine['insert']>[0];

/** The input of a measurement. */
export interface Input {
  readonly values: readonly Values[];
  /** Search terms that 10 to 50 rows contain. */
  readonly terms: readonly string[];
}

/** An operation; `i` counts its calls. */
type Operation = (engine: Engine, i: number) => void;

const done: Condition = { op: 'eq', column: 'completed', value: true };
const urgent: Condition = { op: 'gte', column: 'priority', value: 4 };

function containing(value: string): Condition {
  const columns = ['title', 'description'];
  return {
    op: 'or',
    conditions: columns.map((column) => ({ op: 'containsIgnoreCase', column, value })),
  };
}

/** The operations that are repeated on a table with all rows. */
export const OPERATIONS: Readonly<Record<string, (input: Input) => Operation>> = {
  insert:
    ({ values }) =>
    (engine, i) => {
      const row = values[i % values.length];
      if (row) engine.insert(row);
    },
  'get by id': (input) => (engine, i) => engine.find(anyId(input, i)),
  'update of a flag': (input) => (engine, i) =>
    engine.update(anyId(input, i), { completed: i % 2 === 0 }),
  'update of a text': (input) => (engine, i) =>
    engine.update(anyId(input, i), { title: `Changed to ${i}` }),
  'update of a flag under an open list': (input) => (engine, i) => {
    const list = engine.cursor();
    engine.update(anyId(input, i), { completed: i % 2 === 0 });
    list.close();
  },
  'four updates of a text, then a search': (input) => (engine, i) => {
    for (let n = 4 * i; n < 4 * i + 4; n++) {
      engine.update(anyId(input, n), { title: `Changed to ${n}` });
    }
    engine.search([containing(termAt(input, i))]);
  },
  'search, 10 to 50 rows match': (input) => (engine, i) =>
    engine.search([containing(termAt(input, i))]),
  'search, a text that is nowhere': () => (engine, i) =>
    engine.search([containing(`zqxv${i % 7}`)]),
  'a filter and a search': (input) => (engine, i) =>
    engine.search([done, containing(termAt(input, i))]),
  'search, one or two letters': () => (engine, i) =>
    engine.search([containing(['zq', 'mi', 'xj', 'z'][i % 4] ?? '')]),
  'search, most rows match': () => (engine) => engine.search([containing('e')]),
  'count of two filters': () => (engine) => engine.count([done, urgent]),
  'newest 20 of a filter': () => (engine) =>
    engine.search([done], { orderBy: [{ column: 'id', direction: 'desc' }], limit: 20 }),
  'first 20 of a filter, by priority': () => (engine) =>
    engine.search([done], { orderBy: [{ column: 'priority' }], limit: 20 }),
  'first 20 by time, ascending': firstBy('ascending'),
  'first 20 by time, all equal': firstBy('equal'),
  'first 20 by time, random': firstBy('random'),
};

function firstBy(column: 'ascending' | 'equal' | 'random'): () => Operation {
  return () => (engine) => engine.search([], { orderBy: [{ column }], limit: 20 });
}

/** The parts of a bulk write. Each is measured on new tables with all rows. */
export const BULK_WRITES = ['bulk update of two fifths: find', 'bulk update of two fifths: commit'];

/**
 * Changes the rows of high priority. Returns the milliseconds of each part; none in version 1.1.
 */
export function bulkUpdate(engine: Engine): readonly number[] {
  const change = engine.modification?.([urgent], { completed: true });
  if (!change) return [];
  const begin = performance.now();
  for (const _ of change.find());
  const found = performance.now();
  change.commit();
  return [found - begin, performance.now() - found];
}

function termAt({ terms }: Input, i: number): string {
  return terms[i % terms.length] ?? '';
}

/** Returns ids in an order that jumps between all of the rows. */
function anyId({ values }: Input, i: number): number {
  return 1 + ((i * 7919) % values.length);
}
