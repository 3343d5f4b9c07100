import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UncommittedError } from '../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9_999 } },
  title: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

/** Several pages of rows, of which the last one is not full. */
const ROWS = 1_300;

function filled() {
  const table = new Table(schema);
  for (let i = 1; i <= ROWS; i++) table.insert({ title: `row ${i}` });
  return table;
}

const found = (table: ReturnType<typeof filled>, id: number) =>
  table.find(id) ?? assert.fail(`no row ${id}`);

/** What may happen between the search for a row and the write to it, and moves rows or pages. */
const BETWEEN: Readonly<Record<string, (table: ReturnType<typeof filled>) => void>> = {
  nothing: () => {},
  'the row is updated': (table) => table.update(600, { title: 'other' }),
  'a snapshot is taken, and a neighbour is updated': (table) => {
    table.snapshot();
    table.update(601, { title: 'other' });
  },
  'most rows of its page are deleted': (table) => {
    table.transaction((t) => {
      for (let id = 513; id < 1_000; id++) if (id !== 600) t.delete(id);
    });
  },
  'all pages before it are deleted': (table) => {
    table.transaction((t) => {
      for (let id = 1; id < 590; id++) t.delete(id);
    });
  },
  'a removal packs its page': (table) => table.remove((t) => [t.id.ne(600), t.id.lt(1_200)]),
  'all rows are replaced': (table) => {
    const replacement = table.replacement();
    for (let i = 1; i <= 700; i++) replacement.insert({ title: `new ${i}` });
    replacement.commit();
  },
};

describe('a row that was found', () => {
  for (const [what, act] of Object.entries(BETWEEN)) {
    test(`is the one that is written, although ${what}`, () => {
      const table = filled();
      const row = found(table, 600);
      act(table);
      const others = table.search((t) => [t.id.ne(600)]);
      assert.equal(table.update(row, { title: 'mine' })?.id, 600);
      assert.equal(table.get(600)?.title, 'mine');
      assert.deepEqual(
        table.search((t) => [t.title.eq('mine')]),
        [table.get(600)],
      );
      assert.equal(table.delete(row), true);
      assert.deepEqual(table.search(), others);
    });
  }

  test('is not written once it has been deleted', () => {
    const table = filled();
    const row = found(table, 600);
    table.delete(600);
    assert.equal(table.update(row, { title: 'mine' }), undefined);
    assert.equal(table.delete(row), false);
    assert.equal(table.find(600), undefined);
    assert.equal(table.size, ROWS - 1);
  });

  test('tells which commit wrote it, and keeps what it told', () => {
    const table = filled();
    const row = found(table, 600);
    assert.equal(row.revision, 600);
    table.update(600, { title: 'other' });
    assert.deepEqual([row.row.title, row.revision], ['row 600', 600]);
    assert.equal(found(table, 600).revision, ROWS + 1);
  });

  test('has no commit yet in the transaction that writes it', () => {
    const table = filled();
    table.transaction((t) => {
      t.update(600, { title: 'other' });
      assert.throws(() => found(table, 600).revision, UncommittedError);
      assert.equal(found(table, 601).revision, 601);
    });
  });
});
