import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { and, type Condition, not, or } from '../../../../../src/lib/table/condition/condition.ts';
import {
  OPERATOR_NAMES,
  type OperatorName,
} from '../../../../../src/lib/table/condition/operators.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { LEAF_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../support/random.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { countTests } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  ordered: { kind: 'text', nullable: true, index: 'ordered' },
  bitmap: { kind: 'text', nullable: true, index: 'bitmap' },
  substring: { kind: 'text', nullable: true, index: 'substring' },
  plain: { kind: 'text', nullable: true },
} as const satisfies Schema;

/** Some leaves. One row in 50 has texts, of which there are 40. */
const ROWS = 4 * LEAF_SLOTS + 300;

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
const operands = { value, values: [value, 'Text 5'] };
const on = (column: string, op: OperatorName, given: object = operands) =>
  ({ op, column, ...given }) as Condition;

/** Counts the rows that a condition matches, and the rows that are tested for it. */
function counted(where: Condition): { readonly tested: number; readonly matches: number } {
  const expected = found(ROWS_OF_TABLE, [where]);
  assertSame(table.search([where]), expected, JSON.stringify(where));
  assert.equal(table.count([where]), expected.length);
  return { tested: countTests(table, [where]), matches: expected.length };
}

const testedFor = (where: Condition) => counted(where).tested;

describe('the rows that are tested for a condition on one column', () => {
  const intervals = ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'isNull', 'isNotNull'] as const;
  const texts = ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith'] as const;

  for (const [column, answered, answeredIfFalse] of [
    ['ordered', intervals, []],
    ['bitmap', OPERATOR_NAMES, OPERATOR_NAMES],
    ['substring', texts, []],
    ['plain', [], []],
  ] as const) {
    for (const op of OPERATOR_NAMES) {
      it(`are as few as its index allows: ${op} of a column that is ${column}`, () => {
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

  for (const op of ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'ne', 'notIn'] as const) {
    it(`are none for ids in an interval: ${op}`, () => {
      const isInterval = !['ne', 'notIn'].includes(op);
      for (const id of [1, 500, LEAF_SLOTS, LEAF_SLOTS + 1, ROWS, 0, -5, ROWS + 1, 99_999]) {
        const condition = on('id', op, { value: id, values: [id, 3, id] });
        assert.equal(testedFor(condition), isInterval ? 0 : ROWS);
        assert.equal(testedFor(not(condition)), ROWS);
      }
    });
  }

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
    for (const column of ['bitmap', 'id']) {
      const none = on(column, 'in', { values: [] });
      assert.deepEqual(counted(none), { tested: 0, matches: 0 });
      assert.equal(counted(not(none)).matches, ROWS);
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
      assert.equal(testedFor(and(...conditions)), fewest);
    }
  });

  it('of which one must be true unite the rows, if none of them needs to test all', () => {
    const other = on('bitmap', 'eq', { value: 'Text 3' });
    const sum = counted(few).matches + counted(other).matches;
    assert.deepEqual(counted(or(few, other)), { tested: 0, matches: sum });
    assert.ok(testedFor(or(few, likely)) < 100);
    assert.equal(testedFor(or(few, slow)), ROWS);
    for (const none of [
      or(few),
      not(and(not(few), not(same))),
      not(and(few, same)),
      not(and(not(same), on('bitmap', 'isNull'))),
    ]) {
      assert.equal(testedFor(none), 0);
    }
  });

  it('need no test if there are none, or if they contradict each other', () => {
    assert.deepEqual(counted(and()), { tested: 0, matches: ROWS });
    assert.deepEqual(counted(or()), { tested: 0, matches: 0 });
    assert.equal(testedFor(and(few, on('bitmap', 'isNull'), slow)), 0);
    const intervals = and(on('id', 'lt', { value: 5 }), on('id', 'gt', { value: 5000 }), slow);
    assert.equal(testedFor(intervals), 0);
  });
});

describe('an ordered column', () => {
  const ranked = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
  });
  for (let i = 0; i < 10 * LEAF_SLOTS; i++) ranked.insert({ rank: i });

  /** Checks the rows that conditions find. Returns the number of tested rows. */
  function check(): number {
    const rows = ranked.search();
    let tests = 0;
    for (const bound of [3 * LEAF_SLOTS + 7, -1, 1, 9, 8_000, 99_999]) {
      for (const op of ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'isNull'] as const) {
        const where = [on('rank', op, { value: bound, values: [bound] })];
        assertSame(ranked.search(where), found(rows, where), op);
        assert.equal(ranked.count(where), ranked.search(where).length);
        tests += countTests(ranked, where);
      }
    }
    return tests;
  }

  it('of ascending values is tested in the leaves where an interval begins and ends', () => {
    // Of 6 bounds and 7 operators.
    assert.ok(check() <= 6 * 7 * LEAF_SLOTS);
    for (const { tested, where } of [
      { tested: 0, where: on('rank', 'gte', { value: 3 * LEAF_SLOTS }) },
      { tested: LEAF_SLOTS, where: on('rank', 'gt', { value: 3 * LEAF_SLOTS }) },
      { tested: LEAF_SLOTS, where: on('rank', 'eq', { value: 7 }) },
      { tested: 0, where: on('rank', 'isNull') },
      { tested: 0, where: on('rank', 'isNotNull') },
    ]) {
      assert.equal(countTests(ranked, [where]), tested, JSON.stringify(where));
    }
  });

  it('follows updates, deletions and inserts of the least and the greatest values', () => {
    for (const write of [
      () => ranked.update(4, { rank: 2 }),
      () => ranked.update(1, { rank: 9_000 }),
      () => ranked.update(2, { rank: null }),
      () => ranked.delete(1),
      () => ranked.update(2, { rank: 1 }),
      () => ranked.insert({ rank: null }),
      () => ranked.insert({ rank: 99_999 }),
      () => ranked.insert({ rank: -7 }),
    ]) {
      write();
      check();
    }
  });
});

describe('a bitmap column', () => {
  it('of more than 64 values is tested row by row', () => {
    const table = filled();
    const where = [on('bitmap', 'in', { values: ['Text 3', 'v70', 'v3'] })];
    const check = (isTested: boolean) => {
      assert.equal(countTests(table, where), isTested ? ROWS : 0);
      assertSame(table.search(where), found(table.search(), where));
      const options = { orderBy: [{ column: 'bitmap', direction: 'desc' }], limit: 200 } as const;
      assertSame(table.search([], options), found(table.search(), [], options));
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

describe('a text column', () => {
  const random = new Random(SEED);
  /** One of some hundred words, in either case. */
  const word = () => {
    const number = random.below(12) * random.below(12);
    return random.pick([`word${number}`, `Word${number}`, `überWort${number}`]);
  };
  const values = () => ({ substring: random.list(3, word).join(random.pick([' ', ', ', '-'])) });
  const OPS = ['containsIgnoreCase', 'containsIgnoreCase', 'contains', 'startsWith'] as const;
  const condition = () => {
    const text = random.chance(4) ? `${word()} ${word()}` : word();
    const from = random.below(4);
    const value = text.slice(from, from + 3 + random.below(10));
    return on('substring', random.pick([...OPS]), { value });
  };

  it(`has some false candidates, but not many (seed ${SEED})`, () => {
    const table = new Table(schema);
    for (let i = 0; i < 1000; i++) table.insert(values());
    let [candidates, matches] = [0, 0];
    for (let i = 0; i < 300; i++) {
      if (i > 150 && i % 20 === 0) {
        for (let n = random.below(100); n > 0; n--) table.update(1 + random.below(1000), values());
        for (let n = random.below(10); n > 0; n--) table.insert(values());
      }
      const where = [random.pick([condition, () => or(condition(), condition())])()];
      const all = found(table.search(), where);
      assertSame(table.search(where), all);
      const tested = countTests(table, where);
      if (tested === 0 || tested === table.size) continue;
      candidates += tested;
      matches += all.length;
    }
    assert.ok(candidates > matches && candidates < 3 * matches, `${candidates} for ${matches}`);
  });
});
