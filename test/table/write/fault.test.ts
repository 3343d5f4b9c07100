import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BackgroundRunner } from '../../../src/table/indexes/background-work.ts';
import { BitmapIndex } from '../../../src/table/indexes/bitmap-index.ts';
import { IndexSet } from '../../../src/table/indexes/index-set.ts';
import { OrderedIndex } from '../../../src/table/indexes/ordered-index.ts';
import { PostingListsWriter } from '../../../src/table/indexes/posting-lists-writer.ts';
import { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import { SubstringIndex } from '../../../src/table/indexes/substring-index.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { Page } from '../../../src/table/storage/page.ts';
import { RowStore } from '../../../src/table/storage/row-store.ts';
import { Table } from '../../../src/table/table.ts';
import { CommitListeners } from '../../../src/table/write/commit.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
  label: { kind: 'text', nullable: true, index: 'ordered' },
  parity: { kind: 'boolean', nullable: true, index: 'bitmap' },
} as const satisfies Schema;

const FAULT = new Error('injected');

/** Every step of a write that changes the table's internal state. */
const STEPS: readonly (readonly [object, string])[] = [
  [RowStore.prototype, 'set'],
  [RowStore.prototype, 'deleteAll'],
  [RowStore.prototype, 'snapshot'],
  [Page.prototype, 'copy'],
  [IndexSet.prototype, 'replace'],
  [IndexSet.prototype, 'deleteAll'],
  [OrderedIndex.prototype, 'replace'],
  [BitmapIndex.prototype, 'replace'],
  [BitmapIndex.prototype, 'deleteAll'],
  [SubstringIndex.prototype, 'replace'],
  [CommitListeners.prototype, 'deliver'],
  [BackgroundRunner.prototype, 'request'],
  [PostingListsWriter.prototype, 'append'],
];

/** Whether a fault replaces a step, or follows it. */
type When = 'before' | 'after';

/**
 * Runs a function with a fault at one step, counted from 1.
 * @returns whether there was such a step
 */
function withFault(step: number, when: When, run: () => void): boolean {
  let left = step;
  const strike = () => {
    left--;
    if (left === 0) throw FAULT;
  };
  const restore = [...STEPS.map(wrapMethod), wrapBuild()];
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return left <= 0;

  function wrapMethod([prototype, name]: readonly [object, string]): () => void {
    const original: unknown = Reflect.get(prototype, name);
    assert.ok(typeof original === 'function');
    Reflect.set(prototype, name, function (this: unknown, ...values: unknown[]) {
      if (when === 'before') strike();
      const result: unknown = Reflect.apply(original, this, values);
      if (when === 'after') strike();
      return result;
    });
    return () => Reflect.set(prototype, name, original);
  }

  /** Building a segment has many steps, each of which may fail. */
  function wrapBuild(): () => void {
    const original = SegmentBuilder.prototype.build;
    SegmentBuilder.prototype.build = function* (batch, dictionary) {
      const work = original.call(this, batch, dictionary);
      for (;;) {
        strike();
        const next = work.next();
        if (next.done) return next.value;
        yield;
      }
    };
    return () => {
      SegmentBuilder.prototype.build = original;
    };
  }
}

/** Everything observable about a table. */
function stateOf(table: Table<typeof schema>) {
  const rows = table.search();
  assert.equal(table.size, rows.length);
  assert.equal(table.stats().rows, rows.length);
  for (const row of rows) assert.equal(table.get(row.id), row);
  const ids = (found: typeof rows) => found.map(({ id }) => id);
  for (const needle of ['first', 'thing', 'chang', 'note']) {
    const expected = rows.filter(
      ({ title, note }) => title.includes(needle) || note?.includes(needle),
    );
    const title = table.search((t) => [t.title.contains(needle)]);
    const note = table.search((t) => [t.note.contains(needle)]);
    assert.deepEqual(
      ids(rows.filter((row) => title.includes(row) || note.includes(row))),
      ids(expected),
    );
  }
  for (const priority of [0, 1, 2, 9]) {
    assert.deepEqual(
      ids(table.search((t) => [t.priority.eq(priority)])),
      ids(rows.filter((row) => row.priority === priority)),
    );
  }
  for (const parity of [true, false]) {
    assert.deepEqual(
      ids(table.search((t) => [t.parity.eq(parity)])),
      ids(rows.filter((row) => row.parity === parity)),
    );
  }
  const orderBy = [{ column: 'label' }] as const;
  assert.deepEqual(
    ids(table.search([], { orderBy, limit: rows.length })),
    ids(rows.toSorted((a, b) => ((a.label ?? '') < (b.label ?? '') ? -1 : 1))),
    'an ordered index has each row once',
  );
  return { rows, version: table.version };
}

/** A table with rows in segments and tails, and an open snapshot. */
function prepared() {
  const tasks: (() => void)[] = [];
  const table = new Table(schema, { schedule: (task) => tasks.push(task) });
  const runTasks = () => {
    while (tasks.length > 0) tasks.shift()?.();
  };
  table.transaction(() => {
    for (let i = 1; i <= 80; i++) table.insert(values(i));
  });
  runTasks();
  const held = { snapshot: table.snapshot(), rows: table.search() };
  const commits: number[] = [];
  table.onCommit(({ number }) => commits.push(number));
  return { table, held, commits, runTasks };
}

function values(i: number) {
  const label = String(i).padStart(5, '0');
  return {
    title: `first thing ${i}`,
    note: i % 2 ? `note ${i}` : null,
    priority: i % 3,
    label,
    parity: i % 2 === 0,
  };
}

const OPERATIONS: Readonly<Record<string, (table: Table<typeof schema>) => void>> = {
  insert: (table) => table.insert({ title: 'another thing', note: 'a note', label: 'zz' }),
  update: (table) =>
    table.update(7, { title: 'changed', note: null, priority: 9, label: '0007b', parity: null }),
  delete: (table) => table.delete(7),
  remove: (table) => table.remove((t) => [t.priority.eq(1), t.id.lte(20)]),
  removeAll: (table) => table.removeAll(),
  transaction: (table) =>
    table.transaction((t) => {
      t.insert({ title: 'another thing', label: 'zz' });
      t.transaction((inner) => inner.update(81, { title: 'changed' }));
      t.delete(3);
      t.remove((columns) => [columns.note.contains('note 1')]);
      t.insert({ title: 'last thing', label: 'zzz' });
    }),
  replacement: (table) => {
    const replacement = table.replacement();
    for (let i = 1; i <= 5; i++) replacement.insert(values(i));
    replacement.commit();
  },
};

/** The next id after each operation that changes it. */
const NEXT_ID: Readonly<Record<string, number>> = { insert: 82, transaction: 83, replacement: 6 };

describe('a fault at any step of a write leaves the state before or after it', () => {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    for (const when of ['before', 'after'] as const) {
      test(`${name}, ${when} each step`, () => {
        const done = prepared();
        operation(done.table);
        const after = stateOf(done.table);
        let step = 1;
        while (strikes(step, when, name, operation, after)) step++;
        assert.ok(step > 5, 'there are steps that can fail');
      });
    }
  }

  /** Runs an operation with a fault, and checks the state it leaves. */
  function strikes(
    step: number,
    when: When,
    name: string,
    operation: (table: Table<typeof schema>) => void,
    after: ReturnType<typeof stateOf>,
  ): boolean {
    const { table, held, commits, runTasks } = prepared();
    const before = stateOf(table);
    const struck = withFault(step, when, () => assertThrowsOnlyFaults(() => operation(table)));
    const state = stateOf(table);
    const isDone = state.version > before.version;
    assert.deepEqual(state, isDone ? after : before, `fault at step ${step}`);
    assert.ok(struck || isDone);
    assert.deepEqual(held.snapshot.search(), held.rows);
    runTasks();
    const { id } = table.insert({ title: 'next thing', label: 'zzzz' });
    assert.equal(id, (isDone && NEXT_ID[name]) || 81, 'ids are not lost');
    assert.equal(commits.at(-1), table.version, 'listeners hear of later commits');
    stateOf(table);
    return struck;
  }
});

describe('a fault at any step of indexing', () => {
  test('changes nothing', () => {
    const tasks: (() => void)[] = [];
    const table = new Table(schema, { schedule: (task) => tasks.push(task) });
    for (let i = 1; i <= 700; i++) table.insert(values(i));
    const before = stateOf(table);
    let step = 1;
    const runTasks = () => {
      while (tasks.length > 0) tasks.shift()?.();
    };
    while (withFault(step, 'before', () => assertThrowsOnlyFaults(runTasks))) {
      const { version, rows } = stateOf(table);
      assert.equal(version, before.version + step - 1);
      assert.deepEqual(rows, before.rows);
      // Any write requests a retry.
      table.update(1, values(1));
      step++;
    }
    assert.ok(step > 4, `${step} steps`);
    assert.deepEqual(stateOf(table).rows, before.rows);
  });
});

describe('a fault while segments are merged', () => {
  test('changes nothing, wherever it occurs', () => {
    const tasks: (() => void)[] = [];
    const table = new Table(schema, { schedule: (task) => tasks.push(task) });
    const runTasks = () => {
      while (tasks.length > 0) tasks.shift()?.();
    };
    for (let i = 1; i < 16 * 64; i++) {
      table.insert(values(i));
      if (i % 64 === 0) runTasks();
    }
    const before = stateOf(table).rows;
    let struck = 0;
    // The write that completes segments of two sizes, and another one that requests a retry.
    table.insert(values(0));
    for (let step = 1; withFault(step, 'before', () => assertThrowsOnlyFaults(runTasks)); ) {
      struck++;
      step *= 2;
      table.update(1, values(1));
      assert.deepEqual(stateOf(table).rows.slice(0, -1), before);
    }
    assert.ok(struck >= 4, `${struck} faults`);
    const waiting = table.explain((t) => [t.title.contains('not there')]).candidates;
    assert.ok(waiting < 64, `${waiting} rows are pending`);
  });
});

function assertThrowsOnlyFaults(run: () => void): void {
  try {
    run();
  } catch (error) {
    assert.equal(error, FAULT);
  }
}
