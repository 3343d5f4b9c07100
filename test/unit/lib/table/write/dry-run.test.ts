import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 9999 } },
  title: { kind: 'text', index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
} as const satisfies Schema;

function filled() {
  const table = new Table(schema, { maxRows: 3 });
  for (const title of ['one', 'two']) table.insert({ title });
  const commits: Commit<typeof schema>[] = [];
  table.onCommit((commit) => commits.push({ ...commit, changes: [...commit.changes] }));
  return { table, commits };
}

/** Leaves two rows, of which one is changed and one is new. */
function write(table: Table<typeof schema>) {
  table.update(1, { priority: 1 });
  table.delete(2);
  return table.insert({ title: 'three' });
}

describe('a dry run', () => {
  test('returns the changes, and leaves no trace', () => {
    const { table, commits } = filled();
    const [one, two] = table.search();
    const [all, last] = table.dryRun((writtenAfter) => {
      const three = write(table);
      assert.deepEqual(table.search(), [{ ...one, priority: 1 }, three]);
      return [writtenAfter(0), writtenAfter(2)];
    });
    const three = { id: 3, title: 'three', priority: 0 };
    assert.deepEqual(all, [
      { put: { ...one, priority: 1 }, before: one },
      { deleted: two },
      { put: three, before: undefined },
    ]);
    assert.deepEqual(last, all?.slice(2));
    assert.deepEqual(table.search(), [one, two]);
    assert.equal(table.idsAssigned, 2n);
    assert.equal(table.version, 2);
    assert.deepEqual(commits, []);
    assert.deepEqual(table.insert({ title: 'three' }), three);
  });

  test('that fails leaves no trace either', () => {
    const { table, commits } = filled();
    const before = table.search();
    const failure = new Error('meant to fail');
    const fails = () => {
      write(table);
      throw failure;
    };
    assert.throws(() => table.dryRun(fails), failure);
    assert.deepEqual(table.search(), before);
    assert.equal(table.insert({ title: 'three' }).id, 3);
    assert.equal(commits.length, 1);
  });

  test('within a transaction undoes only its own writes', () => {
    const { table, commits } = filled();
    table.transaction(() => {
      table.delete(1);
      table.dryRun((writtenAfter) => {
        table.insert({ title: 'undone' });
        assert.equal(writtenAfter(0).length, 2);
      });
      table.insert({ title: 'three' });
    });
    assert.deepEqual(
      table.search().map(({ id, title }) => `${id} ${title}`),
      ['2 two', '3 three'],
    );
    assert.equal(commits.length, 1);
    assert.equal(commits[0]?.changes.length, 2);
  });
});

describe('a replay', () => {
  test('brings a table to the state of another one, as one commit', () => {
    const [{ table: leader }, { table: follower, commits }] = [filled(), filled()];
    const changes = leader.dryRun((writtenAfter) => {
      write(leader);
      return writtenAfter(0);
    });
    const rows = changes.map(({ put, deleted }) => ({ id: (put ?? deleted).id, row: put }));
    for (const table of [leader, follower]) table.replay(rows, 7n, 30);
    assert.deepEqual(follower.search(), leader.search());
    assert.deepEqual(
      follower.search((t) => [t.priority.eq(1)]).map(({ title }) => title),
      ['one'],
    );
    assert.deepEqual(commits, [{ number: 30, changes, isReplacement: false }]);
    assert.deepEqual([follower.version, follower.commits], [30, 3]);
    assert.equal(follower.idsAssigned, 7n);
    assert.equal(follower.insert({ title: 'next' }).id, 8);
  });

  test('deletes nothing where there is nothing', () => {
    const { table, commits } = filled();
    const [one] = table.search();
    table.replay([{ id: 7, row: undefined }], 9n, 30);
    assert.deepEqual([commits, table.idsAssigned, table.version], [[], 9n, 30]);
    const rows = [7, 1, 1].map((id) => ({ id, row: undefined }));
    table.replay(rows, 9n, 31);
    const changes = [{ deleted: one }];
    assert.deepEqual(commits, [{ number: 31, changes, isReplacement: false }]);
    assert.deepEqual([table.version, table.commits], [31, 3]);
  });

  test('tells no number of a commit before it', () => {
    const { table } = filled();
    const [row] = table.search();
    assert(row);
    table.dryRun(() => {
      table.transaction(() => {
        assert.deepEqual([table.find(row.id)?.revision, table.version], [1, 2]);
        table.update(row.id, { title: 'changed' });
        assert.throws(() => table.version, { name: 'UncommittedError' });
        assert.equal(table.find(99)?.revision, undefined);
      });
    });
    assert.deepEqual([table.find(row.id)?.revision, table.version], [1, 2]);
  });

  test('ignores the limits, which apply to the replica that writes', () => {
    const { table } = filled();
    const rows = [5, 6, 7].map((id) => ({ id, row: table.rowOf(id, { title: `row ${id}` }) }));
    table.replay(rows, 9n, 3);
    assert.equal(table.size, 5);
    assert.throws(() => table.insert({ title: 'too many' }), { bound: 'rows', limit: 3 });
    table.maxRows = 6;
    assert.equal(table.insert({ title: 'ten' }).id, 10);
  });
});
