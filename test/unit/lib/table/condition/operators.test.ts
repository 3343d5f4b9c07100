import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type {
  ColumnCondition,
  Condition,
} from '../../../../../src/lib/table/condition/condition.ts';
import { operatorsOf } from '../../../../../src/lib/table/condition/operators.ts';
import { ConditionError } from '../../../../../src/lib/table/errors.ts';
import type { Kind, Schema, Value } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const id = { kind: 'integer', identity: { from: 1, to: 9 } } as const;

const VALUES: Readonly<Record<Kind, Value>> = {
  integer: 1,
  bigint: 1n,
  boolean: true,
  text: 'a',
  timestamp: '2026-11-20T09:30:00.123',
};

describe('the operators of a column are those that a search takes:', () => {
  const equality = ['eq', 'ne', 'in', 'notIn'] as const;
  const ordering = [...equality, 'gt', 'gte', 'lt', 'lte'] as const;
  const matching = ['contains', 'containsIgnoreCase', 'startsWith', 'endsWith'] as const;
  const nullTests = ['isNull', 'isNotNull'] as const;
  const byKind: Readonly<Record<Kind, readonly ColumnCondition['op'][]>> = {
    integer: ordering,
    bigint: ordering,
    boolean: equality,
    text: [...ordering, ...matching],
    timestamp: ordering,
  };

  for (const kind of ['integer', 'bigint', 'boolean', 'text', 'timestamp'] as const) {
    for (const nullable of [false, true]) {
      test(`${kind}, ${nullable ? 'with' : 'without'} null`, () => {
        const column = { kind, nullable };
        const expected = [...byKind[kind], ...(nullable ? nullTests : [])];
        assert.deepEqual(operatorsOf(column).toSorted(), expected.toSorted());
        const table = new Table<Schema>({ id, column });
        const value = VALUES[kind];
        const operands = { value, values: [value] };
        for (const op of [...ordering, ...matching, ...nullTests]) {
          const search = () => table.search([{ op, column: 'column', ...operands } as Condition]);
          if (expected.includes(op)) assert.deepEqual(search(), [], op);
          else assert.throws(search, ConditionError, op);
        }
      });
    }
  }
});
