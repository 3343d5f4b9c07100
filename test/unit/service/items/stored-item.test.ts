import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Table } from '../../../../src/lib/table/index.ts';
import type { Definition, ItemFields } from '../../../../src/service/resource/definition.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const LONG_TITLE = 'x'.repeat(201);
const LONG_DESCRIPTION = 'x'.repeat(1001);
const createdAt = '2026-11-20T09:30:00.123';

/** Asserts the values of a stored row. Fields that are not given have the default of the variant. */
function assertRow({ fields }: Definition, row: object, values: object): void {
  const defaults = Object.entries(fields).map(([name, field]) => [name, field.default ?? null]);
  assert.deepEqual({ ...row }, { ...Object.fromEntries(defaults), ...values });
}

describe('the store, without the rules for requests', () => {
  it('has a default for every column of variant A', () => {
    const row = new Table(variantA.fields).insert({});
    const defaults = { title: '', description: '', completed: false, priority: 3 };
    assertRow(variantA, row, { id: 1, ...defaults });
  });

  it('has a default for every column of variant B but the time of creation', () => {
    const table = new Table<ItemFields>(variantB.fields);
    const row = table.insert({ createdAt });
    const defaults = { title: '', description: null, completed: false, priority: 3 };
    assertRow(variantB, row, { id: 1, ...defaults, createdAt });
    assert.throws(() => table.insert({}), { name: 'ColumnError' });
  });

  it('limits the title in variant A alone, and the description in both', () => {
    const [a, b] = [new Table(variantA.fields), new Table(variantB.fields)];
    assert.throws(() => a.insert({ title: LONG_TITLE }), { name: 'ColumnError' });
    assert.equal(b.insert({ title: LONG_TITLE, createdAt }).title, LONG_TITLE);
    assert.throws(() => a.insert({ description: LONG_DESCRIPTION }), { name: 'ColumnError' });
    assert.throws(() => b.insert({ description: LONG_DESCRIPTION, createdAt }), {
      name: 'ColumnError',
    });
  });

  it('takes null for no column but the description of variant B', () => {
    const [a, b] = [new Table(variantA.fields), new Table(variantB.fields)];
    for (const name of ['title', 'description', 'completed', 'priority']) {
      const values: object = { [name]: null };
      assert.throws(() => a.insert(values), { name: 'ColumnError' }, name);
      const insert = () => b.insert({ createdAt, ...values });
      if (name === 'description') assert.equal(insert().description, null);
      else assert.throws(insert, { name: 'ColumnError' }, name);
    }
  });
});
