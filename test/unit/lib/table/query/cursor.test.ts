import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Condition, or } from '../../../../../src/lib/table/condition/condition.ts';
import { ConditionError } from '../../../../../src/lib/table/errors.ts';
import type { Cursor } from '../../../../../src/lib/table/query/cursor.ts';
import { WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import { LEAF_SLOTS } from '../../../../../src/lib/table/slots.ts';
import {
  countTests,
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

const ORDERS: Readonly<Record<string, SearchOptions<keyof typeof schema>>> = {
  'by id': {},
  'by id, descending': { orderBy: [{ column: 'id', direction: 'desc' }] },
  'by bitmaps': { orderBy: [{ column: 'done' }] },
  'by a column': { orderBy: [{ column: 'priority', direction: 'desc' }] },
  'by two columns': { orderBy: [{ column: 'note' }, { column: 'priority', direction: 'desc' }] },
  'in part': { orderBy: [{ column: 'done' }], offset: 1000, limit: 2000 },
  'in part, sorted': { orderBy: [{ column: 'priority' }], offset: 500, limit: 900 },
};

const WHERES: Readonly<Record<string, readonly Condition[]>> = {
  'every row': [],
  'rows of an interval': [{ op: 'lt', column: 'priority', value: 2 }],
  'rows with a text': [{ op: 'contains', column: 'title', value: 'usual 1' }],
  'rows with a text in any case': [{ op: 'containsIgnoreCase', column: 'title', value: 'RARE' }],
  'rows that are tested': [{ op: 'isNull', column: 'note' }],
};

const BY_PRIORITY = { orderBy: [{ column: 'priority' }] } as const;

describe('a step of a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });

  it('does a few rows if the clock says so, whatever the order and the limit', () => {
    for (const [order, options] of Object.entries(ORDERS)) {
      const { steps } = drain(table.cursor(WHERES['rows that are tested'], options));
      const least = Math.min(ROWS, (options.offset ?? 0) + (options.limit ?? ROWS));
      assert.ok(steps >= least / WORK_PER_CLOCK_READ, `${order}: ${steps} steps`);
    }
    for (const limit of [1, 10, ROWS]) {
      for (const where of [[], [{ op: 'eq', column: 'note', value: 'x' }]] as const) {
        const { steps } = drain(table.cursor(where, { ...BY_PRIORITY, limit }));
        assert.ok(steps >= ROWS / (2 * WORK_PER_CLOCK_READ), `${limit}: ${steps} steps`);
      }
    }
  });

  it('tests a few of the rows that texts find', () => {
    const where = [{ op: 'contains', column: 'title', value: 'Usual 1' }] as const;
    const tested = countTests(table, where);
    const { ids, steps } = drain(table.cursor(where));
    assert.equal(ids.length, 0);
    assert.ok(tested > 500 && steps >= tested / WORK_PER_CLOCK_READ, `${steps} steps`);
  });

  it('reads the clock after each row or leaf that many conditions test', () => {
    const many = (op: 'lt' | 'gte', column: string): Condition[] =>
      Array.from({ length: 100 }, () => ({ op, column, value: 0 }));
    const tested = or(...many('lt', 'id'), { op: 'isNull', column: 'note' });
    assert.ok(drain(table.cursor([tested])).steps >= ROWS);
    const narrowed = [or(...many('gte', 'priority'))];
    assert.ok(drain(table.cursor(narrowed, { limit: 0 })).steps >= 1);
  });

  it('does much if the clock does not say otherwise, and skips the rows before an offset', () => {
    assert.ok(drain(filled(ROWS).cursor()).steps <= 10);
    const { ids, steps } = drain(table.cursor([], { offset: ROWS - 10 }));
    assert.equal(ids.length, 10);
    assert.ok(steps < 600 / WORK_PER_CLOCK_READ, `${steps} steps`);
  });
});

describe('a cursor', () => {
  const table = filled(ROWS, { clock: impatient() });

  it('refuses an invalid condition when it is opened', () => {
    assert.throws(() => table.cursor([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
  });

  it('returns nothing more when it is closed, and has no total', () => {
    const cursor = table.cursor();
    while (!cursor.next().value);
    cursor.close();
    assert.deepEqual([...cursor], []);
    assert.deepEqual(cursor.next(), { done: true, value: undefined });
    assert.deepEqual([cursor.total, cursor.bytes], [undefined, 0]);
  });

  it('is closed by a loop that ends early', () => {
    const cursor = table.cursor();
    table.update(1, { note: 'changed' });
    for (const { id } of cursor) if (id === 3) break;
    assert.equal(table.snapshotBytes, 0);
    assert.deepEqual([...cursor], []);
  });

  it('keeps no rows when it is closed', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const few = filled(100);
    const rows = few.search().map((row) => new WeakRef(row));
    const cursor = few.cursor();
    cursor.next();
    few.removeAll();
    cursor.close();
    const isGone = () => rows.every((row) => row.deref() === undefined);
    // V8 keeps an object until the end of the turn in which it was dereferenced, and may keep others
    // while it compiles functions.
    for (let turn = 0; turn < 20 && !isGone(); turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    assert.ok(isGone());
    assert.equal(cursor.next().done, true);
  });

  it('has the bytes of the rows that it sorts, and of a bit for each row', () => {
    const bytesIn = (options: SearchOptions<keyof typeof schema>) => {
      const cursor = table.cursor([], options);
      let most = 0;
      while (!cursor.next().done) most = Math.max(most, cursor.bytes);
      assert.equal(cursor.bytes, 0);
      return most;
    };
    const all = bytesIn(BY_PRIORITY);
    // A mask of all leaves, and their list.
    const least = Math.ceil(ROWS / LEAF_SLOTS) * (LEAF_SLOTS / 8 + 8);
    assert.ok(all >= 8 * (ROWS - 1024) && all <= 8 * ROWS + 2 * least, `${all} bytes`);
    assert.ok(bytesIn({ ...BY_PRIORITY, limit: 10 }) < 8 * 2000);
    const byId = bytesIn({ orderBy: [{ column: 'id', direction: 'desc' }] });
    assert.ok(byId >= least && byId < 2 * least, `${byId} bytes`);
    const begun = table.cursor([], BY_PRIORITY);
    let rows = begun.next().value;
    while (!rows) rows = begun.next().value;
    const kept = begun.bytes - byId;
    assert.equal(kept, 8 * (ROWS - rows.length), 'rows that are sorted, and not yet read');
    begun.close();
    const { arrayBuffers } = process.memoryUsage();
    const cursors = Array.from({ length: 200 }, () => table.cursor(WHERES['rows with a text']));
    for (const cursor of cursors) while (!cursor.next().value);
    const held = (process.memoryUsage().arrayBuffers - arrayBuffers) / cursors.length;
    for (const cursor of cursors) cursor.close();
    assert.ok(held < ROWS / 8 + 4096, `${held} bytes`);
  });
});

describe('the bytes that open cursors retain', () => {
  for (const [how, empty] of [
    ['emptied', (table: Tasks) => void table.removeAll()],
    ['replaced', (table: Tasks) => table.replacement().commit()],
  ] as const) {
    it(`are those of the whole table when it is ${how}`, () => {
      const table = filled(1500);
      table.update(1, { title: 'Changed' });
      const before = table.stats().bytes;
      const cursor = table.cursor();
      assert.equal(table.snapshotBytes, 0);
      empty(table);
      const { rows, indexes, snapshots, total } = table.stats().bytes;
      assert.deepEqual([rows, indexes, snapshots], [0, 0, total]);
      assert.equal(table.bytes, total);
      assert.equal(total, before.total);
      cursor.close();
      assert.deepEqual([table.snapshotBytes, table.bytes], [0, 0]);
    });
  }

  it('do not change with a write that is undone', () => {
    const table = filled(1500);
    const cursor = table.cursor();
    table.update(1, { title: 'copies the leaf' });
    const { snapshotBytes } = table;
    for (const write of [
      () => table.update(2, { title: 'changed' }),
      () => table.delete(2),
      () => table.remove((t) => [t.id.gt(1000)]),
    ]) {
      rollBack(table, write);
      assert.equal(table.snapshotBytes, snapshotBytes);
    }
    cursor.close();
    assert.equal(table.snapshotBytes, 0);
  });
});
