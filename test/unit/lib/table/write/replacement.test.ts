import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitError, TableFullError } from '../../../../../src/lib/table/errors.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99_999 } },
  title: { kind: 'text', index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
} as const satisfies Schema;

const titles = (rows: readonly { readonly title: string }[]) => rows.map(({ title }) => title);

function filled(rows: number) {
  const table = new Table(schema, { maxRows: 1000 });
  for (let i = 1; i <= rows; i++) table.insert({ title: `old ${i}`, priority: i % 5 });
  return table;
}

describe('a replacement', () => {
  it('is invisible before its commit, and then replaces everything', () => {
    const table = filled(700);
    const replacement = table.replacement();
    const rows = [1, 2, 3].map((i) => replacement.insert({ title: `new ${i}`, priority: i }));
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1, 2, 3],
    );
    assert.equal(table.size, 700);
    table.insert({ title: 'written meanwhile' });
    replacement.commit();
    assert.deepEqual(table.search(), rows);
    assert.equal(table.size, 3);
    assert.equal(table.stats().rows, 3);
    assert.deepEqual(titles(table.search((t) => [t.title.contains('old 1')])), []);
    assert.deepEqual(titles(table.search((t) => [t.priority.gte(2)])), ['new 2', 'new 3']);
    assert.equal(table.insert({ title: 'next' }).id, 4);
    assert.deepEqual(titles(table.search()), ['new 1', 'new 2', 'new 3', 'next']);
  });

  it('is one commit, marked as a replacement', () => {
    const table = filled(3);
    const commits: Commit<typeof schema>[] = [];
    table.onCommit((commit) => commits.push(commit));
    const replacement = table.replacement();
    for (let i = 0; i < 10; i++) replacement.insert({ title: 'new' });
    assert.equal(commits.length, 0);
    replacement.commit();
    table.delete(1);
    assert.deepEqual(
      commits.map(({ number, changes, isReplacement }) => [number, changes.length, isReplacement]),
      [
        [4, 0, true],
        [5, 1, false],
      ],
    );
  });

  it('does not affect open cursors', () => {
    const table = filled(600);
    const before = table.search();
    const cursor = table.cursor();
    const found = table.cursor((t) => [t.title.contains('old 5')]);
    const expected = table.search((t) => [t.title.contains('old 5')]);
    const first = cursor.next().value ?? [];
    table.replacement().commit();
    assert.deepEqual([...first, ...cursor], before);
    assert.deepEqual([...found], expected);
    assert.deepEqual(table.search(), []);
  });

  it('can be filled up to the limits, however full the table is', () => {
    const table = filled(1000);
    const replacement = table.replacement();
    for (let i = 0; i < 1000; i++) replacement.insert({ title: 'new' });
    assert.throws(() => replacement.insert({ title: 'too many' }), TableFullError);
    replacement.commit();
    assert.equal(table.size, 1000);
  });

  it('is committed once, and not within a transaction, which continues', () => {
    const table = filled(2);
    const replacement = table.replacement();
    replacement.insert({ title: 'new' });
    table.transaction((t) => {
      t.delete(1);
      assert.throws(() => replacement.commit(), CommitError);
    });
    assert.deepEqual(titles(table.search()), ['old 2']);
    replacement.commit();
    assert.throws(() => replacement.commit(), CommitError);
    assert.throws(() => replacement.insert({ title: 'late' }), CommitError);
    assert.deepEqual(titles(table.search()), ['new']);
  });

  it('is kept if a later transaction fails', () => {
    const table = filled(5);
    const replacement = table.replacement();
    replacement.insert({ title: 'new' });
    replacement.commit();
    assert.throws(() => table.transaction((t) => [t.insert({ title: 'x' }), assert.fail()]));
    assert.deepEqual(titles(table.search()), ['new']);
    assert.equal(table.insert({ title: 'next' }).id, 2);
  });

  it('is found by its texts as soon as it is committed', () => {
    const table = filled(200);
    const replacement = table.replacement();
    for (let i = 0; i < 300; i++) replacement.insert({ title: `new ${i}` });
    replacement.commit();
    assert.ok(table.countTests((t) => [t.title.contains('old')]) < 10);
    assert.equal(table.search((t) => [t.title.contains('new 29')]).length, 11);
  });

  it('takes rows with given ids, and continues after them', () => {
    const table = filled(3);
    const replacement = table.replacement();
    const row = table.rowOf(40, { title: 'forty', priority: 4 });
    replacement.put(40, { title: 'forty', priority: 4 });
    assert.throws(() => replacement.put(40, { title: 'again' }), { name: 'ColumnError' });
    replacement.put(600, { title: 'six hundred' });
    replacement.idsAssigned = 700n;
    replacement.commit(12);
    assert.deepEqual(table.search(), [row, { id: 600, title: 'six hundred', priority: 0 }]);
    assert.deepEqual(
      table.search((t) => [t.priority.eq(4)]),
      [row],
    );
    assert.equal(table.idsAssigned, 700n);
    assert.equal(table.insert({ title: 'next' }).id, 701);
    const late = { name: 'CommitError', message: 'the replacement has been committed' };
    assert.throws(() => replacement.put(701, { title: 'late' }), late);
    assert.throws(() => {
      replacement.idsAssigned = 1n;
    }, late);
  });

  it('empties the table if nothing was inserted', () => {
    const table = filled(3);
    table.replacement().commit();
    assert.equal(table.size, 0);
    assert.equal(table.insert({ title: 'first' }).id, 1);
  });
});
