import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ColumnError } from '../../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const id = { kind: 'integer', identity: { from: 1, to: 9 } } as const;

const ONE_IDENTITY = 'a schema must have exactly one identity column';
const NO_NULL = 'column "n" is an identity, which takes neither null nor a default';
const NO_RANGE = 'column "n" has an identity range from 2 to 1, which is empty';

describe('a schema', () => {
  const wrong: readonly (readonly [message: string, schema: object])[] = [
    [ONE_IDENTITY, { title: { kind: 'text' } }],
    [ONE_IDENTITY, { id, other: id }],
    [
      'column "n" is an identity but not an integer',
      { n: { kind: 'text', identity: { from: 1n, to: 2n } } },
    ],
    [NO_RANGE, { n: { kind: 'integer', identity: { from: 2, to: 1 } } }],
    [NO_RANGE, { n: { kind: 'bigint', identity: { from: 2, to: 1n } } }],
    [NO_NULL, { n: { ...id, nullable: true } }],
    [NO_NULL, { n: { ...id, default: 1 } }],
    ['column "n" has the unknown kind "string"', { id, n: { kind: 'string' } }],
    ['column "n" has a maxLength but is not text', { id, n: { kind: 'integer', maxLength: 3 } }],
    [
      'column "constructor" has the name of a member of every object',
      { id, constructor: { kind: 'text' } },
    ],
  ];
  for (const [message, schema] of wrong) {
    test(`is refused: ${message} (${Object.keys(schema)})`, () => {
      assert.throws(() => new Table(schema as Schema), { name: 'SchemaError', message });
    });
  }

  test('refuses values that its columns do not take', () => {
    for (const identity of [
      { from: -(2 ** 31) - 1, to: 9 },
      { from: 1, to: 2 ** 31 },
    ]) {
      assert.throws(() => new Table({ id: { kind: 'integer', identity } }), ColumnError);
    }
    const done = { kind: 'boolean', default: 1 } as const;
    assert.throws(() => new Table({ id, done }), ColumnError);
  });

  test('may have a single id, and members that the table does not read', () => {
    const single = { kind: 'integer', identity: { from: 7, to: 7 } } as const;
    const table = new Table({ id: single, title: { kind: 'text', label: 'A title' } as const });
    assert.deepEqual(table.insert({ title: 'a' }), { id: 7, title: 'a' });
    assert.throws(() => table.insert({ title: 'b' }), { name: 'IdsExhaustedError', last: 7 });
  });
});
