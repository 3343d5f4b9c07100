import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../../../../../src/lib/table/condition/condition.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import { workOf } from '../support/costs.ts';
import { idsOf } from '../support/rows.ts';
import {
  EVERY_ROW,
  filled,
  impatient,
  rollBack,
  type schema,
  type Tasks,
} from '../support/tables.ts';

const ROWS = 4_000;

/** The bytes of rows that a step looks at before it reads the clock. */
const STEP_BYTES = 64 * 1024;

describe('a step of a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });
  const { rows: rowBytes } = table.stats().bytes;
  const work = (where: readonly Condition[], options: SearchOptions<keyof typeof schema> = {}) => {
    const cursor = table.cursor(where, options);
    return workOf(() => cursor.next());
  };
  const nowhere: Condition = { op: 'contains', column: 'title', value: 'nowhere' };

  for (const [what, times, where, options] of [
    ['a text', 1, [nowhere], {}],
    ['a hundred texts', 100, [{ op: 'or', conditions: Array(100).fill(nowhere) }], {}],
    ['an order', 1, [], { orderBy: [{ column: 'title' }] }],
    ['an order and a page', 1, [], { orderBy: [{ column: 'title' }], limit: 10 }],
    ['an order that ignores case', 1, [], { orderBy: [{ column: 'title', ignoreCase: true }] }],
  ] as const) {
    it(`looks at a few rows if the clock says so: ${what}`, () => {
      const { total, longest } = work(where, options);
      assert.ok(total >= times * rowBytes * 0.9, `${total} bytes of ${times} times ${rowBytes}`);
      // A row that has begun is finished.
      assert.ok(longest <= STEP_BYTES + times * 400, `${longest} bytes`);
    });
  }

  it('looks at rows one time for each condition that they pass', () => {
    const never = { op: 'eq', column: 'title', value: 'nowhere' } as const;
    assert.ok(work([never, nowhere, nowhere]).total < 1.5 * rowBytes);
  });

  it('skips the rows before an offset', () => {
    const { total } = work([], { offset: ROWS - 10 });
    assert.ok(total < rowBytes / 10, `${total} bytes`);
  });

  it('does much if the clock does not say otherwise', () => {
    const patient = filled(ROWS);
    const cursor = patient.cursor([nowhere], { orderBy: [{ column: 'title' }] });
    let steps = 0;
    while (!cursor.next().done) steps++;
    assert.equal(steps, 0);
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
      const { rows, snapshots, total } = table.stats().bytes;
      assert.deepEqual([rows, snapshots, table.bytes], [0, total, total]);
      assert.ok(total <= before && total > 0.9 * before, `${total} of ${before} bytes`);
      cursor.close();
      assert.deepEqual([table.snapshotBytes, table.bytes], [0, 0]);
    });
  }

  it('are those of the rows that were replaced, each counted one time', () => {
    const table = filled(1500);
    const rowBytes = 300;
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
