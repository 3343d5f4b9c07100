import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAGE_SIZE } from '../../../src/table/storage/page.ts';
import { Table } from '../../../src/table/table.ts';

describe('a part of all rows', () => {
  const table = new Table({ id: { kind: 'integer', identity: { from: 1, to: 1_000_000 } } });
  for (let i = 0; i < 5 * PAGE_SIZE; i++) table.insert({});
  // Empties the second page; the others have holes.
  table.remove((t) => [t.id.between(PAGE_SIZE + 1, 2 * PAGE_SIZE)]);
  for (let id = 1; id <= 5 * PAGE_SIZE; id += 3) table.delete(id);
  const ids = table.search().map(({ id }) => id);

  for (const direction of ['asc', 'desc'] as const) {
    const all = direction === 'asc' ? ids : ids.toReversed();
    test(`is found by id, ${direction}, wherever it starts and ends`, () => {
      const offsets = [0, 1, PAGE_SIZE / 2, 1000, all.length - 1, all.length, all.length + 1];
      for (const offset of offsets) {
        for (const limit of [0, 1, 20, PAGE_SIZE, Number.POSITIVE_INFINITY]) {
          const found = table.search([], { orderBy: [{ column: 'id', direction }], offset, limit });
          assert.deepEqual(
            found.map(({ id }) => id),
            all.slice(offset, offset + limit),
            `${offset} ${limit}`,
          );
        }
      }
    });
  }
});
