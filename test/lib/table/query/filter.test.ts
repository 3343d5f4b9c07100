import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { and, type Condition, not, or } from '../../../../src/lib/table/condition/condition.ts';
import {
  OPERATOR_NAMES,
  type OperatorName,
} from '../../../../src/lib/table/condition/operators.ts';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';
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
const ROWS = PAGE_SLOTS + 900;

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

/** Explains a condition, and checks that it finds what matches. */
function explained(where: Condition) {
  const expected = found(ROWS_OF_TABLE, [where]);
  assertSame(table.search([where]), expected, JSON.stringify(where));
  assert.equal(table.count([where]), expected.length);
  const { conditions, candidates, tested, pagesRead } = table.explain([where]);
  const matches = expected.length;
  return { means: conditions.map(({ means }) => means), candidates, tested, pagesRead, matches };
}

describe('a condition on one column', () => {
  const nullTests = ['isNull', 'isNotNull'] as const;
  const intervals = ['eq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', ...nullTests] as const;
  const complements = ['ne', 'gt', 'gte', 'lt', 'lte', 'notIn', ...nullTests] as const;
  const texts = ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'like'] as const;

  for (const [column, means, answered, answeredIfFalse] of [
    ['ordered', 'order', [...intervals, 'startsWith'], complements],
    ['bitmap', 'bitmaps', OPERATOR_NAMES, OPERATOR_NAMES],
    ['substring', 'signature', texts, []],
    ['plain', undefined, [], []],
  ] as const) {
    for (const op of new Set([...intervals, ...complements, ...texts])) {
      it(`${op} of a column that is ${column} is answered as it can be`, () => {
        for (const wanted of [true, false]) {
          const condition = on(column, op);
          const ops: readonly OperatorName[] = wanted ? answered : answeredIfFalse;
          const expected = ops.includes(op) ? means : 'row test';
          const actual = explained(wanted ? condition : not(condition));
          assert.deepEqual(actual.means, [expected], `wanted: ${wanted}`);
          if (expected === 'row test') assert.equal(actual.tested, ROWS);
          else if (expected === 'signature') {
            assert.equal(actual.tested, actual.candidates);
            assert.ok(actual.candidates <= 1.2 * actual.matches + 10, `${actual.candidates}`);
          } else {
            assert.deepEqual([actual.candidates, actual.tested], [actual.matches, 0]);
          }
        }
      });
    }
  }

  for (const op of ['eq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'ne', 'notIn'] as const) {
    it(`${op} of ids is answered by the ids, if they are ranges`, () => {
      for (const id of [1, 500, PAGE_SLOTS, PAGE_SLOTS + 1, ROWS, 0, -5, ROWS + 1, 99_999]) {
        const given = { value: id, values: [id, 3, id], from: id, to: id + 1 };
        for (const condition of [on('id', op, given), not(on('id', op, given))]) {
          const { means, matches, candidates, tested } = explained(condition);
          const isRange = !('op' in condition && ['ne', 'notIn'].includes(condition.op));
          const isKnown = condition.op === 'not' ? !['eq', 'in', 'between'].includes(op) : isRange;
          assert.deepEqual(means, [isKnown ? 'identity' : 'row test']);
          if (isKnown) assert.deepEqual([candidates, tested], [matches, 0]);
        }
      }
    });
  }

  it('is answered row by row if a text has fewer than three units, or a pattern none', () => {
    for (const [op, short] of [
      ['contains', 'Te'],
      ['containsIgnoreCase', '日本'],
      ['startsWith', ''],
      ['like', '%Te%xt%'],
      ['like', 'T___%'],
    ] as const) {
      const actual = explained(on('substring', op, { value: short }));
      assert.deepEqual([actual.means, actual.tested], [['row test'], ROWS], short);
    }
    assert.deepEqual(explained(on('substring', 'like', { value: '%Te%ext%' })).means, [
      'signature',
    ]);
    assert.equal(explained(on('substring', 'contains', { value: '😀😀' })).candidates, 0);
  });

  it('is answered row by row if it has more values than are looked up one by one', () => {
    const values = Array.from({ length: 65 }, (_, i) => `Text ${i}`);
    const few = explained(on('ordered', 'in', { values: values.slice(0, 64) }));
    assert.deepEqual([few.means, few.tested], [['order'], 0]);
    const many = explained(on('ordered', 'in', { values }));
    assert.deepEqual([many.means, many.tested], [['row test'], ROWS]);
    assert.equal(many.matches, few.matches);
    assert.equal(explained(on('id', 'in', { values: values.map((_, i) => i) })).candidates, 64);
  });

  it('with an empty list is true of no row, or of all', () => {
    for (const column of ['ordered', 'bitmap', 'plain', 'id']) {
      const none = on(column, 'in', { values: [] });
      const all = on(column, 'notIn', { values: [] });
      const counts = [none, not(none), all, not(all)].map((each) => explained(each).matches);
      assert.deepEqual(counts, [0, ROWS, ROWS, 0], column);
    }
  });
});

describe('several conditions', () => {
  const few = on('ordered', 'eq');
  const likely = on('substring', 'contains', { value: 'Text 1' });
  const same = on('bitmap', 'isNotNull');
  const slow = on('plain', 'ne');
  const all = on('id', 'gt', { value: 0 });

  it('are each explained, in the order in which they were given', () => {
    assert.deepEqual(explained(and(slow, few, or(likely, all), not(same))).means, [
      ...['row test', 'order', 'signature', 'identity', 'bitmaps'],
    ]);
  });

  it('all of which must be true narrow the rows together, whatever their order', () => {
    const fewest = explained(few).matches;
    for (const conditions of [[few, same, all], [all, few], [and(all, and(same, few))]]) {
      const { candidates, tested, matches } = explained(and(...conditions, few));
      assert.deepEqual([candidates, tested, matches], [fewest, 0, fewest]);
    }
    for (const conditions of [
      [slow, few],
      [few, slow],
      [likely, few, slow],
    ]) {
      const { candidates, tested } = explained(and(...conditions));
      assert.deepEqual([candidates, tested], [fewest, fewest]);
    }
  });

  it('of which one must be true unite the rows, if none of them needs to test all', () => {
    const other = on('bitmap', 'eq', { value: 'Text 3' });
    const both = explained(or(few, other));
    const sum = explained(few).matches + explained(other).matches;
    assert.deepEqual([both.candidates, both.tested, both.matches], [sum, 0, sum]);
    const { candidates, tested } = explained(or(few, likely));
    assert.ok(candidates < 100 && tested === candidates, `${candidates} candidates`);
    assert.equal(explained(or(few, slow)).tested, ROWS);
    assert.equal(explained(or(few)).tested, 0);
    assert.equal(explained(not(and(not(few), not(same)))).tested, 0);
    assert.equal(explained(not(and(few, same))).tested, ROWS, 'no interval is all but one text');
    assert.equal(explained(not(and(not(same), on('bitmap', 'isNull')))).tested, 0);
  });

  it('of which there are none are true all together, and false one by one', () => {
    assert.deepEqual(explained(and()), {
      ...{ means: [], candidates: ROWS, tested: 0, pagesRead: 2, matches: ROWS },
    });
    assert.equal(explained(or()).pagesRead, 0);
    assert.equal(explained(not(or())).matches, ROWS);
    assert.equal(explained(not(and())).matches, 0);
    assert.equal(explained(or(and(), or())).matches, ROWS);
  });

  it('that contradict each other need no test', () => {
    const { candidates, tested } = explained(and(few, on('bitmap', 'isNull'), slow));
    assert.deepEqual([candidates, tested], [0, 0]);
    const ranges = and(on('id', 'lt', { value: 5 }), on('id', 'gt', { value: 5000 }), slow);
    assert.deepEqual(explained(ranges).pagesRead, 0);
  });
});

describe('a page is passed over', () => {
  const read = (...where: Condition[]) => explained(and(...where)).pagesRead;

  it('if none of its ids is wanted', () => {
    assert.equal(read(on('id', 'lte', { value: PAGE_SLOTS })), 1);
    assert.equal(read(on('id', 'lte', { value: PAGE_SLOTS + 1 })), 2);
    assert.equal(read(on('id', 'gt', { value: PAGE_SLOTS })), 1);
    assert.equal(read(on('id', 'gte', { value: PAGE_SLOTS })), 2);
    assert.equal(read(on('id', 'in', { values: [1, ROWS] })), 2);
    assert.equal(read(on('id', 'gt', { value: ROWS })), 0);
    assert.equal(read(on('id', 'lt', { value: 1 })), 0);
    const either = or(on('id', 'eq', { value: 7 }), on('id', 'eq', { value: 9 }));
    assert.equal(read(either, on('plain', 'isNull')), 1);
  });

  it('if a text is nowhere in it', () => {
    const table = filled();
    const where = [on('substring', 'contains', { value: 'nowhere' })] as const;
    assert.equal(table.explain(where).candidates, 0);
    table.update(PAGE_SLOTS + 7, { substring: 'It is somewhere, not nowhere.' });
    const { candidates, pagesRead } = table.explain(where);
    assert.deepEqual([candidates, pagesRead], [1, 1]);
    assert.deepEqual(idsOf(table.search(where)), [PAGE_SLOTS + 7]);
  });

  it('if no row has the value of a bitmap, or one in the order', () => {
    const table = filled();
    table.update(9, { ordered: 'a', bitmap: 'b' });
    for (const [column, value] of [
      ['ordered', 'a'],
      ['bitmap', 'b'],
    ] as const) {
      const { candidates, pagesRead, tested } = table.explain([on(column, 'gte', { value })]);
      assert.deepEqual([candidates, pagesRead, tested], [1, 1, 0], column);
    }
  });
});

describe('a bitmap column', () => {
  it('of more than 64 values in a page is tested there, and only there', () => {
    const table = filled();
    const where = [on('bitmap', 'in', { values: ['Text 3', 'v70', 'v3'] })];
    const check = (tested: boolean) => {
      const { conditions, candidates, tested: count } = table.explain(where);
      assert.deepEqual(conditions[0]?.means, 'bitmaps');
      assert.equal(count > 0, tested);
      assert.ok(candidates < (tested ? 1.1 * PAGE_SLOTS : 400), `${candidates} candidates`);
      assertSame(table.search(where), found(table.search(), where));
      const orderBy = [{ column: 'bitmap', direction: 'desc' }] as const;
      assertSame(
        table.search([], { orderBy, limit: 200 }),
        found(table.search(), [], { orderBy, limit: 200 }),
      );
    };
    // Each page has null and 40 texts already.
    for (let i = 1; i <= 23; i++) table.update(i, { bitmap: `v${i}` });
    check(false);
    table.update(24, { bitmap: 'v70' });
    check(true);
    for (let id = 1; id <= 24; id++) table.update(id, { bitmap: 'Text 3' });
    check(true);
    // Few rows are left, whose bitmaps are made anew.
    table.remove((t) => [t.id.between(100, PAGE_SLOTS)]);
    check(false);
    table.update(25, { bitmap: 'v3' });
    check(false);
  });
});
