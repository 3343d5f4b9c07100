import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import { Page } from '../../../../src/lib/table/pages/page.ts';
import type { Row, Schema } from '../../../../src/lib/table/schema/column.ts';
import { resolveSchema } from '../../../../src/lib/table/schema/resolved-schema.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { Random, SEED } from '../support/random.ts';
import { assertSame, idsOf } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  rank: { kind: 'integer', nullable: true, index: 'ordered' },
  state: { kind: 'integer', nullable: true, index: 'bitmap' },
} as const satisfies Schema;

type Todo = Row<typeof schema>;

const valuesOf = (id: number) => ({
  title: id % 3 === 0 ? `Straße ${id}` : `title ${id}`,
  rank: id % 4 === 0 ? null : id % 10,
  state: id % 5 === 0 ? null : id % 3,
});

/** Writes rows as another table has written them, in one commit. */
function put(table: Table<typeof schema>, ...ids: readonly number[]): void {
  const rows = ids.map((id) => ({ id, row: table.rowOf(id, valuesOf(id)) }));
  const idsAssigned = BigInt(Math.max(Number(table.idsAssigned), ...ids));
  table.replay(rows, idsAssigned, table.version + 1);
}

function filled(rows: number): Table<typeof schema> {
  const table = new Table(schema);
  put(table, ...Array.from({ length: rows }, (_, i) => i + 1));
  return table;
}

/** Checks that a table has the rows of some ids and no others, however it is asked. */
function assertIds(table: Table<typeof schema>, ids: readonly number[]): void {
  const rows = table.search();
  assert.deepEqual(idsOf(rows), ids);
  assert.equal(table.size, ids.length);
  const has = new Set(ids);
  for (const row of rows) {
    assert.equal(table.get(row.id), row);
    for (const id of [row.id - 1, row.id + 1]) {
      assert.equal(table.get(id)?.id, has.has(id) ? id : undefined);
    }
  }
  const found = (wanted: (row: Todo) => boolean) => rows.filter(wanted);
  assertSame(
    table.search((t) => [t.state.eq(1)]),
    found(({ state }) => state === 1),
  );
  assertSame(
    table.search((t) => [t.state.isNull()]),
    found(({ state }) => state === null),
  );
  assertSame(
    table.search((t) => [t.rank.gte(7)]),
    found(({ rank }) => rank !== null && rank >= 7),
  );
  assertSame(
    table.search((t) => [t.title.containsIgnoreCase('STRASSE 1')]),
    found(({ title }) => title.startsWith('Straße 1')),
  );
  const middle = ids[ids.length >> 1] ?? 0;
  assertSame(
    table.search((t) => [t.id.gte(middle)]),
    found(({ id }) => id >= middle),
  );
  assertSame(
    table.search((t) => [t.id.lt(middle)]),
    found(({ id }) => id < middle),
  );
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe('the rows of a page', () => {
  for (const dense of [1, 63, 64, 65, 512, 4095]) {
    it(`keep their ids when ids are left out after the first ${dense}`, () => {
      for (const gap of [1, 2, 13, PAGE_SLOTS - dense, PAGE_SLOTS, 3 * PAGE_SLOTS]) {
        const table = filled(dense);
        const next = dense + gap;
        put(table, next);
        assertIds(table, [...upTo(dense), next]);
        const { id } = table.insert(valuesOf(next + 1));
        assertIds(table, [...upTo(dense), next, id]);
        assert.equal(id, next + 1);
        assert.equal(table.find(next)?.revision, 2);
        assert.equal(table.find(id)?.revision, 3);
      }
    });
  }

  it(`can come in any order (seed ${SEED})`, () => {
    const random = new Random(SEED);
    const table = new Table(schema);
    const ids = new Set<number>();
    for (let i = 0; i < 250; i++) {
      const id = 1 + random.below(700);
      ids.add(id);
      put(table, id);
      assert.equal(table.get(id)?.id, id);
      if (i % 50 === 0)
        assertIds(
          table,
          [...ids].sort((a, b) => a - b),
        );
    }
    assertIds(
      table,
      [...ids].sort((a, b) => a - b),
    );
  });

  it('come back to the places that they had', () => {
    const table = filled(100);
    for (const id of [1, 50, 100]) {
      table.delete(id);
      assert.equal(table.get(id), undefined);
      put(table, id);
      assertIds(table, upTo(100));
    }
    table.removeAll();
    put(table, 50);
    assertIds(table, [50]);
  });

  it('keep their positions, until the commit, when others follow rows that are gone', () => {
    const schema = resolveSchema({ id: { kind: 'integer', identity: { from: 1, to: 9999 } } });
    let page = Page.empty(schema, 0, 1);
    for (let slot = 0; slot < PAGE_SLOTS; slot++) {
      page = page.withRoomFor(slot, 1);
      page.put(page.append(slot), { id: slot + 1 }, 1);
      page.delete(slot - 1);
      assert.equal(page.positionOf(0), 0);
    }
  });

  it('keep their ids when the page is packed, and when others follow', () => {
    for (const kept of [1, 16, 64, 65, 1000]) {
      const table = filled(PAGE_SLOTS - 10);
      const snapshot = table.snapshot();
      const before = table.search();
      const ids = upTo(kept).map((i) => i * 4);
      table.remove((t) => [t.id.notIn(ids)]);
      assertIds(table, ids);
      const revisions = ids.map((id) => table.find(id)?.revision);
      assert.deepEqual(new Set(revisions), new Set([1]));
      const added = Array.from({ length: 20 }, (_, i) => table.insert(valuesOf(i)).id);
      assert.equal(added[0], PAGE_SLOTS - 9);
      assertIds(table, [...ids, ...added]);
      put(table, 2, 4090);
      assertIds(
        table,
        [...new Set([2, ...ids, ...added, 4090])].sort((a, b) => a - b),
      );
      assertSame(snapshot.search(), before);
      assert.equal(snapshot.get(4)?.id, 4);
      snapshot.close();
    }
  });

  it('take no more memory than they need, however they came to be few', () => {
    const few = [3, 700, 4000];
    const fresh = new Table(schema);
    put(fresh, ...few);
    const ways: ((table: Table<typeof schema>) => void)[] = [
      (table) => table.remove((t) => [t.id.notIn(few)]),
      (table) => {
        for (const { id } of table.search()) if (!few.includes(id)) table.delete(id);
      },
      (table) =>
        table.transaction(() => {
          for (const { id } of table.search()) if (!few.includes(id)) table.delete(id);
        }),
    ];
    for (const way of ways) {
      const table = filled(PAGE_SLOTS);
      way(table);
      assertIds(table, few);
      // Each of the fresh ones came alone.
      assert.ok(table.bytes <= 1.1 * fresh.bytes, `${table.bytes} of ${fresh.bytes} bytes`);
    }
  });

  it('are not moved while a transaction may still be undone', () => {
    const table = filled(PAGE_SLOTS + 1);
    const { bytes, version } = table;
    const last = PAGE_SLOTS + 1;
    const fails = () =>
      table.transaction(() => {
        table.remove((t) => [t.id.gt(1)]);
        table.update(1, { rank: 5 });
        const row = table.rowOf(last, valuesOf(last));
        table.replay([{ id: last, row }], BigInt(last), version + 1);
        assertIds(table, [1, PAGE_SLOTS + 1]);
        throw new Error('undo');
      });
    assert.throws(fails, { message: 'undo' });
    assertIds(table, upTo(PAGE_SLOTS + 1));
    assert.equal(table.bytes, bytes);
    assert.equal(table.find(PAGE_SLOTS)?.revision, 1);
  });
});
