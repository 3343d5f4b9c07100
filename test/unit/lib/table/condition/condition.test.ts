import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Condition, or } from '../../../../../src/lib/table/condition/condition.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9999 } },
  title: { kind: 'text' },
  flag: { kind: 'boolean', nullable: true },
  note: { kind: 'text', nullable: true },
  size: { kind: 'bigint', nullable: true },
} as const satisfies Schema;

/** Makes a table of one row, in which all but the title is null. */
function single() {
  const table = new Table(schema);
  table.insert({ title: 'a' });
  return table;
}

const TRUE: Condition = { op: 'eq', column: 'title', value: 'a' };

const OF_BIGINT =
  'on column "size" must be a 64-bit signed integer, which is a bigint beyond 2^53 - 1';
const OF_TEXT = 'on column "title" must be text without lone surrogates';
const holes = [1n, 2n, 3n];
delete holes[1];

describe('conditions from outside', () => {
  const refused: readonly (readonly [message: string, condition: unknown])[] = [
    ['there is no operator "matches"', { op: 'matches', column: 'title', value: 'x' }],
    ['there is no operator of type undefined', { column: 'title', value: 'x' }],
    ['there is no column "nothing"', { op: 'eq', column: 'nothing', value: 'x' }],
    ['there is no column "__proto__"', { op: 'eq', column: '__proto__', value: 'x' }],
    ['there is no column of type number', { op: 'eq', column: 1, value: 'x' }],
    ['"gt" is not for column "flag", which is boolean', { op: 'gt', column: 'flag', value: true }],
    [
      '"endsWith" is not for column "size", which is bigint',
      { op: 'endsWith', column: 'size', value: '1' },
    ],
    ['"isNull" is not for column "title", which is never null', { op: 'isNull', column: 'title' }],
    [
      `a value of "eq" ${OF_TEXT} (for null, use isNull or isNotNull)`,
      { op: 'eq', column: 'title', value: null },
    ],
    [`a value of "eq" ${OF_TEXT}`, { op: 'eq', column: 'title' }],
    [
      'a value of "eq" on column "id" must be a 32-bit signed integer',
      { op: 'eq', column: 'id', value: '1' },
    ],
    [`a value of "in" ${OF_BIGINT}`, { op: 'in', column: 'size', values: [1n, 2 ** 53] }],
    [`a value of "notIn" ${OF_BIGINT}`, { op: 'notIn', column: 'size', values: holes }],
    ['"in" on column "size" takes a list of values', { op: 'in', column: 'size', values: 1n }],
    ['"and" takes a list of conditions', { op: 'and', conditions: TRUE }],
    ['a condition is an object with an "op"', { op: 'not', condition: 'true' }],
  ];

  for (const [message, condition] of refused) {
    test(`are refused: ${message}`, () => {
      const table = single();
      const given = [TRUE, or(condition as Condition)] as const;
      const error = { name: 'ConditionError', message };
      assert.throws(() => table.search(given), error);
      assert.throws(() => table.remove(given), error);
      assert.equal(table.size, 1);
    });
  }

  test('may have other members, which do not count', () => {
    const table = single();
    const where = (condition: object) => [condition as Condition];
    assert.equal(table.search(where({ op: 'and', column: 'id', conditions: [TRUE] })).length, 1);
    assert.equal(table.search(where({ op: 'or', column: 'id', conditions: [] })).length, 0);
    const other = { ...TRUE, conditions: null };
    assert.equal(table.search(where({ op: 'or', conditions: [other, TRUE] })).length, 1);
  });

  for (const [op, ...operands] of [['contains'], ['startsWith', null], ['gte', undefined]]) {
    test(`are refused where the method "${op}" is called with ${operands}`, () => {
      const table = single();
      const call = (columns: object) => {
        const title: object = Reflect.get(columns, 'title');
        return [Reflect.get(title, String(op)).call(title, ...operands)] as const;
      };
      assert.throws(() => table.remove(call), {
        name: 'ConditionError',
        message: new RegExp(`^"${op}" on column "title" takes a (value|text)$`),
      });
      assert.equal(table.size, 1);
    });
  }
});
