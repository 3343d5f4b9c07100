import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { and, type Condition, not, or } from '../../../../../src/lib/table/condition/condition.ts';
import {
  OPERATOR_NAMES,
  type OperatorName,
} from '../../../../../src/lib/table/condition/operators.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS, LEAF_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { found } from '../support/reference.ts';
import { assertSame, idsOf } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  ordered: { kind: 'text', nullable: true, index: 'ordered' },
  bitmap: { kind: 'text', nullable: true, index: 'bitmap' },
  substring: { kind: 'text', nullable: true, index: 'substring' },
  plain: { kind: 'text', nullable: true },
} as const satisfies Schema;

/** More than a page; one row in 50 has texts, which are 40 in all. */
const ROWS = CHUNK_SLOTS + 900;

function filled() {
  const table = new Table(schema);
  for (let i = 1; i <= ROWS; i++) {
    const text = i % 50 === 0 ? `Text ${(i / 50) % 40}` : null;
    table.insert({ ordered: text, bitmap: text, substring: text, plain: text });
  }
  return table;
}

const table = filled();
const ROWS_OF_TABLE = table.search();

const value = 'Text 12';
const operands = { value, values: [value, 'Text 5'], from: value, to: 'Text 13' };
const on = (column: string, op: OperatorName, given: object = operands) =>
  ({ op, column, ...given }) as Condition;

/** Counts the rows that a condition matches, and those that are tested for it. */
function counted(where: Condition): { readonly tested: number; readonly matches: number } {
  const expected = found(ROWS_OF_TABLE, [where]);
  assertSame(table.search([where]), expected, JSON.stringify(where));
  assert.equal(table.count([where]), expected.length);
  return { tested: table.countTests([where]), matches: expected.length };
}

describe('a condition on one column', () => {
  const nullTests = ['isNull', 'isNotNull'] as const;
  const intervals = ['eq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', ...nullTests] as const;
  const complements = ['ne', 'gt', 'gte', 'lt', 'lte', 'notIn', ...nullTests] as const;
  const texts = ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith'] as const;

  for (const [column, answered, answeredIfFalse] of [
    ['ordered', [...intervals, 'startsWith'], complements],
    ['bitmap', OPERATOR_NAMES, OPERATOR_NAMES],
    ['substring', texts, []],
    ['plain', [], []],
  ] as const) {
    for (const op of new Set([...intervals, ...complements, ...texts])) {
      it(`${op} of a column that is ${column} is answered as it can be`, () => {
        for (const wanted of [true, false]) {
          const condition = on(column, op);
          const ops: readonly OperatorName[] = wanted ? answered : answeredIfFalse;
          const { tested, matches } = counted(wanted ? condition : not(condition));
          if (!ops.includes(op)) assert.equal(tested, ROWS, `wanted: ${wanted}`);
          else if (column === 'bitmap') assert.equal(tested, 0, `wanted: ${wanted}`);
          else if (column === 'ordered') assert.ok(tested <= ROWS);
          else assert.ok(tested <= 1.2 * matches + 10, `${tested}`);
        }
      });
    }
  }

  for (const op of ['eq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'ne', 'notIn'] as const) {
    it(`${op} of ids is answered by the ids, if they are ranges`, () => {
      for (const id of [1, 500, CHUNK_SLOTS, CHUNK_SLOTS + 1, ROWS, 0, -5, ROWS + 1, 99_999]) {
        const given = { value: id, values: [id, 3, id], from: id, to: id + 1 };
        for (const condition of [on('id', op, given), not(on('id', op, given))]) {
          const isRange = !('op' in condition && ['ne', 'notIn'].includes(condition.op));
          const isKnown = condition.op === 'not' ? !['eq', 'in', 'between'].includes(op) : isRange;
          assert.equal(counted(condition).tested, isKnown ? 0 : ROWS);
        }
      }
    });
  }

  it('is answered row by row if a text has fewer than three units', () => {
    for (const [op, short] of [
      ['contains', 'Te'],
      ['containsIgnoreCase', '日本'],
      ['startsWith', ''],
    ] as const) {
      assert.equal(counted(on('substring', op, { value: short })).tested, ROWS, short);
    }
    assert.equal(counted(on('substring', 'contains', { value: '😀😀' })).tested, 0);
  });

  it('is answered row by row if it has more values than are looked up one by one', () => {
    const values = Array.from({ length: 65 }, (_, i) => `Text ${i}`);
    const few = counted(on('ordered', 'in', { values: values.slice(0, 64) }));
    assert.ok(few.tested <= ROWS);
    const many = counted(on('ordered', 'in', { values }));
    assert.equal(many.tested, ROWS);
    assert.equal(many.matches, few.matches);
    assert.equal(counted(on('id', 'in', { values: values.map((_, i) => i) })).tested, 0);
  });

  it('with an empty list is true of no row, or of all', () => {
    for (const column of ['ordered', 'bitmap', 'plain', 'id']) {
      const none = on(column, 'in', { values: [] });
      const all = on(column, 'notIn', { values: [] });
      const counts = [none, not(none), all, not(all)].map((each) => counted(each).matches);
      assert.deepEqual(counts, [0, ROWS, ROWS, 0], column);
    }
  });
});

describe('several conditions', () => {
  const few = on('bitmap', 'eq');
  const likely = on('substring', 'contains', { value: 'Text 1' });
  const same = on('bitmap', 'isNotNull');
  const slow = on('plain', 'ne');
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
      assert.equal(counted(and(...conditions)).tested, fewest);
    }
  });

  it('of which one must be true unite the rows, if none of them needs to test all', () => {
    const other = on('bitmap', 'eq', { value: 'Text 3' });
    const both = counted(or(few, other));
    const sum = counted(few).matches + counted(other).matches;
    assert.deepEqual(both, { tested: 0, matches: sum });
    assert.ok(counted(or(few, likely)).tested < 100);
    assert.equal(counted(or(few, slow)).tested, ROWS);
    assert.equal(counted(or(few)).tested, 0);
    assert.equal(counted(not(and(not(few), not(same)))).tested, 0);
    assert.equal(counted(not(and(few, same))).tested, 0);
    assert.equal(counted(not(and(not(same), on('bitmap', 'isNull')))).tested, 0);
  });

  it('of which there are none are true all together, and false one by one', () => {
    assert.deepEqual(counted(and()), { tested: 0, matches: ROWS });
    assert.deepEqual(counted(or()), { tested: 0, matches: 0 });
    assert.equal(counted(not(or())).matches, ROWS);
    assert.equal(counted(not(and())).matches, 0);
    assert.equal(counted(or(and(), or())).matches, ROWS);
  });

  it('that contradict each other need no test', () => {
    assert.equal(counted(and(few, on('bitmap', 'isNull'), slow)).tested, 0);
    const ranges = and(on('id', 'lt', { value: 5 }), on('id', 'gt', { value: 5000 }), slow);
    assert.equal(counted(ranges).tested, 0);
  });
});

describe('a page without a text that is searched for', () => {
  it('is not tested, until a row of it has the text', () => {
    const table = filled();
    const where = [on('substring', 'contains', { value: 'nowhere' })] as const;
    assert.equal(table.countTests(where), 0);
    table.update(CHUNK_SLOTS + 7, { substring: 'It is somewhere, not nowhere.' });
    assert.equal(table.countTests(where), 1);
    assert.deepEqual(idsOf(table.search(where)), [CHUNK_SLOTS + 7]);
  });
});

describe('an ordered column', () => {
  const numbers = {
    id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
  } as const satisfies Schema;
  const ranked = new Table(numbers);
  for (let i = 0; i < 10 * LEAF_SLOTS; i++) ranked.insert({ rank: i });
  const tests = (op: OperatorName, given: object) => ranked.countTests([on('rank', op, given)]);

  it('of ascending values is not tested but where its filter does', () => {
    const value = 3 * LEAF_SLOTS + 7;
    for (const op of ['eq', 'gt', 'gte', 'lt', 'lte'] as const) {
      for (const each of [value, -1, 99_999]) {
        assert.equal(tests(op, { value: each }), 0, op);
        const where = [on('rank', op, { value: each })];
        assertSame(ranked.search(where), found(ranked.search(), where));
        assert.equal(ranked.count(where), ranked.search(where).length);
      }
    }
    assert.equal(tests('between', { from: 5, to: value }), 0);
    assert.equal(tests('in', { values: [value] }), 0);
  });

  it('follows updates and deletions of the least and the greatest values', () => {
    ranked.update(1, { rank: 9_000 });
    ranked.update(2, { rank: null });
    assert.equal(
      ranked.count((t) => [t.rank.gt(8_000)]),
      1,
    );
    assert.equal(
      ranked.count((t) => [t.rank.isNull()]),
      1,
    );
    ranked.delete(1);
    ranked.update(2, { rank: 1 });
    assert.equal(
      ranked.count((t) => [t.rank.gt(8_000)]),
      0,
    );
    assert.equal(
      ranked.count((t) => [t.rank.isNull()]),
      0,
    );
    assert.equal(
      ranked.count((t) => [t.rank.lt(9)]),
      8,
    );
  });
});

describe('a bitmap column', () => {
  it('of more than 64 values is tested row by row', () => {
    const table = filled();
    const where = [on('bitmap', 'in', { values: ['Text 3', 'v70', 'v3'] })];
    const check = (isTested: boolean) => {
      assert.equal(table.countTests(where), isTested ? ROWS : 0);
      assertSame(table.search(where), found(table.search(), where));
      const orderBy = [{ column: 'bitmap', direction: 'desc' }] as const;
      assertSame(
        table.search([], { orderBy, limit: 200 }),
        found(table.search(), [], { orderBy, limit: 200 }),
      );
    };
    // There are null and 40 texts already.
    for (let i = 1; i <= 23; i++) table.update(i, { bitmap: `v${i}` });
    check(false);
    table.update(24, { bitmap: 'v70' });
    check(true);
    for (let id = 1; id <= 24; id++) table.update(id, { bitmap: 'Text 3' });
    check(true);
  });
});
