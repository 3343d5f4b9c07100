import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConditionError } from '../../../../src/lib/table/errors.ts';
import type { Cursor } from '../../../../src/lib/table/query/execution.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { Random, SEED } from './support/random.ts';

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

describe('an open cursor', () => {
  it('does not change, whatever is written', () => {
    const table = filled(1500);
    const rows = table.search();
    const open = () =>
      [
        [table.cursor(), rows],
        [table.cursor((t) => [t.id.eq(700)]), rows.slice(699, 700)],
        [table.cursor((t) => [t.priority.eq(2)]), rows.filter(({ priority }) => priority === 2)],
        [table.cursor((t) => [t.title.containsIgnoreCase('tITLE 700')]), rows.slice(699, 700)],
        [table.cursor((t) => [t.title.eq('new')]), []],
      ] as const;
    const cursors = [...open(), ...open()];
    table.update(700, { title: 'changed' });
    table.remove((t) => [t.priority.eq(2)]);
    table.insert({ title: 'new' });
    for (const [cursor, expected] of cursors.slice(0, 5)) assert.deepEqual([...cursor], expected);
    table.removeAll();
    for (const [cursor, expected] of cursors.slice(5)) assert.deepEqual([...cursor], expected);
  });

  for (const [how, empty] of [
    ['emptied', (table: Table<typeof schema>) => void table.removeAll()],
    ['replaced', (table: Table<typeof schema>) => table.replacement().commit()],
  ] as const) {
    it(`keeps all rows, and nothing of the table but them, when that is ${how}`, () => {
      const table = filled(1500);
      table.update(1, { title: 'Changed' });
      const before = table.stats().bytes;
      const cursor = table.cursor();
      assert.equal(table.snapshotBytes, 0);
      empty(table);
      const { rows, indexes, snapshots, total } = table.stats().bytes;
      assert.deepEqual([rows, indexes, snapshots], [0, 0, total]);
      assert.equal(table.bytes, total);
      assert.ok(total > 0.99 * before.rows && total < before.total, `${total} bytes`);
      cursor.close();
      assert.equal(table.snapshotBytes, 0);
      assert.equal(table.bytes, 0);
    });
  }

  it('keeps as much as without later snapshots', () => {
    const random = new Random(SEED);
    const [table, twin] = [filled(2000), filled(2000)];
    const cursors = [table.cursor(), twin.cursor()];
    const others: Cursor<typeof schema>[] = [];
    for (let i = 0; i < 300; i++) {
      const id = 1 + random.below(Number(table.idsAssigned));
      const title = `Changed ${i}`;
      const write = random.pick<(to: Table<typeof schema>) => void>([
        (to) => to.update(id, { title }),
        (to) => to.delete(id),
        (to) => to.insert({ title }),
      ]);
      for (const each of [table, twin]) write(each);
      if (random.chance(4)) others.push(table.cursor());
      if (random.chance(5)) others.splice(random.below(others.length + 1), 1)[0]?.close();
    }
    for (const other of others) other.close();
    assert.ok(twin.snapshotBytes > 0);
    assert.equal(table.snapshotBytes, twin.snapshotBytes, `seed ${SEED}`);
    for (const cursor of cursors) cursor.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('makes the table larger by the rows it keeps, until it is closed', () => {
    const table = filled(1500);
    const before = table.stats().bytes;
    const cursor = table.cursor();
    table.update(1, { title: 'Title 2' });
    const { snapshots, total, ...others } = table.stats().bytes;
    assert.ok(snapshots > 0);
    assert.equal(total - snapshots, before.total);
    assert.deepEqual(others, { rows: before.rows, indexes: before.indexes });
    cursor.close();
    table.update(1, { title: 'Title 1' });
    assert.deepEqual(table.stats().bytes, before);
  });

  it('keeps a row once when a write to it is undone', () => {
    const table = filled(1500);
    const cursor = table.cursor();
    table.update(1, { title: 'copies the leaf' });
    const { snapshotBytes } = table;
    const error = new Error('undo');
    for (const write of [
      () => table.update(2, { title: 'changed' }),
      () => table.delete(2),
      () => table.remove((t) => [t.id.gt(1000)]),
    ]) {
      assert.throws(
        () =>
          table.transaction(() => {
            write();
            throw error;
          }),
        error,
      );
      assert.equal(table.snapshotBytes, snapshotBytes);
    }
    cursor.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('shares a moment with others, until all of these are closed', () => {
    const table = filled(1500);
    const rows = table.search();
    const [cursor, other] = [table.cursor((t) => [t.id.gt(1000)], { offset: 2 }), table.cursor()];
    table.removeAll();
    const kept = table.snapshotBytes;
    other.close();
    other.close();
    assert.equal(table.snapshotBytes, kept);
    assert.deepEqual([...cursor], rows.slice(1002));
    assert.equal(table.snapshotBytes, 0);
  });

  it('is independent of cursors of other moments', () => {
    const table = filled(0);
    const cursors = Array.from({ length: 20 }, () => {
      table.insert({ title: 'x' });
      return table.cursor();
    });
    assert.deepEqual(
      cursors.map((cursor) => [...cursor].length),
      cursors.map((_, i) => i + 1),
    );
  });

  it('shows the present after a younger one is closed, not the moment of an older one', () => {
    const table = filled(10);
    const older = table.cursor();
    table.update(1, { title: 'second' });
    table.cursor().close();
    const younger = table.cursor();
    table.update(1, { title: 'third' });
    assert.equal(younger.next().value?.[0]?.title, 'second');
    assert.equal(older.next().value?.[0]?.title, 'Title 1');
    for (const each of [older, younger]) each.close();
    assert.equal(table.snapshotBytes, 0);
  });
});

describe('a cursor', () => {
  it('returns the rows of the moment it was created', () => {
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
    const first = cursors.all.next().value ?? [];
    assert.equal(first[0], expected.all[0]);
    table.removeAll();
    table.insert({ title: '77', priority: 9 });
    assert.deepEqual([...first, ...cursors.all], expected.all);
    assert.deepEqual([...cursors.some], expected.some);
    assert.deepEqual([...cursors.top], expected.top);
  });

  it('is closed by a loop that ends early', () => {
    const table = filled(5000);
    const cursor = table.cursor();
    table.update(5000, { title: 'changed' });
    for (const { id } of cursor) if (id === 3) break;
    assert.equal(table.snapshotBytes, 0);
    assert.deepEqual([...cursor], []);
  });

  it('rejects an invalid condition at once, not when advanced', () => {
    assert.throws(() => filled(1).cursor([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
  });
});
