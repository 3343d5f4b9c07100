import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ColumnError,
  EmptyConditionError,
  IdsExhaustedError,
  TableFullError,
} from '../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', maxLength: 3, index: 'substring' },
  note: { kind: 'text', nullable: true },
  done: { kind: 'boolean', default: false },
  priority: { kind: 'integer', default: 3, index: 'ordered' },
  at: { kind: 'timestamp', nullable: true, default: '2026-01-01T00:00:00.000' },
} as const satisfies Schema;

const make = () => new Table(schema);

/** Values as an unchecked caller may pass them. */
const unchecked = <T>(values: unknown) => values as T;

describe('insert', () => {
  it('assigns ids in order, and fills in defaults and nulls', () => {
    const table = make();
    assert.deepEqual(table.insert({ title: 'a' }), {
      id: 1,
      title: 'a',
      note: null,
      done: false,
      priority: 3,
      at: '2026-01-01T00:00:00.000',
    });
    assert.equal(table.insert({ title: 'b', at: null }).at, null);
    assert.equal(table.get(2)?.id, 2);
  });

  it('keeps columns in schema order, whatever order they are given in', () => {
    const row = make().insert({ priority: 1, done: true, title: 'a' });
    assert.deepEqual(Object.keys(row), Object.keys(schema));
  });

  it('measures length in code points', () => {
    const table = make();
    assert.equal(table.insert({ title: '😀😀😀' }).title, '😀😀😀');
    assert.throws(() => table.insert({ title: '😀😀😀a' }), {
      name: 'ColumnError',
      column: 'title',
      message: 'column "title" must have at most 3 characters',
    });
  });

  for (const [column, values] of [
    ['title', {}],
    ['title', { title: null }],
    ['title', { title: 1 }],
    ['title', { title: '\ud800' }],
    ['note', { title: 'a', note: false }],
    ['done', { title: 'a', done: 'true' }],
    ['done', { title: 'a', done: null }],
    ['priority', { title: 'a', priority: 1.5 }],
    ['priority', { title: 'a', priority: 2 ** 31 }],
    ['priority', { title: 'a', priority: 1n }],
    ['priority', { title: 'a', priority: Number.NaN }],
    ['at', { title: 'a', at: '2026-02-29T00:00:00.000' }],
    ['at', { title: 'a', at: '1900-02-29T00:00:00.000' }],
    ['at', { title: 'a', at: '2026-04-31T00:00:00.000' }],
    ['at', { title: 'a', at: '2026-01-01T24:00:00.000' }],
    ['at', { title: 'a', at: '2026-01-01T00:00:00' }],
    ['id', { title: 'a', id: 7 }],
    ['nothing', { title: 'a', nothing: 1 }],
  ] as const) {
    it(`rejects ${String(JSON.stringify(Object.keys(values)))} for column "${column}"`, () => {
      const table = make();
      assert.throws(
        () => table.insert(unchecked(values)),
        (error) => error instanceof ColumnError && error.column === column,
      );
      assert.equal(table.size, 0);
      assert.equal(table.insert({ title: 'a' }).id, 1, 'no id is lost');
    });
  }

  it('accepts the last day of every month', () => {
    const table = make();
    for (const day of ['2026-02-28', '2024-02-29', '2000-02-29', '2026-04-30', '2026-12-31']) {
      const at = `${day}T23:59:59.999`;
      assert.equal(table.insert({ title: 'a', at }).at, at);
    }
  });

  it('stores minus zero as zero', () => {
    assert.ok(Object.is(make().insert({ title: 'a', priority: -0 }).priority, 0));
  });

  it('rejects rows beyond the limit, until one is deleted', () => {
    const table = new Table(schema, { maxRows: 2 });
    table.insert({ title: 'a' });
    table.insert({ title: 'b' });
    assert.throws(() => table.insert({ title: 'c' }), TableFullError);
    table.update(1, { title: 'd' });
    table.delete(1);
    assert.equal(table.insert({ title: 'c' }).id, 3);
  });

  it('rejects rows once ids are used up', () => {
    const table = new Table(schema, { firstId: 2 ** 31 - 2 });
    table.insert({ title: 'a' });
    assert.equal(table.insert({ title: 'b' }).id, 2 ** 31 - 1);
    table.delete(2 ** 31 - 1);
    assert.throws(() => table.insert({ title: 'c' }), IdsExhaustedError);
    assert.equal(table.size, 1);
  });
});

describe('ids', () => {
  it('are exact beyond 2^53', () => {
    const big = {
      id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n } },
    } as const satisfies Schema;
    for (const firstId of [1n, 2n ** 53n - 1n, 2n ** 63n - 4n]) {
      const table = new Table(big, { firstId });
      const ids = [0n, 1n, 2n].map((n) => firstId + n);
      assert.deepEqual(
        ids.map(() => table.insert({}).id),
        ids,
      );
      table.delete(firstId + 1n);
      assert.equal(table.get(firstId + 1n), undefined);
      assert.equal(table.get(firstId - 1n), undefined);
      assert.deepEqual(table.get(firstId + 2n), { id: firstId + 2n });
      assert.equal(
        table.count((t) => [t.id.gt(firstId)]),
        1,
      );
      assert.equal(
        table.count((t) => [t.id.between(firstId, firstId + 1n)]),
        1,
      );
    }
  });

  it('of the wrong type match nothing', () => {
    const table = make();
    table.insert({ title: 'a' });
    for (const id of [1n, '1', 1.5, 0, -1, Number.NaN, undefined, 2 ** 53]) {
      assert.equal(table.get(unchecked(id)), undefined);
      assert.equal(table.delete(unchecked(id)), false);
    }
    const big = new Table({ id: { kind: 'bigint', identity: { from: 1n, to: 9n } } });
    big.insert({});
    for (const id of [1, '1', 0n, 2n, undefined]) assert.equal(big.get(unchecked(id)), undefined);
    assert.equal(big.size, 1);
  });

  it('stay cheap to look up after nearly all rows before them are deleted', () => {
    const table = make();
    for (let i = 0; i < 5000; i++) {
      table.insert({ title: 'a' });
      if (i >= 10) table.delete(i - 9);
    }
    assert.equal(table.size, 10);
    assert.equal(table.get(4990), undefined);
    assert.deepEqual(
      table.search().map(({ id }) => id),
      Array.from({ length: 10 }, (_, i) => 4991 + i),
    );
    assert.ok(table.stats().bytes.rows < 100_000, 'pages without rows are not kept');
  });
});

describe('update', () => {
  it('creates a new row and leaves the old one unchanged', () => {
    const table = make();
    const before = table.insert({ title: 'a' });
    const after = table.update(1, { title: 'b', note: 'x' });
    assert.equal(before.title, 'a');
    assert.deepEqual(after, { ...before, title: 'b', note: 'x' });
    assert.equal(table.get(1), after);
  });

  it('changes no column whose new value is undefined, which an insert takes for missing', () => {
    const table = make();
    const before = table.insert(unchecked({ title: 'a', priority: undefined }));
    assert.equal(before.priority, 3);
    const after = table.update(1, unchecked({ title: undefined, note: 'x', done: undefined }));
    assert.deepEqual(after, { ...before, note: 'x' });
  });

  it('changes nothing if a value is invalid', () => {
    const table = make();
    const before = table.insert({ title: 'a' });
    assert.throws(() => table.update(1, unchecked({ note: 'x', done: null })), ColumnError);
    assert.throws(() => table.update(1, unchecked({ id: 2 })), ColumnError);
    assert.equal(table.get(1), before);
    assert.equal(table.version, 1);
  });

  it('returns undefined if there is no such row', () => {
    assert.equal(make().update(1, { title: 'a' }), undefined);
  });
});

describe('remove', () => {
  it('deletes matching rows and returns their number', () => {
    const table = make();
    for (const title of ['a', 'ab', 'b']) table.insert({ title });
    assert.equal(
      table.remove((t) => [t.title.contains('a')]),
      2,
    );
    assert.deepEqual(
      table.search().map(({ id }) => id),
      [3],
    );
    assert.equal(
      table.remove((t) => [t.title.contains('a')]),
      0,
    );
    assert.equal(table.version, 4, 'removing nothing is not a commit');
  });

  it('requires a condition, except in removeAll', () => {
    const table = make();
    table.insert({ title: 'a' });
    assert.throws(() => table.remove(unchecked([])), EmptyConditionError);
    assert.throws(() => table.remove(unchecked(() => [])), EmptyConditionError);
    assert.equal(table.size, 1);
    assert.equal(table.removeAll(), 1);
    assert.equal(table.insert({ title: 'b' }).id, 2);
  });
});

describe('stats', () => {
  const zero = { rows: 0, indexes: 0, snapshots: 0, total: 0 };

  it('include rows, indexes and rows that cursors keep', () => {
    const table = make();
    assert.deepEqual(table.stats(), { rows: 0, bytes: zero });
    for (let i = 0; i < 100; i++) table.insert({ title: 'Äbc', note: 'x'.repeat(1000) });
    const full = table.stats();
    assert.equal(full.rows, 100);
    assert.ok(full.bytes.rows > 100_000 && full.bytes.rows < 200_000);
    assert.ok(full.bytes.indexes > 8_000 && full.bytes.indexes < 20_000);
    assert.equal(full.bytes.total, full.bytes.rows + full.bytes.indexes);
    assert.equal(table.bytes, full.bytes.total);
    table.update(1, { note: null });
    assert.equal(table.stats().bytes.rows, full.bytes.rows - 1016);
    const cursor = table.cursor();
    table.update(1, { note: 'y' });
    const { snapshots, total, rows, indexes } = table.stats().bytes;
    assert.ok(snapshots > 0);
    assert.equal(total, rows + indexes + snapshots);
    assert.equal(table.snapshotBytes, snapshots);
    cursor.close();
    table.removeAll();
    assert.deepEqual(table.stats(), { rows: 0, bytes: zero });
  });

  it('are a few kilobytes for one row', () => {
    const table = make();
    table.insert({ title: 'a' });
    assert.ok(table.bytes < 8_000, `${table.bytes} bytes`);
  });
});
