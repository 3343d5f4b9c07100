import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConditionError } from '../../../../src/lib/table/errors.ts';
import type { Snapshot } from '../../../../src/lib/table/read-view.ts';
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

describe('a snapshot', () => {
  it('does not change, whatever is written', () => {
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
    assert.equal(snapshot.search((t) => [t.title.containsIgnoreCase('tITLE 700')])[0]?.id, 700);
    table.removeAll();
    assert.deepEqual(snapshot.search(), rows);
    assert.equal(
      snapshot.count((t) => [t.title.eq('new')]),
      0,
    );
  });

  for (const [how, empty] of [
    ['emptied', (table: Table<typeof schema>) => void table.removeAll()],
    ['replaced', (table: Table<typeof schema>) => table.replacement().commit()],
  ] as const) {
    it(`keeps all rows, and nothing of the table but them, when that is ${how}`, () => {
      const table = filled(1500);
      table.update(1, { title: 'Changed' });
      const before = table.stats().bytes;
      const snapshot = table.snapshot();
      assert.equal(table.snapshotBytes, 0);
      empty(table);
      const { rows, indexes, snapshots, total } = table.stats().bytes;
      assert.deepEqual([rows, indexes, snapshots], [0, 0, total]);
      assert.equal(table.bytes, total);
      assert.ok(total > 0.99 * before.rows && total < before.total, `${total} bytes`);
      snapshot.close();
      assert.equal(table.snapshotBytes, 0);
      assert.equal(table.bytes, 0);
    });
  }

  it('keeps what it would keep if no other one had been taken since', () => {
    const random = new Random(SEED);
    const [table, twin] = [filled(2000), filled(2000)];
    const snapshots = [table.snapshot(), twin.snapshot()];
    const others: Snapshot<typeof schema>[] = [];
    for (let i = 0; i < 300; i++) {
      const id = 1 + random.below(Number(table.idsAssigned));
      const title = `Changed ${i}`;
      const write = random.pick<(to: Table<typeof schema>) => void>([
        (to) => to.update(id, { title }),
        (to) => to.delete(id),
        (to) => to.insert({ title }),
      ]);
      for (const each of [table, twin]) write(each);
      if (random.chance(4)) others.push(table.snapshot());
      if (random.chance(5)) others.splice(random.below(others.length + 1), 1)[0]?.close();
    }
    for (const other of others) other.close();
    assert.ok(twin.snapshotBytes > 0);
    assert.equal(table.snapshotBytes, twin.snapshotBytes, `seed ${SEED}`);
    for (const snapshot of snapshots) snapshot.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('makes the table larger by what it keeps, until it is closed', () => {
    const table = filled(1500);
    const before = table.stats().bytes;
    const snapshot = table.snapshot();
    table.update(1, { title: 'Title 2' });
    const { snapshots, total, ...others } = table.stats().bytes;
    assert.ok(snapshots > 0);
    assert.equal(total - snapshots, before.total);
    assert.deepEqual(others, { rows: before.rows, indexes: before.indexes });
    snapshot.close();
    table.update(1, { title: 'Title 1' });
    assert.deepEqual(table.stats().bytes, before);
  });

  it('that is closed is read no more, but its cursors are', () => {
    const table = filled(1500);
    const rows = table.search();
    const snapshot = table.snapshot();
    const cursor = snapshot.cursor((t) => [t.id.gt(1000)], { offset: 2 });
    const other = snapshot.cursor();
    assert.throws(() => snapshot.cursor([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
    table.removeAll();
    assert.deepEqual([...snapshot.cursor()], rows);
    assert.deepEqual(snapshot.search(), rows);
    const kept = table.snapshotBytes;
    snapshot.close();
    const closed = { name: 'SnapshotClosedError', message: 'the snapshot has been closed' };
    assert.throws(() => snapshot.search(), closed);
    assert.throws(() => snapshot.size, closed);
    assert.throws(() => snapshot.cursor(), closed);
    assert.equal(table.snapshotBytes, kept);
    assert.deepEqual([...cursor], rows.slice(1002));
    assert.equal(table.snapshotBytes, kept);
    other.close();
    assert.equal(table.snapshotBytes, 0);
  });

  it('is independent of snapshots of other moments', () => {
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

  it('can be read by new cursors when younger snapshots exist', () => {
    const table = filled(10);
    const older = table.snapshot();
    table.update(1, { title: 'second' });
    const younger = table.snapshot();
    const cursor = older.cursor();
    table.update(1, { title: 'third' });
    table.delete(2);
    assert.equal(younger.get(1)?.title, 'second');
    assert.equal(younger.size, 10);
    assert.equal(younger.search().length, 10);
    assert.equal(cursor.next().value?.[0]?.title, 'Title 1');
    for (const each of [older, cursor, younger]) each.close();
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
