import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filled, follow, type Task, type Tasks } from '../support/tables.ts';

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

  test('has the number of its commit as soon as it has written', () => {
    const table = filled(2);
    const commits = follow(table);
    for (const [given, expected] of [
      [undefined, 3],
      [30, 30],
      [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ] as const) {
      const work = () => {
        assert.deepEqual([table.find(1)?.commit, table.find(99)], [before, undefined]);
        assert.equal(table.lastCommit, commits.at(-1)?.number ?? 2);
        table.transaction(() => table.update(1, { title: `changed ${expected}` }), 7);
        assert.deepEqual([table.find(1)?.commit, table.lastCommit], [expected, expected]);
      };
      const before = table.find(1)?.commit;
      const { lastCommit } = table;
      assert.throws(() =>
        table.transaction(() => {
          work();
          throw new Error('taken back');
        }, given),
      );
      assert.deepEqual([table.find(1)?.commit, table.lastCommit], [before, lastCommit]);
      table.transaction(work, given);
      assert.deepEqual([table.find(1)?.commit, table.lastCommit], [expected, expected]);
    }
    assert.deepEqual(
      commits.map(({ number }) => number),
      [3, 30, Number.POSITIVE_INFINITY],
    );
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

describe('a fork', () => {
  test('has the rows, limits and numbers of its table, and neither changes the other', () => {
    const table = filled(2, { maxRows: 3 });
    const commits = follow(table);
    const rows = table.search();
    const fork = table.fork();
    const ofFork = follow(fork);
    assert.deepEqual([fork.search(), fork.lastCommit, fork.idsAssigned], [rows, 2, 2n]);
    const three = write(fork);
    fork.insert({ title: 'four' });
    assert.throws(() => fork.insert({ title: 'five' }), { bound: 'rows', limit: 3 });
    assert.deepEqual([table.search(), table.lastCommit, table.idsAssigned], [rows, 2, 2n]);
    assert.deepEqual([commits.length, ofFork.length, ofFork.at(-1)?.number], [0, 4, 6]);
    assert.deepEqual(table.insert({ title: 'three' }), three);
    assert.deepEqual([table.size, fork.size, fork.find(1)?.commit], [3, 3, 3]);
  });

  test('reads its rows whatever happens to its table, and to cursors there', () => {
    const table = filled(1_000);
    const cursor = table.cursor();
    const fork = table.fork();
    table.remove((t) => [t.id.gt(0)]);
    cursor.close();
    assert.deepEqual([table.bytes, fork.size], [0, 1_000]);
    assert.deepEqual(fork.search(), filled(1_000).search());
    assert.equal(fork.bytes, filled(1_000).bytes);
  });
});

/** The rows of the last commit, for another table. */
function rowsOf(commits: ReturnType<typeof follow>) {
  const changes = commits.at(-1)?.changes as readonly { put?: Task; deleted?: Task }[];
  return changes.map(({ put, deleted }) => {
    const { id = 0, ...values } = put ?? {};
    return put ? { id, values } : { id: deleted?.id ?? 0, values: undefined };
  });
}

describe('a commit that is repeated', () => {
  test('is one commit there, too', () => {
    const [leader, follower] = [filled(2), filled(2)];
    const [made, repeated] = [follow(leader), follow(follower)];
    leader.transaction(write, 30);
    follower.replay(rowsOf(made), 7n, 30);
    assert.deepEqual(follower.search(), leader.search());
    assert.equal(follower.search((t) => [t.priority.eq(7)]).length, 1);
    assert.deepEqual(repeated, made);
    assert.deepEqual([follower.lastCommit, follower.idsAssigned], [30, 7n]);
    assert.equal(follower.insert({ title: 'next' }).id, 8);
  });

  test('keeps the number of the commit that wrote a row, if it is another one', () => {
    const table = filled(2);
    const values = { title: 'x' };
    table.replay(
      [
        { id: 1, values, commit: 1 },
        { id: 600, values, commit: 7 },
        { id: 3, values },
      ],
      700n,
      12,
    );
    assert.deepEqual(
      [1, 2, 3, 600].map((id) => table.find(id)?.commit),
      [1, 2, 12, 7],
    );
    assert.deepEqual([table.lastCommit, table.idsAssigned], [12, 700n]);
  });

  test('deletes nothing where there is no row', () => {
    const table = filled(2);
    const commits = follow(table);
    const [one] = table.search();
    const inTransaction = () => table.transaction(() => table.replay([], 9n, 30));
    assert.throws(inTransaction, { name: 'CommitError' });
    table.replay([{ id: 7, values: undefined }], 9n, 30);
    assert.deepEqual([commits, table.idsAssigned, table.lastCommit], [[], 9n, 30]);
    const rows = [7, 1, 1].map((id) => ({ id, values: undefined }));
    table.replay(rows, 9n, 31);
    assert.deepEqual(commits, [{ number: 31, changes: [{ deleted: one }] }]);
    assert.equal(table.lastCommit, 31);
  });

  test('puts all rows or none, and reads them one by one', () => {
    const table = filled(2);
    const read: number[] = [];
    function* rows() {
      for (const [id, title] of [
        [1, 'new'],
        [2, 7],
        [3, 'new'],
      ] as const) {
        read.push(id);
        yield { id, values: { title } };
      }
    }
    assert.throws(() => table.replay(rows(), 9n, 30), { name: 'ColumnError' });
    assert.deepEqual(read, [1, 2], 'the last one is the one that was refused');
    assert.deepEqual([table.search(), table.lastCommit], [filled(2).search(), 2]);
  });

  test('ignores limits, which are for inserts', () => {
    const table = filled(2, { maxRows: 3 });
    const rows = [5, 6, 7].map((id) => ({ id, values: { title: `row ${id}` } }));
    table.replay(rows, 9n, 3);
    assert.equal(table.size, 5);
    assert.throws(() => table.insert({ title: 'too many' }), { bound: 'rows', limit: 3 });
    table.remove((t) => [t.id.lte(6)]);
    assert.equal(table.insert({ title: 'ten' }).id, 10);
  });
});
