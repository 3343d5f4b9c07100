import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { found } from '../support/reference.ts';

const PAGES = 3;

/** A table whose second page is empty; the third is packed, and the others have holes. */
function filled() {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 1_000_000 } },
    serial: { kind: 'integer', index: 'ordered' },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
    state: { kind: 'integer', index: 'bitmap' },
    plain: { kind: 'integer' },
  });
  const replacement = table.replacement();
  for (let i = 0; i < PAGES * CHUNK_SLOTS; i++) {
    const rank = i % 11 === 0 ? null : (i * 7919) % 1000;
    replacement.insert({ serial: i, rank, state: i % 4, plain: i % 2 });
  }
  replacement.commit();
  const inPage = (page: number) => [page * CHUNK_SLOTS + 1, (page + 1) * CHUNK_SLOTS] as const;
  table.remove((t) => [t.id.between(...inPage(1))]);
  table.remove((t) => [t.id.between(...inPage(2)), t.rank.gte(200)]);
  for (let id = 1; id <= PAGES * CHUNK_SLOTS; id += 3) table.delete(id);
  return table;
}

/** Pairs of offset and limit for so many rows. */
function partsOf(rows: number) {
  const whole = Number.POSITIVE_INFINITY;
  return [
    ...[
      [0, 0],
      [0, 20],
      [0, whole],
      [1, 1],
      [700, 20],
      [Math.floor(rows / 2), 30],
    ],
    ...[
      [rows - 1, 5],
      [rows, 5],
      [rows + 1, 1],
      [2 ** 53 - 1, whole],
    ],
  ] as [number, number][];
}

describe('a part of the rows in an order', () => {
  const table = filled();
  const rows = table.search();

  for (const column of ['id', 'serial', 'rank', 'state', 'plain'] as const) {
    for (const direction of ['asc', 'desc'] as const) {
      for (const [what, where] of [
        ['all rows', []],
        ['rows of a bitmap', [{ op: 'eq', column: 'state', value: 2 }]],
        ['rows that are tested', [{ op: 'eq', column: 'plain', value: 1 }]],
      ] as const) {
        it(`is found wherever it starts and ends: ${what} by ${column}, ${direction}`, () => {
          const orderBy = [{ column, direction }];
          const all = found(rows, where, { orderBy }).map(({ id }) => id);
          for (const [offset, limit] of partsOf(all.length)) {
            const cursor = table.cursor(where, { orderBy, offset, limit, total: true });
            assert.deepEqual(
              Array.from(cursor, ({ id }) => id),
              all.slice(offset, offset + limit),
              `${offset} ${limit}`,
            );
            assert.equal(cursor.total, all.length);
          }
        });
      }
    }
  }

  it('is empty after all rows', () => {
    const orderBy = [{ column: 'serial' }] as const;
    const offset = Number.POSITIVE_INFINITY;
    for (const where of [[], [{ op: 'eq', column: 'plain', value: 1 }]] as const) {
      assert.deepEqual(table.search(where, { offset }), []);
      assert.deepEqual(table.search(where, { orderBy, offset }), []);
    }
  });
});
