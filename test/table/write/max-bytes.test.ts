import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TableFullError } from '../../../src/table/errors.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

const MAX_BYTES = 200_000;

function full() {
  const tasks: (() => void)[] = [];
  const table = new Table(schema, { maxBytes: MAX_BYTES, schedule: (task) => tasks.push(task) });
  assert.throws(() => {
    for (;;) table.insert({ title: `Title number ${table.size}` });
  }, isFull);
  return { table, tasks };
}

function isFull(error: unknown): boolean {
  return (
    error instanceof TableFullError &&
    error.bound === 'bytes' &&
    error.message === `the table would take more than its maximum of ${MAX_BYTES} bytes`
  );
}

describe('a table of so many bytes', () => {
  test('refuses a row that does not fit, and loses no id', () => {
    const { table } = full();
    const { size } = table;
    assert.ok(size > 500 && size < 2500, `${size} rows`);
    assert.ok(table.stats().bytes.total <= MAX_BYTES);
    assert.throws(() => table.insert({ title: 'x'.repeat(1000) }), isFull);
    assert.equal(table.size, size);
    // Room for a new page, too.
    for (let id = 1; id <= 300; id++) table.delete(id);
    assert.equal(table.insert({ title: 'x' }).id, size + 1);
  });

  test('refuses an update that makes a row larger, and takes any other', () => {
    const { table } = full();
    assert.throws(() => table.update(1, { title: 'y'.repeat(10_000) }), isFull);
    assert.equal(table.get(1)?.title, 'Title number 0');
    assert.equal(table.update(1, { title: 'Title number 9' })?.title, 'Title number 9');
    assert.equal(table.update(1, { title: '' })?.title, '');
  });

  test('takes nothing of a transaction that does not fit', () => {
    const { table } = full();
    table.removeAll();
    const transaction = () =>
      table.transaction(() => {
        for (;;) table.insert({ title: 'x' });
      });
    assert.throws(transaction, isFull);
    assert.equal(table.size, 0);
  });

  test('takes what comes to its maximum exactly, and not a byte more', () => {
    const title = 'a title';
    const free = new Table(schema, { schedule: () => {} });
    free.insert({ title });
    const maxBytes = free.bytes;
    const table = new Table(schema, { maxBytes, schedule: () => {} });
    table.replacement().insert({ title });
    table.insert({ title });
    assert.equal(table.bytes, maxBytes);
    assert.throws(() => table.update(1, { title: `${title}, which is longer` }), TableFullError);
    const smaller = new Table(schema, { maxBytes: maxBytes - 1, schedule: () => {} });
    assert.throws(() => smaller.insert({ title }), TableFullError);
    assert.throws(() => smaller.replacement().insert({ title }), TableFullError);
  });

  test('has pending rows indexed even while others write, when it is half full', () => {
    const { table, tasks } = full();
    const indexed = () => table.stats().bytes.indexes.title ?? 0;
    const before = indexed();
    for (let i = 0; i < 1000 && indexed() >= 0.75 * before; i++) {
      table.update(1, { title: i % 2 === 0 ? 'a' : 'b' });
      tasks.shift()?.();
    }
    assert.ok(indexed() < 0.75 * before, 'what was reserved for them is more than they take');
    assert.ok(table.insert({ title: 'x' }).id > 0);
  });

  test('counts what snapshots keep, and always deletes', () => {
    const { table } = full();
    const snapshot = table.snapshot();
    table.removeAll();
    assert.ok(table.stats().bytes.total > MAX_BYTES / 3);
    assert.throws(() => {
      for (;;) table.insert({ title: `Title number ${table.size}` });
    }, isFull);
    const { size } = table;
    snapshot.close();
    for (let i = 0; i < 100; i++) table.insert({ title: 'x' });
    assert.equal(table.size, size + 100);
  });

  test('is replaced by one that fits by itself, and by no other', () => {
    const { table } = full();
    const replacement = table.replacement();
    assert.throws(() => {
      for (;;) replacement.insert({ title: 'Title' });
    }, isFull);
    const other = table.replacement();
    for (let i = 0; i < 100; i++) other.insert({ title: 'Title' });
    other.commit();
    assert.equal(table.size, 100);
    assert.equal(table.insert({ title: 'x' }).id, 101);
  });
});
