import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { and, type Condition, not, or } from '../../../../../src/lib/table/condition/condition.ts';
import {
  OPERATOR_NAMES,
  type OperatorName,
} from '../../../../../src/lib/table/condition/operators.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/state/mask.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { countTests } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  few: { kind: 'text', nullable: true },
  substring: { kind: 'text', nullable: true, index: 'substring' },
} as const satisfies Schema;

/** Some chunks. One row in 50 has texts, of which there are 40. */
const ROWS = 5 * CHUNK_SLOTS + 300;

function filled() {
  const table = new Table(schema);
  for (let i = 1; i <= ROWS; i++) {
    const text = i % 50 === 0 ? `Text ${(i / 50) % 40}` : null;
    table.insert({ few: text, substring: text });
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
  return { tested: countTests(table, [where]), matches: expected.length };
}

const testedFor = (where: Condition) => counted(where).tested;

describe('the rows that are tested for a condition on one column', () => {
  const texts = ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith'] as const;

  for (const [column, answered, answeredIfFalse] of [
    ['few', OPERATOR_NAMES, OPERATOR_NAMES],
    ['substring', texts, []],
  ] as const) {
    for (const op of OPERATOR_NAMES) {
      it(`are as few as possible: ${op} of the column "${column}"`, () => {
        for (const wanted of [true, false]) {
          const condition = on(column, op);
          const ops: readonly OperatorName[] = wanted ? answered : answeredIfFalse;
          const { tested, matches } = counted(wanted ? condition : not(condition));
          if (!ops.includes(op)) assert.equal(tested, ROWS, `wanted: ${wanted}`);
          else if (column === 'few') assert.equal(tested, 0, `wanted: ${wanted}`);
          else assert.ok(tested <= 1.2 * matches + 10, `${tested}`);
        }
      });
    }
  }

  for (const op of ['gt', 'gte', 'lt', 'lte'] as const) {
    it(`are those of one chunk for ids in an interval: ${op}`, () => {
      for (const value of [1, 500, CHUNK_SLOTS, CHUNK_SLOTS + 1, ROWS, 0, -5, ROWS + 1, 99_999]) {
        for (const condition of [on('id', op, { value }), not(on('id', op, { value }))]) {
          const tested = testedFor(condition);
          assert.ok(tested <= CHUNK_SLOTS, `${value}: ${tested}`);
        }
      }
    });
  }

  it('are none for every id', () => {
    assert.equal(testedFor(on('id', 'gte', { value: 1 })), 0);
    assert.equal(testedFor(not(on('id', 'lt', { value: 1 }))), 0);
  });

  it('are all if a text has fewer than three UTF-16 units', () => {
    for (const [op, short] of [
      ['contains', 'Te'],
      ['containsIgnoreCase', '日本'],
      ['startsWith', ''],
    ] as const) {
      assert.equal(testedFor(on('substring', op, { value: short })), ROWS, short);
    }
    assert.equal(testedFor(on('substring', 'contains', { value: '😀😀' })), 0);
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
  const likely = on('substring', 'contains', { value: 'Text 1' });
  const same = on('few', 'isNotNull');
  const slow = on('substring', 'ne');
  const all = on('id', 'gt', { value: 0 });

  it('all of which must be true narrow the rows together, whatever their order', () => {
    const fewest = counted(few).matches;
    for (const conditions of [[few, same, all], [all, few], [and(all, and(same, few))]]) {
      assert.deepEqual(counted(and(...conditions, few)), { tested: 0, matches: fewest });
    }
    for (const conditions of [
      [slow, few],
      [few, slow],
      [likely, few, slow],
    ]) {
      assert.equal(testedFor(and(...conditions)), fewest);
    }
  });

  it('of which one must be true are tested, unless they search for one text', () => {
    const other = on('substring', 'startsWith', { value: 'text 12' });
    assert.equal(testedFor(or(few, likely)), ROWS);
    assert.ok(testedFor(or(likely, on('substring', 'eq', { value: 'TEXT 1' }))) < ROWS / 10);
    assert.equal(testedFor(or(likely, other)), ROWS);
    assert.equal(testedFor(or()), ROWS);
    assert.equal(counted(or()).matches, 0);
  });

  it('of which one must be true, and which search for different texts, find the rows of each', () => {
    const other = on('substring', 'containsIgnoreCase', { value: 'text 5' });
    const both = counted(or(likely, other)).matches;
    assert.equal(both, counted(likely).matches + counted(other).matches);
  });

  it('that are negated together are false for the rows for which they are true', () => {
    const second = on('id', 'gt', { value: 2 * CHUNK_SLOTS });
    for (const join of [and, or]) {
      const joined = join(same, second);
      assert.equal(counted(joined).matches + counted(not(joined)).matches, ROWS);
    }
  });

  it('that are negated are narrowed as far as they can be', () => {
    assert.equal(testedFor(not(few)), 0);
    assert.equal(testedFor(not(not(few))), 0);
    assert.equal(testedFor(not(on('substring', 'contains', { value: 'Text 1' }))), ROWS);
  });
});

it('values that ascend with the ids are tested in the chunks where an interval begins or ends', () => {
  const ranked = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
    rank: { kind: 'integer' },
  });
  for (let i = 0; i < 10 * CHUNK_SLOTS; i++) ranked.insert({ rank: i });
  const rows = ranked.search();
  for (const { most, where } of [
    { most: CHUNK_SLOTS, where: on('rank', 'gte', { value: 3 * CHUNK_SLOTS }) },
    { most: CHUNK_SLOTS, where: on('rank', 'gt', { value: 3 * CHUNK_SLOTS }) },
    { most: CHUNK_SLOTS, where: not(on('rank', 'lte', { value: 3 * CHUNK_SLOTS })) },
    { most: 0, where: on('rank', 'lt', { value: 0 }) },
    { most: 0, where: on('rank', 'gte', { value: 0 }) },
  ]) {
    assertSame(ranked.search([where]), found(rows, [where]));
    const tested = countTests(ranked, [where]);
    assert.ok(tested <= most, `${JSON.stringify(where)}: ${tested}`);
  }
});

it('values between null and the greatest one of a chunk are found', () => {
  const table = new Table(schema);
  for (let i = 0; i < 100; i++) table.insert({ few: i === 50 ? null : `v${i + 100}` });
  const rows = table.search();
  for (const op of ['lt', 'lte', 'gt', 'gte'] as const) {
    const where = on('few', op, { value: 'v150' });
    for (const each of [where, not(where)]) assertSame(table.search([each]), found(rows, [each]));
  }
});

it('a column with more than 64 values in a chunk is tested there row by row', () => {
  const table = filled();
  const where = [on('few', 'in', { values: ['Text 3', 'v70', 'v3'] })];
  const check = (isTested: boolean) => {
    const tested = countTests(table, where);
    assert.ok(isTested ? tested > 60 && tested < CHUNK_SLOTS : tested === 0, String(tested));
    assertSame(table.search(where), found(table.search(), where));
    const options = { orderBy: [{ column: 'few', direction: 'desc' }], limit: 200 } as const;
    assertSame(table.search([], options), found(table.search(), [], options));
  };
  for (let i = 1; i <= 50; i++) table.update(i, { few: `v${i}` });
  check(false);
  for (let i = 51; i <= 70; i++) table.update(i, { few: `v${i}` });
  check(true);
  for (let id = 1; id <= 70; id++) table.update(id, { few: 'Text 3' });
  check(false);
});
