import assert from 'node:assert/strict';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { TableOptions } from '../../../../../src/lib/table/table-types.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';

/** A column of each kind but integers of 64 bits and times. */
export const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text' },
  done: { kind: 'boolean', default: false },
  priority: { kind: 'integer', default: 0 },
  note: { kind: 'text', nullable: true },
} as const satisfies Schema;

/** The condition that is true for every row of a table whose ids begin at 1. */
export const EVERY_ROW = [{ op: 'gte', column: 'id', value: 1 }] as const;

export type Tasks = Table<typeof schema>;
export type Task = Row<typeof schema>;

export const valuesOf = (i: number) => ({
  title: i % 5 === 0 ? `rare Ä ${i}` : `usual ${i}`,
  done: i % 2 === 0,
  priority: i % 5,
  note: i % 7 === 0 ? 'note' : null,
});

/** Makes a table with rows 1 to `rows`. By its clock, no step is ever over. */
export function filled(rows: number, options: TableOptions = {}): Tasks {
  const table = new Table(schema, { clock: () => 0, ...options });
  for (let i = 1; i <= rows; i++) table.insert(valuesOf(i));
  return table;
}

/** A clock by which each step is over at once. */
export function impatient(): () => number {
  let now = 0;
  return () => ++now;
}

/** Lists the later commits of a table, as they are when they happen. */
export function follow<S extends Schema>(table: Table<S>) {
  const commits: { number: number; changes: unknown[] }[] = [];
  table.onCommit((commit: Commit<S>) => {
    commits.push({ ...commit, changes: [...commit.changes] });
  });
  return commits;
}

/** Runs a transaction that is undone. */
export function rollBack<S extends Schema>(table: Table<S>, work: (t: Table<S>) => void): void {
  const stop = new Error('stop');
  const fails = () => {
    table.transaction((t) => {
      work(t);
      throw stop;
    });
  };
  assert.throws(fails, stop);
}
