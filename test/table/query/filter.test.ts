import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  and,
  type ColumnCondition,
  type Condition,
  not,
  or,
} from '../../../src/table/condition/condition.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { PAGE_SIZE } from '../../../src/table/storage/page.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9999 } },
  ordered: { kind: 'text', nullable: true, index: 'ordered' },
  substring: { kind: 'text', nullable: true, index: 'substring' },
  plain: { kind: 'text', nullable: true },
} as const satisfies Schema;

const ROWS = 2 * PAGE_SIZE;

/** One row in 50 has texts, unless said otherwise. */
function filled(textOf = (row: number) => (row % 50 === 0 ? `Text ${row}` : null)) {
  const tasks: (() => void)[] = [];
  const table = new Table(schema, { schedule: (task) => tasks.push(task) });
  for (let i = 0; i < ROWS; i++) {
    const text = textOf(i);
    table.insert({ ordered: text, substring: text, plain: text });
  }
  while (tasks.length > 0) tasks.shift()?.();
  return table;
}

const value = 'Text 500';
const operands = { value, values: [value, 'Text 5'], from: value, to: value };
const on = (column: string, op: string) => ({ op, column, ...operands }) as ColumnCondition;

describe('an index is used for the conditions that it answers', () => {
  const table = filled();
  const ALL = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'notIn', 'isNotNull'];
  ALL.push('contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'like');

  for (const [column, access, answered] of [
    [
      'ordered',
      'ordered index',
      ['eq', 'gt', 'gte', 'lt', 'lte', 'between', 'in', 'isNotNull', 'startsWith'],
    ],
    [
      'substring',
      'substring index',
      ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'like'],
    ],
    ['plain', '', []],
  ] as const) {
    test(`${column}: ${answered.join(', ') || 'none'}`, () => {
      const used = ALL.filter((op) => table.explain([on(column, op)]).access === access);
      assert.deepEqual(used.toSorted(), answered.toSorted());
      for (const op of ALL) {
        const other = table.search([on('plain', op)]);
        assert.deepEqual(table.search([on(column, op)]), other, op);
      }
    });
  }

  test('null tests, where few rows are null', () => {
    const table = new Table(schema);
    for (let i = 0; i < 100; i++) table.insert({ ordered: i === 70 ? null : 'text' });
    const where = [{ op: 'isNull', column: 'ordered' }] as const;
    assert.equal(table.explain(where).access, 'ordered index');
    assert.deepEqual(
      table.search(where).map(({ id }) => id),
      [71],
    );
  });

  test('ids: as a range of rows', () => {
    for (const [op, first, last] of [
      ['eq', 500, 500],
      ['gt', 501, ROWS],
      ['gte', 500, ROWS],
      ['lt', 1, 499],
      ['lte', 1, 500],
      ['between', 500, 500],
      ['in', 500, 500],
    ] as const) {
      const ids = { value: 500, values: [500, 500], from: 500, to: 500 };
      const where = [{ op, column: 'id', ...ids } as ColumnCondition];
      const { access, candidates } = table.explain(where);
      assert.deepEqual([access, candidates], ['primary key', last - first + 1], op);
      const found = table.search(where).map(({ id }) => id);
      assert.deepEqual([found.length, found[0], found.at(-1)], [last - first + 1, first, last], op);
    }
  });
});

test('several ids are looked up one by one', () => {
  const table = filled();
  const where = [{ op: 'in', column: 'id', values: [900, -1, 3, 0, 500, 9999, 3] }] as const;
  const { access, candidates } = table.explain(where);
  assert.deepEqual([access, candidates], ['primary key', 3]);
  assert.deepEqual(
    table.search(where).map(({ id }) => id),
    [3, 500, 900],
  );
  table.delete(500);
  assert.equal(table.count(where), 2);
});

describe('of several conditions', () => {
  const table = filled();
  const [few, fewer] = [on('ordered', 'isNotNull'), on('substring', 'eq')];
  const pathOf = (...where: readonly Condition[]) => {
    const { access, indexes, candidates } = table.explain(where);
    return { access, indexes, candidates };
  };

  test('all of which must be true, the one with the fewest rows is looked up', () => {
    const expected = pathOf(fewer);
    assert.equal(expected.access, 'substring index');
    assert.deepEqual(pathOf(few, fewer), expected);
    assert.deepEqual(pathOf(fewer, few), expected);
    assert.deepEqual(pathOf(and(few, and(on('plain', 'eq'), fewer))), expected);
    assert.equal(pathOf(few, not(fewer)).access, 'ordered index');
  });

  test('of which one must be true, all are looked up, if all can be', () => {
    const { candidates } = pathOf(fewer);
    assert.deepEqual(pathOf(or(few, fewer)), {
      access: 'union',
      indexes: ['ordered', 'substring'],
      candidates: Math.ceil(ROWS / 50) + candidates,
    });
    assert.equal(pathOf(or(few, on('plain', 'eq'))).access, 'full scan');
    assert.equal(pathOf(or(few)).access, 'ordered index');
    assert.deepEqual(
      table.search([or(few, fewer)]),
      table.search((t) => [t.plain.isNotNull()]),
    );
  });
});

test('conditions that bitmaps answer are counted by bitmaps, without a look at any row', () => {
  const bitmap = { kind: 'integer', index: 'bitmap' } as const;
  const table = new Table({ id: schema.id, third: bitmap, fifth: bitmap });
  for (let i = 0; i < 300; i++) table.insert({ third: i % 3, fifth: i % 5 });
  const [third, fifth] = ['third', 'fifth'].map((column) => ({ op: 'eq', column, value: 0 }));
  const both = [third, fifth] as readonly Condition[];
  for (const [where, matches] of [
    [both, 20],
    [[and(...both)], 20],
    [[or(...both)], 140],
    [[or(and(...both), ...both)], 140],
  ] as const) {
    const { access, indexes } = table.explain(where);
    assert.deepEqual([access, indexes], ['bitmap index', ['third', 'fifth']]);
    const cursor = table.cursor(where, { limit: 0, total: true });
    assert.equal(cursor.step(), undefined);
    assert.equal(cursor.total, matches);
    assert.equal(table.search(where).length, matches);
  }
});

describe('a word that most rows have', () => {
  const word = { op: 'containsIgnoreCase', column: 'substring', value: 'comm' } as const;

  const withWord = () => filled((row) => (row % 4 ? `common ${row}` : 'rare'));

  test('is looked up, if all of these rows are wanted, and none of them has to be checked', () => {
    const table = withWord();
    assert.equal(table.explain([word]).access, 'substring index');
    const orderBy = [{ column: 'plain' }] as const;
    assert.equal(table.explain([word], { orderBy, limit: 20 }).access, 'substring index');
    assert.equal(table.explain([word], { limit: 20, total: true }).access, 'substring index');
    assert.equal(table.count([word]), (ROWS * 3) / 4);
  });

  test('is not looked up, if a few are wanted', () => {
    assert.equal(withWord().explain([word], { limit: 20 }).access, 'full scan');
  });

  test('is not looked up, if the rows have to be checked nevertheless', () => {
    const table = withWord();
    const exact = { ...word, op: 'contains' } as const;
    assert.equal(table.explain([exact]).access, 'full scan');
    assert.equal(table.explain([word, exact]).access, 'full scan');
    table.update(2, { substring: 'changed' });
    assert.equal(table.explain([word]).access, 'full scan');
    assert.equal(table.count([word]), (ROWS * 3) / 4 - 1);
  });
});

test('rows that one of two indexes does not know yet are found once', () => {
  const columns = {
    id: { kind: 'integer', identity: { from: 1, to: 9999 } },
    a: { kind: 'text', index: 'substring' },
    b: { kind: 'text', index: 'substring' },
  } as const satisfies Schema;
  const tasks: (() => void)[] = [];
  const table = new Table(columns, { schedule: (task) => tasks.push(task) });
  const work = () => {
    while (tasks.length > 0) tasks.shift()?.();
  };
  for (let i = 0; i < ROWS; i++) table.insert({ a: 'old', b: 'old' });
  work();
  // Few new rows are indexed only together with many changed ones, and those change in `a` only.
  const ids = Array.from({ length: 10 }, () => table.insert({ a: value, b: value }).id);
  for (let id = 1; id <= 100; id++) table.update(id, { a: 'new' });
  work();
  const where = [or(on('a', 'contains'), on('b', 'contains'))];
  assert.equal(table.explain(where).access, 'union');
  assert.deepEqual(
    table.search(where).map(({ id }) => id),
    ids,
  );
});
