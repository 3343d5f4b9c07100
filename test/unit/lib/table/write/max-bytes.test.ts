import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TableFullError } from '../../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text' },
} as const satisfies Schema;

const MAX_BYTES = 200_000;

type Titles = Table<typeof schema>;

const numbered = (i: number) => `Title number ${i}`;

function isFull(error: unknown): boolean {
  return (
    error instanceof TableFullError &&
    error.bound === 'bytes' &&
    error.message === `the table would take more than its maximum of ${error.limit} bytes`
  );
}

/** Inserts rows until there is no memory for another one. Returns their number. */
function fillWith(rows: Pick<Titles, 'insert'>, title: (i: number) => string = numbered): number {
  for (let count = 0; ; count++) {
    try {
      rows.insert({ title: title(count) });
    } catch (error) {
      assert.ok(isFull(error), String(error));
      return count;
    }
  }
}

function full(maxBytes = MAX_BYTES, title = numbered): Titles {
  const table = new Table(schema, { maxBytes });
  fillWith(table, title);
  return table;
}

describe('a table with a maximum of bytes', () => {
  it('refuses a row that does not fit, and loses no id', () => {
    const table = full();
    const { size } = table;
    assert.ok(size > 500 && size < 2500, `${size} rows`);
    assert.ok(table.bytes <= MAX_BYTES);
    assert.throws(() => table.insert({ title: 'x'.repeat(1000) }), { limit: MAX_BYTES });
    assert.equal(table.size, size);
    for (let id = 1; id <= size / 2; id++) table.delete(id);
    assert.equal(table.insert({ title: numbered(1) }).id, size + 1);
  });

  it('takes rows up to its maximum exactly, and not a byte more', () => {
    for (const title of ['a title', 'ein längerer Titel']) {
      const free = new Table(schema);
      free.insert({ title });
      const maxBytes = free.bytes;
      const table = new Table(schema, { maxBytes });
      table.insert({ title });
      assert.equal(table.bytes, maxBytes);
      assert.throws(() => table.update(1, { title: `${title}, which is longer` }), isFull);
      const smaller = new Table(schema, { maxBytes: maxBytes - 1 });
      assert.throws(() => smaller.insert({ title }), isFull);
      assert.throws(() => smaller.fork().insert({ title }), isFull);
    }
  });

  it('does not count previous rows that a cursor keeps', () => {
    const table = full();
    const cursor = table.cursor();
    assert.equal(table.update(1, { title: numbered(9) })?.title, numbered(9));
    table.delete(2);
    assert.equal(table.insert({ title: numbered(9) }).title, numbered(9));
    assert.throws(() => table.insert({ title: numbered(9) }), isFull);
    assert.equal([...cursor][1]?.id, 2);
    assert.ok(table.bytes <= MAX_BYTES, `${table.bytes} bytes`);
  });

  it('assigns no id to a row that it refuses', () => {
    for (const title of ['Title', 'ß'.repeat(500)]) {
      const table = new Table(schema, { maxBytes: MAX_BYTES });
      const count = fillWith(table, () => title);
      assert.ok(table.bytes <= MAX_BYTES, `${table.bytes} bytes`);
      assert.deepEqual([table.size, table.idsAssigned], [count, BigInt(count)]);
      assert.equal(table.search((t) => [t.title.eq(title)]).length, count);
    }
  });
});
