import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filled, follow, rollBack, type Tasks } from '../support/tables.ts';

const unchecked = <T>(value: unknown) => value as T;

describe('a transaction', () => {
  test('continues after a caught failure of an operation', () => {
    const table = filled(2);
    table.transaction((t) => {
      assert.throws(() => t.insert(unchecked({ title: 3 })));
      t.insert({ title: 'three' });
    });
    assert.equal(table.size, 3);
  });

  test('has no commit number of its own before its commit', () => {
    const table = filled(2);
    table.dryRun(() => {
      table.transaction(() => {
        assert.deepEqual([table.find(1)?.commit, table.lastCommit], [1, 2]);
        table.update(1, { title: 'changed' });
        assert.throws(() => table.lastCommit, { name: 'UncommittedError' });
        assert.equal(table.find(1)?.commit, Number.POSITIVE_INFINITY);
        assert.equal(table.find(99), undefined);
      });
    });
    rollBack(table, () => {
      table.update(1, { title: 'changed' });
      assert.equal(table.find(1)?.commit, 3);
    });
    assert.deepEqual([table.find(1)?.commit, table.lastCommit], [1, 2]);
  });
});

describe('onCommit', () => {
  test('isolates the commit and other listeners from a failing one', async () => {
    const table = filled(2);
    const stop = new Error('stop');
    const surfaced = new Promise((resolve) => {
      // The test runner also listens, and would report the error as a failure.
      const listeners = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of listeners) process.on('uncaughtException', listener);
        resolve(error);
      });
    });
    table.onCommit(() => {
      throw stop;
    });
    const commits = follow(table);
    assert.equal(table.insert({ title: 'three' }).id, 3);
    assert.equal(commits.length, 1);
    assert.equal(await surfaced, stop);
  });
});

/** Leaves two rows, of which one is changed and one is new. */
function write(table: Tasks) {
  table.update(1, { priority: 7 });
  table.delete(2);
  return table.insert({ title: 'three' });
}

describe('a dry run', () => {
  test('returns the changes, and leaves no trace', () => {
    const table = filled(2);
    const commits = follow(table);
    const [one, two] = table.search();
    const [all, last, three] = table.dryRun((changesAfter) => {
      const row = write(table);
      assert.deepEqual(table.search(), [{ ...one, priority: 7 }, row]);
      return [changesAfter(0), changesAfter(2), row];
    });
    assert.deepEqual(all, [
      { put: { ...one, priority: 7 }, before: one },
      { deleted: two },
      { put: three, before: undefined },
    ]);
    assert.deepEqual(last, all?.slice(2));
    assert.deepEqual(table.search(), [one, two]);
    assert.deepEqual([table.idsAssigned, table.lastCommit, commits], [2n, 2, []]);
    assert.deepEqual(table.insert({ title: 'three' }), three);
  });

  test('returns the changes of many rows, each as often as it is asked for', () => {
    const table = filled(100);
    table.dryRun((changesAfter) => {
      table.update(1, { priority: 7 });
      table.remove((t) => [t.id.lte(60)]);
      const changes = changesAfter(0);
      assert.equal(changes.length, 61);
      for (const count of [0, 1, 2, 60, 61, 70]) {
        assert.deepEqual(changesAfter(count), changes.slice(count));
      }
      assert.throws(() =>
        table.transaction(() => {
          table.insert({ title: 'new' });
          assert.equal(changesAfter(61).length, 1);
          throw new Error('taken back');
        }),
      );
      assert.deepEqual(changesAfter(61), []);
    });
  });
});

describe('applied rows', () => {
  test('are one commit of the writes of another table', () => {
    const [leader, follower] = [filled(2), filled(2)];
    const commits = follow(follower);
    const changes = leader.dryRun((changesAfter) => {
      write(leader);
      return changesAfter(0);
    });
    const rows = changes.map(({ put, deleted }) => ({ id: (put ?? deleted).id, row: put }));
    for (const table of [leader, follower]) table.apply(rows, 7n, 30);
    assert.deepEqual(follower.search(), leader.search());
    assert.equal(follower.search((t) => [t.priority.eq(7)]).length, 1);
    assert.deepEqual(commits, [{ number: 30, changes, isReplacement: false }]);
    assert.deepEqual([follower.lastCommit, follower.idsAssigned], [30, 7n]);
    assert.equal(follower.insert({ title: 'next' }).id, 8);
  });

  test('delete nothing where there is no row', () => {
    const table = filled(2);
    const commits = follow(table);
    const [one] = table.search();
    const inTransaction = () => table.transaction(() => table.apply([], 9n, 30));
    assert.throws(inTransaction, { name: 'CommitError' });
    table.apply([{ id: 7, row: undefined }], 9n, 30);
    assert.deepEqual([commits, table.idsAssigned, table.lastCommit], [[], 9n, 30]);
    const rows = [7, 1, 1].map((id) => ({ id, row: undefined }));
    table.apply(rows, 9n, 31);
    const changes = [{ deleted: one }];
    assert.deepEqual(commits, [{ number: 31, changes, isReplacement: false }]);
    assert.equal(table.lastCommit, 31);
  });

  test('ignore limits, which are for inserts', () => {
    const table = filled(2, { maxRows: 3 });
    const rows = [5, 6, 7].map((id) => ({ id, row: table.rowOf(id, { title: `row ${id}` }) }));
    table.apply(rows, 9n, 3);
    assert.equal(table.size, 5);
    assert.throws(() => table.insert({ title: 'too many' }), { bound: 'rows', limit: 3 });
    table.maxRows = 6;
    assert.equal(table.insert({ title: 'ten' }).id, 10);
  });
});
