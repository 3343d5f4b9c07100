import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/state/mask.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { impatient, rollBack } from '../support/tables.ts';

const LAST = 9 * CHUNK_SLOTS;
const COLUMNS = ['id', 'serial', 'rank', 'state', 'plain'] as const;
const ORDERS = COLUMNS.flatMap((column) =>
  (['asc', 'desc'] as const).map((direction) => ({ column, direction })),
);

/** A table of nine chunks, in which `serial` ascends with the ids. */
function filled() {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 1_000_000 } },
    serial: { kind: 'integer', nullable: true, index: 'ordered' },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
    state: { kind: 'integer', index: 'bitmap' },
    plain: { kind: 'integer' },
  });
  for (let i = 0; i < LAST; i++) {
    const rank = i % 11 === 0 ? null : (i * 7919) % 1000;
    table.insert({ serial: i, rank, state: i % 4, plain: i % 2 });
  }
  return table;
}

describe('the first rows in an order', () => {
  /** At the beginning, and after a chunk with every value of a bitmap. */
  const options = ORDERS.flatMap((order) =>
    [0, 3 * CHUNK_SLOTS].map((offset) => ({ orderBy: [order], offset, limit: 3 })),
  );

  it('follow every write, and its rollback', () => {
    const table = filled();
    const check = () => {
      const rows = table.search();
      for (const each of options) {
        assertSame(table.search([], each), found(rows, [], each), JSON.stringify(each));
      }
    };
    check();
    const writes = [
      () => table.update(LAST, { serial: -1, state: -1 }),
      () => table.delete(LAST),
      () => table.insert({ serial: LAST, rank: 1, state: 0, plain: 0 }),
      () => table.insert({ serial: LAST, rank: 1, state: 0, plain: 0 }),
      () => table.update(9, { serial: 7 }),
      () => table.update(9, { serial: 8 }),
      () => table.update(2, { serial: 50 }),
      () => table.update(2, { serial: 1 }),
      () => table.update(5, { serial: null }),
      () => table.delete(5),
      () => {
        // Too many values for bitmaps.
        for (let i = 0; i < 100; i++) table.update(LAST - 1 - i, { state: -i });
      },
    ];
    for (const write of writes) {
      rollBack(table, () => {
        write();
        check();
      });
      check();
      write();
      check();
    }
  });

  it('follow values across chunks, and in gaps of a chunk', () => {
    const table = filled();
    table.remove((t) => [t.id.gt(CHUNK_SLOTS + 1)]);
    const put = (id: number, serial: number) => {
      const row = table.rowOf(id, { serial, rank: 1, state: 0, plain: 0 });
      table.apply([{ id, row }], table.idsAssigned, table.version + 1);
    };
    for (const write of [
      () => put(CHUNK_SLOTS + 9, 100_000),
      () => put(CHUNK_SLOTS + 5, 100_001),
      () => table.remove((t) => [t.id.gt(CHUNK_SLOTS + 1)]),
      () => table.update(CHUNK_SLOTS + 1, { serial: CHUNK_SLOTS - 1 }),
    ]) {
      write();
      const rows = table.search();
      for (const each of options) {
        assertSame(table.search([], each), found(rows, [], each), JSON.stringify(each));
      }
    }
  });

  it('are found without sorting where values ascend with the ids or have bitmaps, in either direction', () => {
    const table = new Table(
      {
        id: { kind: 'integer', identity: { from: 1, to: 1_000_000 } },
        at: { kind: 'integer', nullable: true, index: 'ordered' },
        state: { kind: 'integer', index: 'bitmap' },
      },
      { clock: impatient() },
    );
    for (let i = 0; i < 5000; i++) {
      table.insert({ at: i < 1000 ? null : Math.floor(i / 3), state: i % 3 });
    }
    const rows = table.search();
    const orders = (['at', 'state'] as const).flatMap((column) =>
      (['asc', 'desc'] as const).map((direction) => ({ column, direction })),
    );
    for (const order of orders) {
      const part = { orderBy: [order], offset: 1, limit: 20 };
      const cursor = table.cursor([], part);
      const first: { readonly id: number }[] = [];
      let steps = 0;
      for (; first.length < 20; steps++) first.push(...(cursor.next().value ?? []));
      assertSame(first, found(rows, [], part));
      // The clock is read after each chunk, and after each of the groups in a page.
      assert.ok(steps <= 20 + 5000 / CHUNK_SLOTS, `${steps} steps`);
      cursor.close();
    }
  });
});
