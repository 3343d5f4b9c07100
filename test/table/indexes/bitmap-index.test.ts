import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../src/table/condition/condition.ts';
import type { SearchOptions } from '../../../src/table/query/search-options.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  completed: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'bitmap' },
  grade: { kind: 'integer', nullable: true, index: 'bitmap' },
  note: { kind: 'integer' },
} as const satisfies Schema;

const ROWS = 20_000;

/** A table of many rows, of which the last hundred are not completed. */
function filled(): Table<typeof schema> {
  const table = new Table(schema, { schedule: () => {} });
  for (let i = 0; i < ROWS; i++) {
    const grade = i % 3 === 0 ? null : i % 7;
    const completed = i < ROWS - 100;
    table.insert({ title: `item ${i}`, completed, priority: 1 + (i % 5), grade, note: i % 11 });
  }
  return table;
}

type Options = SearchOptions<keyof typeof schema>;

/** The parts of a query plan that these tests compare. */
function planOf(table: Table<typeof schema>, where: readonly Condition[], options: Options) {
  const { access, indexes, candidates, order } = table.explain(where, options);
  return { access, indexes, candidates, order };
}

const open: Condition = { op: 'eq', column: 'completed', value: false };
const high: Condition = { op: 'gte', column: 'priority', value: 4 };

describe('a bitmap index', () => {
  const table = filled();

  test('narrows down to few rows of many, alone and combined with others', () => {
    const limit = 20;
    assert.deepEqual(planOf(table, [open], { limit }), {
      ...{ access: 'bitmap index', indexes: ['completed'], candidates: 100, order: 'by id' },
    });
    assert.deepEqual(planOf(table, [open, high], { limit }), {
      access: 'bitmap index',
      indexes: ['completed', 'priority'],
      candidates: 100,
      order: 'by id',
    });
    assert.deepEqual(
      table.search([open, high], { limit: 3 }).map(({ id }) => id),
      [ROWS - 96, ROWS - 95, ROWS - 91],
    );
  });

  test('is compared with others by cost', () => {
    const contains: Condition = { op: 'contains', column: 'title', value: 'item 77' };
    const { access } = table.explain([open, contains]);
    assert.equal(access, 'bitmap index');
    const one: Condition = { op: 'eq', column: 'id', value: 7 };
    assert.equal(table.explain([open, one]).access, 'primary key');
  });

  test('serves every condition on its column', () => {
    const conditions: readonly Condition[] = [
      { op: 'ne', column: 'grade', value: 2 },
      { op: 'in', column: 'grade', values: [1, 2, 99] },
      { op: 'in', column: 'grade', values: [] },
      { op: 'notIn', column: 'grade', values: [1, 2] },
      { op: 'notIn', column: 'grade', values: [] },
      { op: 'isNull', column: 'grade' },
      { op: 'isNotNull', column: 'grade' },
      { op: 'between', column: 'grade', from: 2, to: 4 },
      { op: 'lt', column: 'grade', value: 1 },
      { op: 'gt', column: 'grade', value: 99 },
    ];
    const twin = new Table({ ...schema, grade: { kind: 'integer', nullable: true } });
    for (const { id: _, ...row } of table.search()) twin.insert(row);
    for (const condition of conditions) {
      assert.equal(table.explain([condition]).access, 'bitmap index', condition.op);
      assert.deepEqual(table.search([condition]), twin.search([condition]), condition.op);
      assert.equal(table.count([condition]), twin.count([condition]), condition.op);
    }
  });

  test('provides its order, of all rows and of those in another bitmap', () => {
    const orderBy = [{ column: 'grade', direction: 'desc', nulls: 'first' }] as const;
    assert.deepEqual(planOf(table, [], { orderBy, limit: 20 }), {
      access: 'full index, in order',
      indexes: ['grade'],
      candidates: 20,
      order: 'by index',
    });
    const byGrade = planOf(table, [open], { orderBy, limit: 20 });
    assert.deepEqual(byGrade, {
      access: 'bitmap index',
      indexes: ['completed', 'grade'],
      candidates: 20,
      order: 'by index',
    });
    const all = table.search([open], { orderBy });
    assert.equal(all.length, 100);
    const rank = ({ grade }: { grade: number | null }) => -(grade ?? Number.POSITIVE_INFINITY);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id),
    );
    assert.deepEqual(table.search([open], { orderBy, limit: 20 }), all.slice(0, 20));
  });

  test('provides its order in either direction, nulls on either side', () => {
    for (const direction of ['asc', 'desc'] as const) {
      for (const nulls of ['first', 'last'] as const) {
        const orderBy = [{ column: 'grade', direction, nulls }] as const;
        assert.equal(table.explain([], { orderBy, limit: 9 }).order, 'by index');
        const limit = ROWS / 2;
        const byIndex = table.search([], { orderBy, limit });
        const sign = direction === 'asc' ? 1 : -1;
        const ofNull = nulls === 'first' ? -99 : 99;
        const rank = ({ grade }: { grade: number | null }) =>
          grade === null ? ofNull : sign * grade;
        const sorted = table.search().sort((a, b) => rank(a) - rank(b) || a.id - b.id);
        assert.deepEqual(byIndex, sorted.slice(0, limit));
      }
    }
  });

  test('counts matching rows without a scan', () => {
    const cursor = table.cursor([open, high], { limit: 1, total: true });
    let steps = 0;
    while (cursor.step()) steps++;
    assert.equal(cursor.total, 40);
    assert.ok(steps < 10, `${steps} steps`);
    const checked = table.cursor([open, { op: 'lt', column: 'note', value: 3 }], { total: true });
    const rows = [...checked];
    assert.equal(checked.total, rows.length, 'rows that the index does not cover are counted');
  });

  test('shows a cursor the rows of its moment, whatever is written later', () => {
    const written = filled();
    const expected = written.search([open]);
    const cursor = written.cursor([open]);
    for (const { id } of expected) written.update(id, { completed: true });
    for (let id = 1; id <= 200; id++) written.update(id, { completed: false });
    assert.deepEqual([...cursor], expected);
    assert.deepEqual(
      written.search([open]).map(({ id }) => id),
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
  });

  test('keeps a value as long as any row has it', () => {
    const few = new Table(schema, { schedule: () => {} });
    const row = { title: '', completed: true, grade: null, note: 0 };
    for (const priority of [7, 7, 7, 1, 1, 1, 1, 1]) few.insert({ ...row, priority });
    const sevens = () => few.search([{ op: 'eq', column: 'priority', value: 7 }]);
    const ids = () => sevens().map(({ id }) => id);
    assert.deepEqual(ids(), [1, 2, 3]);
    few.delete(2);
    assert.deepEqual(ids(), [1, 3]);
    few.update(1, { priority: 1 });
    assert.deepEqual(ids(), [3]);
    few.delete(3);
    assert.deepEqual(ids(), []);
  });

  test('takes one bit per row for each value', () => {
    const { indexes } = table.stats().bytes;
    assert.ok(indexes.completed && indexes.completed < ROWS, `${indexes.completed} bytes`);
    assert.ok(indexes.priority && indexes.priority < 2 * ROWS, `${indexes.priority} bytes`);
    const emptied = filled();
    emptied.removeAll();
    assert.equal(emptied.stats().bytes.indexes.priority, 0);
  });
});
