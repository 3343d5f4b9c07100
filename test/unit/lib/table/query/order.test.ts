import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';

/** A table of three pages, whose ranks ascend with the ids. */
function filled() {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 1_000_000 } },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
    state: { kind: 'integer', default: 1, index: 'bitmap' },
  });
  const replacement = table.replacement();
  for (let i = 0; i < 3 * CHUNK_SLOTS; i++) replacement.insert({ rank: i });
  replacement.commit();
  return table;
}

const BY_RANK = { orderBy: [{ column: 'rank' }], limit: 2 } as const;
const DESCENDING = { orderBy: [{ column: 'rank', direction: 'desc' }], limit: 2 } as const;
const BY_STATE = { orderBy: [{ column: 'state' }], limit: 2 } as const;

function idsOf(rows: Iterable<{ readonly id: number }>): number[] {
  return [...rows].map(({ id }) => id);
}

describe('the first rows in an order, while pages change', () => {
  const LAST = 3 * CHUNK_SLOTS;

  it('follows a write to a page that was not the first', () => {
    const table = filled();
    assert.deepEqual(idsOf(table.search([], BY_RANK)), [1, 2]);
    table.update(LAST, { rank: -1 });
    assert.deepEqual(idsOf(table.search([], BY_RANK)), [LAST, 1]);
    table.delete(LAST);
    assert.deepEqual(idsOf(table.search([], BY_RANK)), [1, 2]);
    const { id } = table.insert({ rank: -1 });
    assert.deepEqual(idsOf(table.search([], BY_RANK)), [id, 1]);
  });

  it('follows the writes of a transaction, and its rollback', () => {
    const table = filled();
    const error = new Error('no');
    assert.throws(
      () =>
        table.transaction(() => {
          table.update(LAST, { rank: -1, state: 0 });
          assert.deepEqual(idsOf(table.search([], BY_RANK)), [LAST, 1]);
          assert.deepEqual(idsOf(table.search([], BY_STATE)), [LAST, 1]);
          throw error;
        }),
      error,
    );
    assert.deepEqual(idsOf(table.search([], BY_RANK)), [1, 2]);
    assert.deepEqual(idsOf(table.search([], BY_STATE)), [1, 2]);
  });

  it('is that of the moment in a cursor, whoever asks first', () => {
    for (const isFirst of [true, false]) {
      const table = filled();
      const [cursor, other] = [table.cursor([], BY_RANK), table.cursor([], BY_RANK)];
      if (isFirst) assert.deepEqual(idsOf(cursor), [1, 2]);
      table.update(LAST, { rank: -1 });
      assert.deepEqual(idsOf(other), [1, 2]);
      assert.deepEqual(idsOf(table.search([], BY_RANK)), [LAST, 1]);
      assert.deepEqual(idsOf(table.search([], DESCENDING)), [LAST - 1, LAST - 2]);
    }
  });

  it('is sorted where a page has too many values for bitmaps', () => {
    const table = filled();
    assert.deepEqual(idsOf(table.search([], BY_STATE)), [1, 2]);
    for (let i = 0; i < 100; i++) table.update(LAST - i, { state: -i });
    assert.deepEqual(idsOf(table.search([], BY_STATE)), [LAST - 99, LAST - 98]);
  });
});
