import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitError } from '../../../../../src/lib/table/errors.ts';
import { filled, follow, rollBack, type Task } from '../support/tables.ts';

const titles = (rows: readonly Task[]) => rows.map(({ title }) => title);

describe('a table that takes the rows of another one', () => {
  it('does so in one commit, after all earlier ones, but not within a transaction', () => {
    const table = filled(2);
    const commits = follow(table);
    const other = table.createEmpty();
    for (let i = 0; i < 9; i++) other.insert({ title: 'new' });
    other.remove((t) => [t.id.gt(1)]);
    table.transaction((t) => {
      t.delete(1);
      assert.throws(() => table.replaceRows(other), CommitError);
    });
    assert.deepEqual(titles(table.search()), ['usual 2']);
    table.replaceRows(other);
    assert.deepEqual(commits.at(-1), { number: 11, changes: [], isReplacement: true });
    assert.equal(table.lastCommit, 11);
    rollBack(table, (t) => t.insert({ title: 'undone' }));
    assert.deepEqual(titles(table.search()), ['new']);
    assert.equal(table.insert({ title: 'next' }).id, 10);
    table.replaceRows(table.createEmpty(), 40);
    assert.deepEqual([table.lastCommit, table.size, table.idsAssigned], [40, 0, 0n]);
  });

  it('has their commit numbers', () => {
    const table = filled(3);
    const loaded = table.createEmpty();
    const row = table.rowOf(600, { title: 'six hundred' });
    loaded.apply([{ id: 600, row, commit: 7 }], 700n, 12);
    table.replaceRows(loaded, 12);
    assert.equal(table.find(600)?.commit, 7);
    assert.deepEqual([table.idsAssigned, table.lastCommit], [700n, 12]);
  });
});
