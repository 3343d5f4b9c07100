import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Condition, or } from '../../../../../src/lib/table/condition/condition.ts';
import type { Cursor } from '../../../../../src/lib/table/query/cursor.ts';
import { WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import { idsOf } from '../support/rows.ts';
import {
  countTests,
  EVERY_ROW,
  filled,
  impatient,
  rollBack,
  type schema,
  type Tasks,
} from '../support/tables.ts';

const ROWS = 4_000;

function drain(cursor: Cursor<typeof schema>): { ids: number[]; steps: number } {
  const ids: number[] = [];
  let steps = 0;
  for (let step = cursor.next(); !step.done; step = cursor.next()) {
    for (const { id } of step.value ?? []) ids.push(id);
    steps++;
  }
  return { ids, steps };
}

describe('a step of a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });

  it('does a few rows if the clock says so', () => {
    const { steps } = drain(table.cursor([{ op: 'ne', column: 'title', value: 'nowhere' }]));
    assert.ok(steps >= ROWS / WORK_PER_CLOCK_READ, `${steps} steps`);
  });

  it('adds the texts of a few rows to a signature', () => {
    const fresh = filled(ROWS, { clock: impatient() });
    const stepsNow = () =>
      drain(fresh.cursor([{ op: 'contains', column: 'title', value: 'nowhere' }])).steps;
    const first = stepsNow();
    assert.ok(first - stepsNow() >= ROWS / WORK_PER_CLOCK_READ, `${first} steps`);
  });

  it('tests a few of the rows that texts find', () => {
    const where = [{ op: 'contains', column: 'title', value: 'Usual 1' }] as const;
    const tested = countTests(table, where);
    const { ids, steps } = drain(table.cursor(where));
    assert.equal(ids.length, 0);
    // Less than twice the work between two reads: a batch may follow the end of another one.
    assert.ok(tested > 500 && steps > tested / (2 * WORK_PER_CLOCK_READ), `${steps} of ${tested}`);
  });

  it('reads the clock after each row that many conditions test', () => {
    const many = (op: 'lt' | 'gte', column: string): Condition[] =>
      Array.from({ length: 100 }, () => ({ op, column, value: 0 }));
    const tested = or(...many('lt', 'id'), { op: 'isNull', column: 'note' });
    assert.ok(drain(table.cursor([tested])).steps >= ROWS);
  });

  it('does much if the clock does not say otherwise, and skips the rows before an offset', () => {
    assert.ok(drain(filled(ROWS).cursor()).steps <= ROWS / 200);
    const { ids, steps } = drain(table.cursor([], { offset: ROWS - 10 }));
    assert.equal(ids.length, 10);
    assert.ok(steps < ROWS / WORK_PER_CLOCK_READ, `${steps} steps`);
  });
});

describe('a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });

  it('returns nothing more when it is closed', () => {
    const cursor = table.cursor();
    while (!cursor.next().value);
    cursor.close();
    assert.deepEqual([...cursor], []);
    assert.deepEqual(cursor.next(), { done: true, value: undefined });
    assert.equal(cursor.isOpen, false);
  });

  it('is closed by a loop that ends early', () => {
    const cursor = table.cursor();
    table.update(1, { note: 'changed' });
    for (const { id } of cursor) if (id === 3) break;
    assert.equal(table.snapshotBytes, 0);
    assert.deepEqual([...cursor], []);
  });
});

describe('the bytes that open cursors keep', () => {
  for (const [how, empty] of [
    ['emptied', (table: Tasks) => void table.remove(EVERY_ROW)],
    ['emptied row by row', (table: Tasks) => idsOf(table.search()).map((id) => table.delete(id))],
  ] as const) {
    it(`are those of the whole table when it is ${how}`, () => {
      const table = filled(1500);
      table.update(1, { title: 'Changed' });
      const before = table.bytes;
      const cursor = table.cursor();
      assert.equal(table.snapshotBytes, 0);
      empty(table);
      const { rows, indexes, snapshots, total } = table.stats().bytes;
      assert.deepEqual([rows, indexes, snapshots, table.bytes], [0, 0, total, total]);
      assert.ok(total <= before && total > 0.9 * before, `${total} of ${before} bytes`);
      cursor.close();
      assert.deepEqual([table.snapshotBytes, table.bytes], [0, 0]);
    });
  }

  it('are those of the rows that were replaced, each counted one time', () => {
    const table = filled(1500);
    const rowBytes = 200;
    const slow = table.cursor();
    for (let i = 0; i < 1000; i++) {
      // Other lists come and go meanwhile.
      const fast = i % 2 === 0 ? table.cursor() : undefined;
      table.update(7, { done: i % 2 === 0, priority: i });
      fast?.close();
    }
    assert.ok(table.snapshotBytes > 0 && table.snapshotBytes < rowBytes);
    table.update(8, { priority: 9 });
    const two = table.snapshotBytes;
    assert.ok(two > rowBytes && two < 2 * rowBytes, `${two} bytes`);
    const later = table.cursor();
    table.modify((t) => [t.id.lte(10)], { priority: 99 });
    assert.ok(table.snapshotBytes > 11 * 0.6 * rowBytes && table.snapshotBytes < 12 * rowBytes);
    later.close();
    assert.ok(table.snapshotBytes < 10 * rowBytes);
    slow.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('are counted again when a cursor ends that is neither the oldest nor the newest', () => {
    const table = filled(1500);
    const change = (last: number, priority: number) =>
      table.modify((t) => [t.id.lte(last)], { priority });
    const oldest = table.cursor();
    change(10, 98);
    const ten = table.snapshotBytes;
    const middle = table.cursor();
    change(20, 99);
    const newest = table.cursor();
    // The oldest has the first version of ten rows, the one in the middle the next of twenty.
    assert.ok(Math.abs(table.snapshotBytes - 3 * ten) < 0.2 * ten, `${table.snapshotBytes} bytes`);
    middle.close();
    assert.ok(Math.abs(table.snapshotBytes - 2 * ten) < 0.2 * ten, `${table.snapshotBytes} bytes`);
    for (const cursor of [newest, oldest]) cursor.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('are none after a transaction that failed', () => {
    const table = filled(1500);
    const cursor = table.cursor();
    rollBack(table, () => table.update(7, { priority: 9 }));
    assert.equal(table.snapshotBytes, 0);
    cursor.close();
  });

  it('include those of a transaction that failed, if it was read', () => {
    const table = filled(1500);
    let cursor = table.cursor();
    cursor.close();
    rollBack(table, () => {
      table.modify((t) => [t.id.lte(500)], { note: 'x'.repeat(100) });
      cursor = table.cursor();
    });
    assert.ok(table.snapshotBytes > 50_000, `${table.snapshotBytes} bytes`);
    assert.equal(Array.from(cursor).filter(({ note }) => note?.startsWith('xxx')).length, 500);
    assert.equal(table.snapshotBytes, 0);
  });
});
