import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConditionError } from '../../../src/table/errors.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { Table } from '../../../src/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 99999 } },
  title: { kind: 'text', index: 'substring' },
  priority: { kind: 'integer', default: 0, index: 'ordered' },
} as const satisfies Schema;

const filled = (rows: number) => {
  const table = new Table(schema);
  for (let i = 1; i <= rows; i++) table.insert({ title: `Title ${i}`, priority: i % 5 });
  return table;
};

describe('snapshot', () => {
  test('does not change, whatever is written', () => {
    const table = filled(1500);
    const snapshot = table.snapshot();
    const rows = table.search();
    table.update(700, { title: 'changed' });
    table.remove((t) => [t.priority.eq(2)]);
    table.insert({ title: 'new' });
    assert.deepEqual(snapshot.search(), rows);
    assert.equal(snapshot.size, 1500);
    assert.equal(snapshot.get(700)?.title, 'Title 700');
    assert.equal(
      snapshot.count((t) => [t.priority.eq(2)]),
      300,
    );
    assert.equal(snapshot.searchOne((t) => [t.title.containsIgnoreCase('tITLE 700')])?.id, 700);
    table.removeAll();
    assert.deepEqual(snapshot.search(), rows);
    assert.equal(
      snapshot.exists((t) => [t.title.eq('new')]),
      false,
    );
  });

  test('is independent of snapshots of other moments', () => {
    const table = filled(0);
    const snapshots = Array.from({ length: 20 }, () => {
      table.insert({ title: 'x' });
      return table.snapshot();
    });
    assert.deepEqual(
      snapshots.map((snapshot) => snapshot.search().length),
      snapshots.map((_, i) => i + 1),
    );
  });

  test('uses the indexes as long as nothing is written', () => {
    const table = filled(100);
    const snapshot = table.snapshot();
    const access = () => snapshot.explain((t) => [t.priority.eq(3)]).access;
    assert.equal(access(), 'ordered index');
    table.delete(1);
    assert.equal(access(), 'full scan');
  });
});

describe('cursor', () => {
  test('returns the rows of the moment it was created', () => {
    const table = filled(2000);
    const expected = {
      all: table.search(),
      some: table.search((t) => [t.title.contains('77')]),
      top: table.search([], { orderBy: [{ column: 'priority', direction: 'desc' }], limit: 7 }),
    };
    const cursors = {
      all: table.cursor(),
      some: table.cursor((t) => [t.title.contains('77')]),
      top: table.cursor([], { orderBy: [{ column: 'priority', direction: 'desc' }], limit: 7 }),
    };
    assert.equal(cursors.all.next().value, expected.all[0]);
    table.removeAll();
    table.insert({ title: '77', priority: 9 });
    assert.deepEqual([...cursors.all], expected.all.slice(1));
    assert.deepEqual([...cursors.some], expected.some);
    assert.deepEqual([...cursors.top], expected.top);
  });

  test('advances in short steps, even if nothing matches', () => {
    const table = filled(5000);
    const cursor = table.cursor((t) => [t.title.containsIgnoreCase('zz')]);
    let steps = 0;
    for (let rows = cursor.step(); rows; rows = cursor.step()) {
      assert.equal(rows.length, 0);
      steps++;
    }
    assert.ok(steps >= 5000 / 512);
    const every = table.cursor();
    const first = every.next().value;
    const rest = [];
    for (let rows = every.step(); rows; rows = every.step()) rest.push(...rows);
    assert.deepEqual([first, ...rest], table.search());
  });

  test('rejects an invalid condition at once, not when advanced', () => {
    assert.throws(() => filled(1).cursor([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
  });
});
