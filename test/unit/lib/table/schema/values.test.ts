import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ColumnError } from '../../../../../src/lib/table/errors.ts';
import type { Kind, Schema, Value } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  integer: { kind: 'integer', nullable: true },
  bigint: { kind: 'bigint', nullable: true },
  boolean: { kind: 'boolean', nullable: true },
  text: { kind: 'text', nullable: true, maxLength: 3 },
  timestamp: { kind: 'timestamp', nullable: true },
  number: { kind: 'number', nullable: true },
  instant: { kind: 'instant', nullable: true },
  json: { kind: 'json', nullable: true },
} as const satisfies Schema;

const table = new Table(schema);

function takes(kind: Kind, value: unknown, stored = value): boolean {
  const values = { [kind]: value as Value };
  try {
    assert.equal(table.insert(values)[kind], stored);
    return true;
  } catch (error) {
    assert.ok(error instanceof ColumnError && error.column === kind, String(error));
    return false;
  }
}

const TIMESTAMP = '2026-11-20T09:30:00.123';

describe('a column takes the values of its kind alone', () => {
  for (const [kind, taken, refused] of [
    [
      'integer',
      [0, 1, 2 ** 31 - 1, -(2 ** 31)],
      [2 ** 31, -(2 ** 31) - 1, 2n ** 31n, 0.5, Number.NaN, '1', true],
    ],
    [
      'bigint',
      [0, 2 ** 53 - 1, -(2 ** 53) + 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
      [2n ** 63n, -(2n ** 63n) - 1n, 2 ** 53, -(2 ** 53), 1e300, 0.5, '1', false],
    ],
    ['boolean', [true, false], [0, 1, 'true', {}]],
    ['text', ['', 'abc', '😀😀😀'], ['abcd', '😀😀😀a', '\udc00', 'a\ud800', 1, ['a'], {}]],
    [
      'timestamp',
      [TIMESTAMP],
      [
        TIMESTAMP.slice(0, 10),
        TIMESTAMP.slice(0, 19),
        '2026-01-01T24:00:00.000',
        '',
        0,
        new Date(0),
      ],
    ],
    [
      'number',
      [0, 0.1, -1.5, Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 60],
      [Number.NaN, Number.POSITIVE_INFINITY, 1n, '1', true],
    ],
    [
      'instant',
      [`${TIMESTAMP}Z`],
      [TIMESTAMP, `${TIMESTAMP}+00:00`, '2026-02-30T09:30:00.123Z', '2026-11-20T09:30:00Z', 'Z', 0],
    ],
    ['json', ['[]', '{"a":[1]}'], ['1', '', 'null', '"x"', [], {}]],
  ] as const) {
    test(kind, () => {
      for (const value of [null, ...taken]) assert.ok(takes(kind, value), `takes ${value}`);
      for (const value of refused) assert.ok(!takes(kind, value), `refuses ${String(value)}`);
    });
  }
});

test('an integer is stored as a number while it is safe, however it was sent', () => {
  assert.ok(takes('integer', 5n, 5));
  assert.ok(takes('bigint', 2n ** 53n - 1n, 2 ** 53 - 1));
  for (const kind of ['integer', 'bigint'] as const) assert.ok(takes(kind, -0, 0));
});

test('the error about a text that is too long has the column and the limit', () => {
  assert.throws(() => table.insert({ text: '😀😀😀a' }), {
    name: 'ColumnError',
    column: 'text',
    message: 'column "text" must have at most 3 characters',
  });
});

test('a timestamp is of a day that exists', () => {
  for (const year of [1600, 1900, 2000, 2023, 2024, 2100]) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
        const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
        assert.equal(takes('timestamp', `${date}T23:59:59.999`), exists, date);
      }
    }
  }
});
