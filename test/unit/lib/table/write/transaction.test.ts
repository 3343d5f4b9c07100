import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99 } },
  title: { kind: 'text', index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
} as const satisfies Schema;

const make = () => {
  const table = new Table(schema);
  table.insert({ title: 'one' });
  table.insert({ title: 'two', priority: 2 });
  return table;
};

const stop = new Error('stop');

const unchecked = <T>(value: unknown) => value as T;

describe('transaction', () => {
  test('is one commit', () => {
    const table = make();
    const result = table.transaction((t) => {
      t.insert({ title: 'three' });
      t.delete(1);
      return t.size;
    });
    assert.equal(result, 2);
    assert.equal(table.version, 3);
  });

  test('is rolled back completely if it throws', () => {
    const table = make();
    const before = table.search();
    assert.throws(
      () =>
        table.transaction((t) => {
          t.insert({ title: 'three' });
          t.update(1, { title: 'uno', priority: 9 });
          t.update(3, { title: 'tre' });
          t.remove((columns) => [columns.priority.eq(2)]);
          throw stop;
        }),
      stop,
    );
    assert.deepEqual(table.search(), before);
    assert.equal(table.get(1), before[0], 'the very same row');
    assert.equal(table.version, 2);
    assert.deepEqual(
      table.search((t) => [t.priority.gte(1)]),
      [before[1]],
    );
    assert.deepEqual(
      table.search((t) => [t.title.contains('two')]),
      [before[1]],
    );
    assert.equal(table.insert({ title: 'three' }).id, 3, 'the id was not used up');
  });

  test('nests in another one, and can be rolled back by itself', () => {
    const table = make();
    table.transaction((outer) => {
      outer.insert({ title: 'three' });
      assert.throws(() => {
        outer.transaction((inner) => {
          inner.insert({ title: 'four' });
          inner.delete(3);
          throw stop;
        });
      }, stop);
      outer.transaction((inner) => inner.delete(1));
    });
    assert.deepEqual(
      table.search().map(({ title }) => title),
      ['two', 'three'],
    );
    assert.equal(table.version, 3);
    assert.throws(() => {
      table.transaction((outer) => {
        outer.transaction((inner) => inner.delete(2));
        throw stop;
      });
    }, stop);
    assert.equal(table.size, 2);
  });

  test('continues after a caught failure of an operation', () => {
    const table = make();
    table.transaction((t) => {
      assert.throws(() => t.insert(unchecked({ title: 3 })));
      t.insert({ title: 'three' });
    });
    assert.equal(table.size, 3);
  });

  test('without writes is not a commit', () => {
    const table = make();
    table.transaction((t) => t.get(1)?.id);
    assert.equal(table.version, 2);
  });
});

describe('onCommit', () => {
  const follow = (table: Table<typeof schema>) => {
    const commits: Commit<typeof schema>[] = [];
    const end = table.onCommit((commit) =>
      commits.push({ ...commit, changes: [...commit.changes] }),
    );
    return { commits, end };
  };

  test('reports the rows put and deleted, in order, with the number of the commit', () => {
    const table = make();
    const { commits, end } = follow(table);
    const one = table.get(1);
    const three = table.transaction((t) => {
      t.delete(1);
      return t.insert({ title: 'three' });
    });
    const changed = table.update(3, { priority: 1 });
    end();
    table.insert({ title: 'four' });
    assert.deepEqual(commits, [
      {
        number: 3,
        changes: [{ deleted: one }, { put: three, before: undefined }],
        isReplacement: false,
      },
      { number: 4, changes: [{ put: changed, before: three }], isReplacement: false },
    ]);
  });

  test('does not report changes that were rolled back', () => {
    const table = make();
    const { commits } = follow(table);
    assert.throws(() => table.transaction((t) => [t.insert({ title: 'x' }), assert.fail()]));
    table.transaction((t) => {
      assert.throws(() => t.transaction((u) => [u.delete(1), assert.fail()]));
      t.delete(2);
    });
    assert.equal(commits.length, 1);
    assert.equal(commits[0]?.changes.length, 1);
  });

  test('keeps commits in order if a listener writes', () => {
    const table = make();
    table.onCommit(({ number }) => {
      if (number === 3) table.delete(1);
    });
    const { commits } = follow(table);
    table.insert({ title: 'three' });
    assert.deepEqual(
      commits.map(({ number }) => number),
      [3, 4],
    );
  });

  test('isolates the commit and other listeners from a failing one', async () => {
    const table = make();
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
    const { commits } = follow(table);
    assert.equal(table.insert({ title: 'three' }).id, 3);
    assert.equal(commits.length, 1);
    assert.equal(await surfaced, stop);
  });
});
