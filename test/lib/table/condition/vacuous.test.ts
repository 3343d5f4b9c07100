import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  and,
  type Condition,
  isVacuous,
  not,
  or,
} from '../../../../src/lib/table/condition/condition.ts';
import { EmptyConditionError } from '../../../../src/lib/table/errors.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { everything, Generator } from '../support/everything.ts';
import { LONG, Random, SEED } from '../support/random.ts';
import { found } from '../support/reference.ts';

const text = (op: 'contains' | 'containsIgnoreCase' | 'startsWith' | 'endsWith', value = '') =>
  ({ op, column: 'description', value }) as const;
const none = (op: 'in' | 'notIn', column = 'score') => ({ op, column, values: [] }) as const;

/** The conditions on a column that hold, or do not hold, whatever the value. */
const HOLDING: readonly Condition[] = [
  text('contains'),
  text('containsIgnoreCase'),
  text('startsWith'),
  text('endsWith'),
  { op: 'gte', column: 'label', value: '' },
  none('notIn'),
];
const FAILING: readonly Condition[] = [none('in'), none('in', 'title')];

const DEPENDING: readonly Condition[] = [
  text('contains', ' '),
  { op: 'like', column: 'title', value: '%' },
  { op: 'eq', column: 'plain', value: '' },
  { op: 'ne', column: 'plain', value: '' },
  { op: 'gt', column: 'plain', value: '' },
  { op: 'lt', column: 'plain', value: '' },
  { op: 'lte', column: 'plain', value: '' },
  { op: 'between', column: 'plain', from: '', to: '\u{10ffff}' },
  { op: 'gte', column: 'priority', value: -(2 ** 31) },
  { op: 'isNotNull', column: 'score' },
  { op: 'isNull', column: 'score' },
];

const LEAVES = [...HOLDING, ...FAILING, ...DEPENDING] as [Condition, ...Condition[]];

/** Makes a condition at random, and lists what it depends on. */
function conditionOf(random: Random, depth: number, leaves: Set<Condition>): Condition {
  if (depth === 0 || random.chance(4)) {
    const leaf = {
      ...random.pick(LEAVES),
    };
    leaves.add(leaf);
    return leaf;
  }
  const parts = () => random.list(2, () => conditionOf(random, depth - 1, leaves));
  return random.pick<() => Condition>([
    () => and(...parts()),
    () => or(...parts()),
    () => not(conditionOf(random, depth - 1, leaves)),
  ])();
}

describe('a vacuous condition', () => {
  it('is what holds of every value, and what groups make of such', () => {
    const [x] = DEPENDING as [Condition];
    for (const each of [...HOLDING, and(), not(or()), not(none('in')), or(x, and())]) {
      assert.equal(isVacuous(each), true, JSON.stringify(each));
      assert.equal(isVacuous(not(each)), false);
      assert.equal(isVacuous(and(each, x)), false);
      assert.equal(isVacuous(not(and(not(each), x))), true);
    }
    for (const each of [...FAILING, ...DEPENDING, or(), not(and()), not(none('notIn'))]) {
      assert.equal(isVacuous(each), false, JSON.stringify(each));
    }
    for (const each of DEPENDING) assert.equal(isVacuous(not(each)), false, JSON.stringify(each));
  });

  it(`is none that a truth table refutes (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const generator = new Generator(random);
    const rows = Array.from({ length: 20 }, (_, i) => ({
      id: BigInt(i + 1),
      ...generator.values(),
    }));
    const whole = rows
      .map((row) => ({ ...row, description: row.description ?? '', label: row.label ?? '' }))
      .map((row) => ({ ...row, score: row.score ?? 0 }));
    for (let i = 0; i < (LONG ? 20_000 : 1_000); i++) {
      const leaves = new Set<Condition>();
      const condition = conditionOf(random, 3, leaves);
      const expected = holdsAlways(condition, [...leaves]);
      assert.equal(isVacuous(condition), expected, JSON.stringify(condition));
      if (expected) assert.equal(found(whole as never, [condition]).length, whole.length);
    }
  });

  test('removes nothing, alone or with others', () => {
    const table = new Table(everything);
    table.insert(new Generator(new Random(1)).values());
    for (const where of [...HOLDING.map((each) => [each] as const), [and(), ...HOLDING] as const]) {
      assert.throws(() => table.remove(where), EmptyConditionError);
      assert.throws(() => table.removal(where), EmptyConditionError);
      assert.throws(() => table.remove(() => where), /if every row is meant, call removeAll/);
      assert.equal(table.search(where.slice(0, 0)).length, 1);
    }
    assert.equal(table.remove([and(), { op: 'eq', column: 'priority', value: 9 }]), 0);
    assert.equal(table.snapshotBytes, 0);
    assert.equal(table.removeAll(), 1);
  });
});

/** Whether a condition is true whatever each of its leaves is, those aside that are known. */
function holdsAlways(condition: Condition, leaves: readonly Condition[]): boolean {
  const open = leaves.filter((leaf) => known(leaf) === undefined);
  for (let bits = 0; bits < 2 ** open.length; bits++) {
    const truth = (leaf: Condition) => known(leaf) ?? ((bits >> open.indexOf(leaf)) & 1) === 1;
    if (!evaluate(condition, truth)) return false;
  }
  return true;
}

function known(leaf: Condition): boolean | undefined {
  const isIn = (list: readonly Condition[]) =>
    list.some((each) => JSON.stringify(each) === JSON.stringify(leaf));
  return isIn(HOLDING) ? true : isIn(FAILING) ? false : undefined;
}

function evaluate(condition: Condition, truth: (leaf: Condition) => boolean): boolean {
  if (condition.op === 'not') return !evaluate(condition.condition, truth);
  if (condition.op === 'and') return condition.conditions.every((each) => evaluate(each, truth));
  if (condition.op === 'or') return condition.conditions.some((each) => evaluate(each, truth));
  return truth(condition);
}
