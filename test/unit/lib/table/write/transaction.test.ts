import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filled, follow, rollBack, type Tasks } from '../support/tables.ts';

const unchecked = <T>(value: unknown) => value as T;

const titles = (table: Tasks) => table.search().map(({ title }) => title);

describe('a transaction', () => {
  test('is one commit, and none without writes', () => {
    const table = filled(2);
    const size = table.transaction((t) => {
      t.insert({ title: 'three' });
      t.delete(1);
      return t.size;
    });
    assert.deepEqual([size, table.version], [2, 3]);
    table.transaction((t) => t.find(2)?.row.id);
    assert.equal(table.version, 3);
  });

  test('nests in another one, and can be rolled back by itself', () => {
    const table = filled(2);
    const commits = follow(table);
    table.transaction((outer) => {
      outer.insert({ title: 'three' });
      rollBack(outer, (inner) => {
        inner.insert({ title: 'four' });
        inner.delete(3);
      });
      outer.transaction((inner) => inner.delete(1));
    });
    assert.deepEqual(titles(table), ['usual 2', 'three']);
    assert.deepEqual(
      commits.map(({ number, changes }) => [number, changes.length]),
      [[3, 2]],
    );
    rollBack(table, (outer) => {
      outer.transaction((inner) => inner.delete(2));
    });
    assert.equal(table.size, 2);
  });

  test('continues after a caught failure of an operation', () => {
    const table = filled(2);
    table.transaction((t) => {
      assert.throws(() => t.insert(unchecked({ title: 3 })));
      t.insert({ title: 'three' });
    });
    assert.equal(table.size, 3);
  });

  test('has no version of its own before its commit', () => {
    const table = filled(2);
    table.dryRun(() => {
      table.transaction(() => {
        assert.deepEqual([table.find(1)?.revision, table.version], [1, 2]);
        table.update(1, { title: 'changed' });
        assert.throws(() => table.version, { name: 'UncommittedError' });
        assert.equal(table.find(1)?.revision, 3);
        assert.equal(table.find(99), undefined);
      });
    });
    assert.deepEqual([table.find(1)?.revision, table.version], [1, 2]);
  });
});

describe('onCommit', () => {
  test('reports the rows put and deleted, in order', () => {
    const table = filled(2);
    const commits = follow(table);
    const one = table.find(1)?.row;
    const three = table.transaction((t) => {
      t.delete(1);
      return t.insert({ title: 'three' });
    });
    const changed = table.update(3, { priority: 1 });
    const first = [{ deleted: one }, { put: three, before: undefined }];
    assert.deepEqual(commits, [
      { number: 3, changes: first, isReplacement: false },
      { number: 4, changes: [{ put: changed, before: three }], isReplacement: false },
    ]);
  });

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
    const [all, last, three] = table.dryRun((writtenAfter) => {
      const row = write(table);
      assert.deepEqual(table.search(), [{ ...one, priority: 7 }, row]);
      return [writtenAfter(0), writtenAfter(2), row];
    });
    assert.deepEqual(all, [
      { put: { ...one, priority: 7 }, before: one },
      { deleted: two },
      { put: three, before: undefined },
    ]);
    assert.deepEqual(last, all?.slice(2));
    assert.deepEqual(table.search(), [one, two]);
    assert.deepEqual([table.idsAssigned, table.version, commits], [2n, 2, []]);
    assert.deepEqual(table.insert({ title: 'three' }), three);
  });

  test('undoes only its own writes within a transaction', () => {
    const table = filled(2);
    const commits = follow(table);
    table.transaction(() => {
      table.delete(1);
      table.dryRun((writtenAfter) => {
        table.insert({ title: 'undone' });
        assert.equal(writtenAfter(0).length, 2);
      });
      table.insert({ title: 'three' });
    });
    assert.deepEqual(titles(table), ['usual 2', 'three']);
    assert.deepEqual(
      commits.map(({ changes }) => changes.length),
      [2],
    );
  });
});

describe('a replay', () => {
  test('makes one commit of the writes of another table', () => {
    const [leader, follower] = [filled(2), filled(2)];
    const commits = follow(follower);
    const changes = leader.dryRun((writtenAfter) => {
      write(leader);
      return writtenAfter(0);
    });
    const rows = changes.map(({ put, deleted }) => ({ id: (put ?? deleted).id, row: put }));
    for (const table of [leader, follower]) table.replay(rows, 7n, 30);
    assert.deepEqual(follower.search(), leader.search());
    assert.equal(
      follower.count((t) => [t.priority.eq(7)]),
      1,
    );
    assert.deepEqual(commits, [{ number: 30, changes, isReplacement: false }]);
    assert.deepEqual([follower.version, follower.commits, follower.idsAssigned], [30, 3, 7n]);
    assert.equal(follower.insert({ title: 'next' }).id, 8);
  });

  test('deletes nothing where there is no row', () => {
    const table = filled(2);
    const commits = follow(table);
    const [one] = table.search();
    table.replay([{ id: 7, row: undefined }], 9n, 30);
    assert.deepEqual([commits, table.idsAssigned, table.version], [[], 9n, 30]);
    const rows = [7, 1, 1].map((id) => ({ id, row: undefined }));
    table.replay(rows, 9n, 31);
    const changes = [{ deleted: one }];
    assert.deepEqual(commits, [{ number: 31, changes, isReplacement: false }]);
    assert.deepEqual([table.version, table.commits], [31, 3]);
  });

  test('ignores limits, which are for inserts', () => {
    const table = filled(2, { maxRows: 3 });
    const rows = [5, 6, 7].map((id) => ({ id, row: table.rowOf(id, { title: `row ${id}` }) }));
    table.replay(rows, 9n, 3);
    assert.equal(table.size, 5);
    assert.throws(() => table.insert({ title: 'too many' }), { bound: 'rows', limit: 3 });
    table.maxRows = 6;
    assert.equal(table.insert({ title: 'ten' }).id, 10);
  });
});
