import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { not } from '../../../../src/lib/table/condition/condition.ts';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true },
  size: { kind: 'bigint', nullable: true, index: 'ordered' },
  done: { kind: 'boolean', index: 'bitmap' },
} as const satisfies Schema;

const ROWS = PAGE_SLOTS + 1000;

const table = new Table(schema);
for (let i = 1; i <= ROWS; i++) {
  table.insert({ title: `number ${i}`, size: BigInt(i), done: i % 2 === 0 });
}

describe('an explanation', () => {
  const all = { pages: 2, pagesRead: 2, rows: ROWS, candidates: ROWS, tested: 0, order: 'by id' };

  it('of no condition is that all rows match', () => {
    assert.deepEqual(table.explain(), { conditions: [], ...all });
    assert.deepEqual(new Table(schema).explain(), {
      ...{ conditions: [], pages: 0, pagesRead: 0, rows: 0, candidates: 0, tested: 0 },
      order: 'by id',
    });
  });

  it('tells what finds the rows of each condition, and of how many pages', () => {
    const explained = table.explain((t) => [t.id.lte(10), t.done.eq(true), not(t.note.eq('x'))]);
    assert.deepEqual(explained, {
      conditions: [
        { condition: 'id.lte(10)', means: 'identity' },
        { condition: 'done.eq(true)', means: 'bitmaps' },
        { condition: 'note.eq("x")', means: 'row test' },
      ],
      ...{ pages: 2, pagesRead: 1, rows: ROWS, candidates: 5, tested: 5, order: 'by id' },
    });
    assert.equal(table.explain((t) => [t.size.gt(BigInt(PAGE_SLOTS))]).pagesRead, 1);
    const { conditions } = table.explain((t) => [
      t.size.between(1n, 2n),
      t.title.in(['a', 'b']),
      t.note.isNull(),
    ]);
    const texts = ['size.between(1n, 2n)', 'title.in(["a", "b"])', 'note.isNull()'];
    assert.deepEqual(
      conditions.map(({ condition }) => condition),
      texts,
    );
  });

  it('tells what gives the order', () => {
    for (const [column, order] of [
      ['id', 'by id'],
      ['size', 'sorted'],
      ['note', 'sorted'],
    ] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        const options = { orderBy: [{ column, direction }], limit: 3 };
        assert.deepEqual(table.explain([], options), { conditions: [], ...all, order });
      }
    }
  });

  it('is refused for what a search is refused for', () => {
    const name = 'ConditionError';
    assert.throws(() => table.explain([{ op: 'eq', column: 'x', value: 1 }]), { name });
    assert.throws(() => table.explain([], { limit: -1 }), { name });
  });

  it('of a snapshot is that of its moment', () => {
    const other = new Table(schema);
    for (let i = 1; i <= 100; i++) other.insert({ title: 'x', size: 1n, done: i > 50 });
    const snapshot = other.snapshot();
    other.remove((t) => [t.done.eq(true)]);
    assert.equal(snapshot.explain((t) => [t.done.eq(true)]).candidates, 50);
    assert.equal(other.explain((t) => [t.done.eq(true)]).candidates, 0);
  });
});
