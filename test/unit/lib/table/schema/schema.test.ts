import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ColumnError, SchemaError } from '../../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

describe('a schema', () => {
  const id = { kind: 'integer', identity: { from: 1, to: 9 } } as const;
  const wrong = {
    'a schema must have exactly one identity column': { title: { kind: 'text' } },
    'column "n" is an identity but not an integer': {
      n: { kind: 'text', identity: { from: 1n, to: 2n } },
    },
    'column "n" has an identity range that is not a range of integer': {
      n: { kind: 'integer', identity: { from: 1n, to: 2n } },
    },
    'column "n" has an identity range that is not a range of bigint': {
      n: { kind: 'bigint', identity: { from: 2n, to: 1n } },
    },
    'column "n" is an identity, which takes neither null nor a default': {
      n: { ...id, nullable: true },
    },
    'column "n" is an identity, which needs no other index': { n: { ...id, index: 'ordered' } },
    'column "n" has the kind "string", which there is not': { id, n: { kind: 'string' } },
    'column "n" has a substring index but is not text': {
      id,
      n: { kind: 'integer', index: 'substring' },
    },
    'column "n" has an ordered index but is a boolean': {
      id,
      n: { kind: 'boolean', index: 'ordered' },
    },
    'column "n" has a maxLength but is not text': { id, n: { kind: 'integer', maxLength: 3 } },
    'column "constructor" has the name of a member of every object': {
      id,
      constructor: { kind: 'text' },
    },
  } as Record<string, object> as Record<string, Schema>;
  for (const [message, schema] of Object.entries(wrong)) {
    test(`is refused: ${message}`, () => {
      assert.throws(() => new Table(schema), { name: 'SchemaError', message });
    });
  }

  for (const [what, schema] of Object.entries({
    'two identities': { id, other: id },
    'an identity with a default': { id: { ...id, default: 1 } },
    'a range of which only the start is a number': {
      id: { kind: 'integer', identity: { from: 1, to: 2n } },
    },
  } as Record<string, Schema>)) {
    test(`refuses ${what}`, () => {
      assert.throws(() => new Table(schema), SchemaError);
    });
  }

  for (const identity of [
    { from: -(2 ** 31) - 1, to: 9 },
    { from: 1, to: 2 ** 31 },
  ]) {
    test(`refuses ids from ${identity.from} to ${identity.to}, which are no integers`, () => {
      assert.throws(() => new Table({ id: { kind: 'integer', identity } }), ColumnError);
    });
  }

  test('may have a single id', () => {
    const table = new Table({ id: { kind: 'integer', identity: { from: 7, to: 7 } } });
    assert.equal(table.insert({}).id, 7);
    assert.throws(() => table.insert({}), { name: 'IdsExhaustedError', last: 7 });
  });

  test('refuses a default that its column does not take', () => {
    const done = { kind: 'boolean', default: 1 } as const;
    assert.throws(() => new Table({ id, done }), ColumnError);
  });

  test('refuses a first id that is out of range or no integer', () => {
    for (const firstId of [10, 1.5]) {
      assert.throws(() => new Table({ id }, { firstId }), SchemaError);
    }
  });

  test('may say more about a column than the table wants to know', () => {
    const richer = { id, title: { kind: 'text', label: 'What to do', required: true } } as const;
    assert.equal(new Table(richer).insert({ title: 'a' }).title, 'a');
  });
});
