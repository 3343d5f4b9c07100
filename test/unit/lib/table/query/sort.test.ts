import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../../../../support/random.ts';
import { workOf } from '../support/costs.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { impatient } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  /** Ascends with the ids. Many rows have the same value, also across chunks. */
  at: { kind: 'integer' },
  rank: { kind: 'integer', nullable: true },
  state: { kind: 'integer', nullable: true },
  name: { kind: 'text' },
} as const satisfies Schema;

type Options = SearchOptions<keyof typeof schema>;

const ROWS = 2_348;

function filled() {
  const random = new Random(SEED);
  const table = new Table(schema, { clock: impatient() });
  for (let i = 0; i < ROWS; i++) {
    table.insert({
      at: Math.floor(i / 150),
      rank: random.chance(9) ? null : random.below(500),
      state: random.chance(9) ? null : random.below(4),
      name: `${random.below(2) ? 'a' : 'A'}${random.below(900)}`,
    });
  }
  return table;
}

// `oracle.test.ts` compares pages in any order with those of SQLite.

it('a page has the ties of its last row, wherever they are', () => {
  const table = new Table(schema);
  const insert = (rank: number) => table.insert({ at: 0, rank, state: null, name: '' });
  for (let i = 0; i < 512; i++) insert(990 - i);
  for (let i = 0; i < 512; i++) insert(i === 0 ? 991 : Math.min(990, 1090 - i));
  const page = { orderBy: [{ column: 'rank', direction: 'desc' }], limit: 3 } as const;
  assertSame(table.search([], page), found(table.search(), [], page));
});

describe('the work of an order', () => {
  const table = filled();
  const rowBytes = table.bytes;

  function work(options: Options): number {
    const cursor = table.cursor([], options);
    return workOf(() => cursor.next()).total;
  }

  it('leaves out the rows far from a page', () => {
    for (const column of ['at', 'state'] as const) {
      for (const offset of [0, 1500, ROWS - 20]) {
        for (const direction of ['asc', 'desc'] as const) {
          const bytes = work({ orderBy: [{ column, direction }], limit: 20, offset });
          assert.ok(bytes < rowBytes / 4, `${column}, ${offset}: ${bytes} of ${rowBytes} bytes`);
        }
      }
    }
  });

  it('is little more than a look at each row for a first page, and many for all rows', () => {
    for (const column of ['rank', 'name'] as const) {
      const [page, all] = [
        work({ orderBy: [{ column }], limit: 20 }),
        work({ orderBy: [{ column }] }),
      ];
      assert.ok(page < 2 * rowBytes, `${column}: ${page} of ${rowBytes} bytes`);
      assert.ok(all > 3 * rowBytes, `${column}: ${all} of ${rowBytes} bytes`);
    }
  });
});
