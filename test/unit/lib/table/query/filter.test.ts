import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { and, type Condition, not, or } from '../../../../../src/lib/table/condition/condition.ts';
import {
  OPERATOR_NAMES,
  type OperatorName,
} from '../../../../../src/lib/table/condition/operators.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { countTests } from '../support/costs.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  few: { kind: 'text', nullable: true },
  many: { kind: 'text', nullable: true },
} as const satisfies Schema;

/** One row in 50 has one of 40 texts in `few`; in `many` most neighbors have different ones. */
const ROWS = 2_860;

/** The most rows that are tested where an interval begins or ends. */
const MOST_AT_AN_END = 512;

function filled() {
  const table = new Table(schema);
  for (let i = 1; i <= ROWS; i++) {
    const text = `Text ${(i / 50) % 40}`;
    table.insert({ few: i % 50 === 0 ? text : null, many: text });
  }
  return table;
}

const table = filled();
const ROWS_OF_TABLE = table.search();

const value = 'Text 12';
const operands = { value, values: [value, 'Text 5'] };
const on = (column: string, op: OperatorName, given: object = operands) =>
  ({ op, column, ...given }) as Condition;

/** Counts the rows that a condition matches, and the rows that are tested for it. */
function counted(where: Condition): { readonly tested: number; readonly matches: number } {
  const expected = found(ROWS_OF_TABLE, [where]);
  assertSame(table.search([where]), expected, JSON.stringify(where));
  return { tested: countTests(schema, ROWS_OF_TABLE, [where]), matches: expected.length };
}

const testedFor = (where: Condition) => counted(where).tested;

describe('the rows that are tested for a condition on one column', () => {
  for (const op of OPERATOR_NAMES) {
    it(`are none if neighbors have few values, unless case is ignored: ${op}`, () => {
      for (const condition of [on('few', op), not(on('few', op))]) {
        assert.equal(testedFor(condition), op === 'containsIgnoreCase' ? ROWS : 0);
      }
    });

    it(`are all if neighbors have many texts: ${op}`, () => {
      for (const condition of [on('many', op), not(on('many', op))]) {
        assert.equal(testedFor(condition), ROWS);
      }
    });
  }

  it('are all if a text is long, because then to divide the rows would take long', () => {
    const rows = [{ id: 1, few: 'x'.repeat(65), many: '' }];
    assert.equal(countTests(schema, rows, [on('few', 'eq')]), 1);
    assert.equal(countTests(schema, rows, [on('many', 'eq')]), 0);
  });

  for (const op of ['gt', 'gte', 'lt', 'lte'] as const) {
    it(`are few for ids in an interval: ${op}`, () => {
      for (const value of [1, 500, 512, 513, ROWS, 0, -5, ROWS + 1, 99_999]) {
        for (const condition of [on('id', op, { value }), not(on('id', op, { value }))]) {
          const tested = testedFor(condition);
          assert.ok(tested <= MOST_AT_AN_END, `${value}: ${tested}`);
        }
      }
    });
  }

  it('are none for every id', () => {
    assert.equal(testedFor(on('id', 'gte', { value: 1 })), 0);
    assert.equal(testedFor(not(on('id', 'lt', { value: 1 }))), 0);
  });

  it('are none for an empty list', () => {
    const none = on('few', 'in', { values: [] });
    assert.deepEqual(counted(none), { tested: 0, matches: 0 });
    assert.equal(counted(not(none)).matches, ROWS);
    const any = on('few', 'notIn', { values: [] });
    assert.deepEqual([counted(any).matches, counted(not(any)).matches], [ROWS, 0]);
  });
});

describe('several conditions', () => {
  const few = on('few', 'eq');
  const same = on('few', 'isNotNull');
  const slow = on('many', 'ne');
  const all = on('id', 'gt', { value: 0 });
  const search = on('many', 'containsIgnoreCase', { value: 'text 1' });

  it('all of which must be true narrow the rows together, whatever their order', () => {
    const fewest = counted(few).matches;
    for (const conditions of [[few, same, all], [all, few], [and(all, and(same, few))]]) {
      assert.deepEqual(counted(and(...conditions, few)), { tested: 0, matches: fewest });
    }
    for (const conditions of [
      [slow, few],
      [few, slow],
      [search, few, slow],
      [not(or(not(few), not(slow)))],
    ]) {
      assert.equal(testedFor(and(...conditions)), fewest);
    }
  });

  it('of which one must be true are tested', () => {
    assert.equal(testedFor(or(few, search)), ROWS);
    assert.deepEqual(counted(or()), { tested: ROWS, matches: 0 });
  });

  it('of which one must be true, and which search for different texts, find the rows of each', () => {
    const other = on('many', 'containsIgnoreCase', { value: 'TEXT 5' });
    const both = counted(or(search, other)).matches;
    assert.equal(both, counted(search).matches + counted(other).matches);
  });

  it('that are negated together are false for the rows for which they are true', () => {
    const second = on('id', 'gt', { value: 1_024 });
    for (const join of [and, or]) {
      const joined = join(same, second);
      assert.equal(counted(joined).matches + counted(not(joined)).matches, ROWS);
    }
  });

  it('that are negated are narrowed as far as they can be', () => {
    assert.equal(testedFor(not(few)), 0);
    assert.equal(testedFor(not(not(few))), 0);
  });
});

it('values that ascend with the ids are tested where an interval begins or ends', () => {
  const columns = {
    id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
    rank: { kind: 'integer' },
  } as const;
  const ranked = new Table(columns);
  for (let i = 0; i < 5_120; i++) ranked.insert({ rank: i });
  const rows = ranked.search();
  for (const { most, where } of [
    { most: MOST_AT_AN_END, where: on('rank', 'gte', { value: 1_536 }) },
    { most: MOST_AT_AN_END, where: on('rank', 'gt', { value: 1_536 }) },
    { most: MOST_AT_AN_END, where: not(on('rank', 'lte', { value: 1_536 })) },
    { most: 0, where: on('rank', 'lt', { value: 0 }) },
    { most: 0, where: on('rank', 'gte', { value: 0 }) },
  ]) {
    assertSame(ranked.search([where]), found(rows, [where]));
    const tested = countTests(columns, rows, [where]);
    assert.ok(tested <= most, `${JSON.stringify(where)}: ${tested}`);
  }
});

it('values between null and the greatest one are found', () => {
  const table = new Table(schema);
  for (let i = 0; i < 100; i++) table.insert({ few: i === 50 ? null : `v${i + 100}`, many: '' });
  const rows = table.search();
  for (const op of ['lt', 'lte', 'gt', 'gte'] as const) {
    const where = on('few', op, { value: 'v150' });
    for (const each of [where, not(where)]) assertSame(table.search([each]), found(rows, [each]));
  }
});

it('rows are tested one by one while their neighbors have many texts', () => {
  const table = filled();
  const where = [on('few', 'in', { values: ['Text 3', 'v70', 'v3'] })];
  const check = (isOneByOne: boolean) => {
    assert.equal(countTests(schema, table.search(), where) > 0, isOneByOne);
    assertSame(table.search(where), found(table.search(), where));
    for (const direction of ['asc', 'desc'] as const) {
      const options = { orderBy: [{ column: 'few', direction }], limit: 200 } as const;
      assertSame(table.search([], options), found(table.search(), [], options));
    }
  };
  for (let i = 1; i <= 50; i++) table.update(i, { few: `v${i}` });
  check(false);
  for (let i = 51; i <= 70; i++) table.update(i, { few: `v${i}` });
  check(true);
  for (let id = 1; id <= 70; id++) table.update(id, { few: 'Text 3' });
  check(false);
});
