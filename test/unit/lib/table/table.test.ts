import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ColumnError, TableFullError } from '../../../../src/lib/table/errors.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { idsOf } from './support/rows.ts';
import { filled, schema, type Tasks } from './support/tables.ts';

/** Values as an unchecked caller may pass them. */
const unchecked = <T>(values: unknown) => values as T;

const make = (): Tasks => filled(0);

describe('insert', () => {
  it('assigns ids in order, and fills in defaults and nulls, in the order of the schema', () => {
    const table = make();
    const row = table.insert({ priority: 7, title: 'a' });
    assert.deepEqual(row, { id: 1, title: 'a', done: false, priority: 7, note: null });
    assert.deepEqual(Object.keys(row), Object.keys(schema));
    assert.equal(table.insert(unchecked({ title: 'b', priority: undefined })).priority, 0);
    assert.equal(table.find(2)?.row.id, 2);
    assert.ok(Object.is(table.insert({ title: 'c', priority: -0 }).priority, 0));
  });

  for (const [column, values] of [
    ['title', {}],
    ['title', { title: null }],
    ['note', { title: 'a', note: false }],
    ['done', { title: 'a', done: null }],
    ['id', { title: 'a', id: 7 }],
    ['nothing', { title: 'a', nothing: 1 }],
  ] as const) {
    it(`refuses ${JSON.stringify(values)} for column "${column}", and loses no id`, () => {
      const table = make();
      const insert = () => table.insert(unchecked(values));
      assert.throws(insert, (error) => error instanceof ColumnError && error.column === column);
      assert.equal(table.size, 0);
      assert.equal(table.insert({ title: 'a' }).id, 1);
    });
  }

  it('refuses rows beyond the limit, until one is deleted', () => {
    const table = filled(2, { maxRows: 2 });
    assert.throws(() => table.insert({ title: 'c' }), TableFullError);
    table.update(1, { title: 'd' });
    table.delete(1);
    assert.equal(table.insert({ title: 'c' }).id, 3);
  });
});

describe('an id', () => {
  it('of the wrong type is that of no row', () => {
    const table = filled(1);
    for (const id of [2n ** 53n, '1', 1.5, 0, -1, Number.NaN, undefined, 2 ** 53]) {
      assert.equal(table.find(unchecked(id)), undefined);
      assert.equal(table.delete(unchecked(id)), false);
    }
    const big = new Table({ id: { kind: 'bigint', identity: { from: 1n, to: 9n } } });
    big.insert({});
    for (const id of [2 ** 53, '1', 0n, 2n, undefined])
      assert.equal(big.find(unchecked(id)), undefined);
    assert.equal(big.size, 1);
  });

  it('after many deleted ones costs no memory for these', () => {
    const table = make();
    for (let i = 0; i < 5_000; i++) {
      table.insert({ title: 'a' });
      if (i >= 10) table.delete(i - 9);
    }
    assert.deepEqual(
      idsOf(table.search()),
      Array.from({ length: 10 }, (_, i) => 4_991 + i),
    );
    assert.ok(table.bytes < 100_000);
  });
});

it('the bytes of one row are a few kilobytes', () => {
  const { bytes } = filled(1);
  assert.ok(bytes < 8_000, `${bytes} bytes`);
});
