import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../../src/lib/table/condition/condition.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { type When, withFault } from '../support/faults.ts';
import { LONG, Random, SEED } from '../support/random.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
  label: { kind: 'text', nullable: true, index: 'ordered' },
  parity: { kind: 'boolean', nullable: true, index: 'bitmap' },
} as const satisfies Schema;

/** What a search by each kind of index, or by none, has to find. */
const CONDITIONS: readonly Condition[] = [
  ...['first', 'thing', 'chang', 'note', 'ände', 'STRASSE', 'next'].flatMap((value) =>
    (['title', 'note'] as const).map(
      (column) => ({ op: 'containsIgnoreCase', column, value }) as const,
    ),
  ),
  ...[0, 1, 2, 9].map((value) => ({ op: 'eq', column: 'priority', value }) as const),
  ...[true, false].map((value) => ({ op: 'eq', column: 'parity', value }) as const),
  { op: 'isNull', column: 'parity' },
];

/** Everything observable about a table. */
function stateOf(table: Table<typeof schema>) {
  const rows = table.search();
  assert.equal(table.size, rows.length);
  assert.equal(table.stats().rows, rows.length);
  for (const row of rows) assert.equal(table.find(row.id)?.row, row);
  for (const where of CONDITIONS) {
    assertSame(table.search([where]), found(rows, [where]), JSON.stringify(where));
  }
  const orderBy = [{ column: 'label' }] as const;
  assertSame(table.search([], { orderBy }), found(rows, [], { orderBy }));
  return {
    rows,
    revisions: rows.map(({ id }) => table.find(id)?.revision),
    version: table.version,
    rowBytes: table.stats().bytes.rows,
  };
}

const values = (i: number) => ({
  title: i % 5 ? `first thing ${i}` : `erste Straße ${i}`,
  note: i % 2 ? `note ${i}` : null,
  priority: i % 3,
  label: i % 7 ? String(i).padStart(5, '0') : null,
  parity: i % 11 ? i % 2 === 0 : null,
});

/** The rows before any fault: a full page, so that another row makes it grow. */
const ROWS = 64;

/** A table with open cursors, of its current rows and of previous ones. */
function prepared() {
  const table = new Table(schema);
  table.transaction(() => {
    for (let i = 1; i <= ROWS; i++) table.insert(values(i));
  });
  const held = {
    all: table.cursor(),
    some: table.cursor((t) => [t.title.contains('first thing 1')]),
    rows: table.search(),
  };
  table.update(20, { note: 'meanwhile' });
  const commits: number[] = [];
  table.onCommit(({ number }) => commits.push(number));
  return { table, held, commits };
}

type Operation = (table: Table<typeof schema>) => void;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  insert: (table) => table.insert({ title: 'another thing', note: 'a note', label: 'zz' }),
  update: (table) =>
    table.update(7, { title: 'geändert', note: null, priority: 9, label: '0007b', parity: null }),
  'update of nothing': (table) => table.update(7, {}),
  delete: (table) => table.delete(7),
  remove: (table) => table.remove((t) => [t.priority.eq(1), t.id.lte(20)]),
  'removal of most': (table) => table.remove((t) => [t.id.gt(3)]),
  removeAll: (table) => table.removeAll(),
  'removal in steps': (table) => {
    const removal = table.removal((t) => [t.priority.eq(1)]);
    for (const _ of removal.find());
    removal.commit();
  },
  'removal in steps of most': (table) => {
    const removal = table.removal((t) => [t.id.gt(3)]);
    for (const _ of removal.find());
    removal.commit();
  },
  transaction: (table) =>
    table.transaction((t) => {
      t.insert({ title: 'another thing', label: 'zz' });
      t.transaction((inner) => inner.update(ROWS + 1, { title: 'changed' }));
      t.delete(3);
      t.remove((columns) => [columns.note.contains('note 1')]);
      t.insert({ title: 'last thing', label: 'zzz' });
    }),
  replay: (table) =>
    table.replay(
      [
        { id: 90, row: table.rowOf(90, values(90)) },
        { id: 5, row: undefined },
        { id: 66, row: table.rowOf(66, values(66)) },
        // In another leaf.
        { id: 5_000, row: table.rowOf(5_000, values(5_000)) },
      ],
      5_000n,
      3,
    ),
  replacement: (table) => {
    const replacement = table.replacement();
    for (let i = 1; i <= 5; i++) replacement.insert(values(i));
    replacement.commit();
  },
};

/** The next id after each operation that changes it. */
const NEXT_ID: Readonly<Record<string, number>> = {
  ...{ insert: ROWS + 2, transaction: ROWS + 3, replay: 5_001, replacement: 6 },
};

type State = ReturnType<typeof stateOf>;

/** How far it is to the next step to strike at: some hundred steps can fail, of a few kinds. */
function nextAfter(step: number, random: Random): number {
  return LONG ? 1 : 1 + random.below(4 + 4 * step);
}

describe('a fault at any step of a write leaves the state before or after it', () => {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    for (const when of ['before', 'after'] as const) {
      it(`${name}, ${when} each step`, () => {
        const { table } = prepared();
        const before = stateOf(table);
        operation(table);
        const after = stateOf(table);
        const random = new Random(SEED);
        let step = 1;
        while (strikes(step, when, name, { before, after })) step += nextAfter(step, random);
        // Removing all rows has the fewest: four.
        assert.ok(step > 4, 'there are steps that can fail');
      });
    }
  }

  /** Runs an operation with a fault, and checks the state it leaves. */
  function strikes(
    step: number,
    when: When,
    name: string,
    { before, after }: Readonly<Record<'before' | 'after', State>>,
  ): boolean {
    const { table, held, commits } = prepared();
    const struck = withFault(step, when, () => OPERATIONS[name]?.(table));
    const state = stateOf(table);
    const isDone = state.version > before.version;
    assert.deepEqual(state, isDone ? after : before, `fault at step ${step} (seed ${SEED})`);
    assert.ok(struck || isDone);
    assertSame([...held.all], held.rows);
    assertSame(
      [...held.some],
      held.rows.filter(({ title }) => title.includes('first thing 1')),
    );
    const { id } = table.insert({ title: 'next thing', label: 'zzzz' });
    assert.equal(id, (isDone && NEXT_ID[name]) || ROWS + 1, 'ids are not lost');
    assert.equal(commits.at(-1), table.version, 'listeners hear of later commits');
    stateOf(table);
    return struck;
  }
});
