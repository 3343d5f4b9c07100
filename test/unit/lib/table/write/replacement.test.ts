import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CommitError, TableFullError } from '../../../../../src/lib/table/errors.ts';
import { filled, rollBack, type Task } from '../support/tables.ts';

const titles = (rows: readonly Task[]) => rows.map(({ title }) => title);

describe('a replacement', () => {
  it('can be filled up to the limits, however full the table is', () => {
    const table = filled(1000, { maxRows: 1000 });
    const replacement = table.replacement();
    for (let i = 0; i < 1000; i++) replacement.insert({ title: 'new' });
    assert.throws(() => replacement.insert({ title: 'too many' }), TableFullError);
    replacement.commit();
    assert.equal(table.size, 1000);
  });

  it('is committed one time, and not within a transaction, which continues', () => {
    const table = filled(2);
    const replacement = table.replacement();
    replacement.insert({ title: 'new' });
    table.transaction((t) => {
      t.delete(1);
      assert.throws(() => replacement.commit(), CommitError);
    });
    assert.deepEqual(titles(table.search()), ['usual 2']);
    replacement.commit();
    const late = { name: 'CommitError', message: 'the replacement has been committed' };
    assert.throws(() => replacement.commit(), late);
    assert.throws(() => replacement.insert({ title: 'late' }), late);
    assert.throws(() => replacement.put(701, { title: 'late' }), late);
    assert.throws(() => {
      replacement.idsAssigned = 1n;
    }, late);
    rollBack(table, (t) => t.insert({ title: 'undone' }));
    assert.deepEqual(titles(table.search()), ['new']);
    assert.equal(table.insert({ title: 'next' }).id, 2);
  });

  it('puts rows with the ids that they have elsewhere, and continues after these', () => {
    const table = filled(3);
    const replacement = table.replacement();
    const row = table.rowOf(40, { title: 'forty', priority: 4 });
    replacement.put(40, { title: 'forty', priority: 4 });
    assert.throws(() => replacement.put(40, { title: 'again' }), { name: 'ColumnError' });
    replacement.put(600, { title: 'six hundred' }, 7);
    replacement.idsAssigned = 700n;
    replacement.commit(12);
    assert.deepEqual(table.search(), [row, table.rowOf(600, { title: 'six hundred' })]);
    assert.deepEqual(
      [40, 600].map((id) => table.find(id)?.revision),
      [12, 7],
    );
    assert.deepEqual(
      table.search((t) => [t.priority.eq(4)]),
      [row],
    );
    assert.deepEqual([table.idsAssigned, table.version], [700n, 12]);
    assert.equal(table.insert({ title: 'next' }).id, 701);
  });
});
