import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/state/mask.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../../../../support/random.ts';
import { found } from '../support/reference.ts';
import { assertSame } from '../support/rows.ts';
import { impatient } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  /** Ascends with the ids. Many rows have the same value, also across chunks. */
  at: { kind: 'integer' },
  rank: { kind: 'integer', nullable: true },
  state: { kind: 'integer', nullable: true },
  name: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

type Options = SearchOptions<keyof typeof schema>;

const ROWS = 4 * CHUNK_SLOTS + 300;

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

it('a page has the ties of a chunk whose greatest value they are, and of one with a greater value', () => {
  const table = new Table(schema);
  const insert = (rank: number) => table.insert({ at: 0, rank, state: null, name: '' });
  for (let i = 0; i < CHUNK_SLOTS; i++) insert(990 - i);
  for (let i = 0; i < CHUNK_SLOTS; i++) insert(i === 0 ? 991 : Math.min(990, 1090 - i));
  const page = { orderBy: [{ column: 'rank', direction: 'desc' }], limit: 3 } as const;
  assertSame(table.search([], page), found(table.search(), [], page));
});

describe('the steps of an order', () => {
  const table = filled();

  function stepsOf(options: Options): number {
    const cursor = table.cursor([], options);
    let steps = 0;
    while (!cursor.next().done) steps++;
    return steps;
  }

  it('derive the values of a chunk at a time', () => {
    for (const column of ['at', 'rank', 'state'] as const) {
      const steps = stepsOf({ orderBy: [{ column }], limit: 1 });
      assert.ok(steps >= ROWS / CHUNK_SLOTS, `${steps} steps`);
    }
  });

  it('sort and merge a part at a time', () => {
    for (const limit of [1, 600, ROWS]) {
      const steps = stepsOf({ orderBy: [{ column: 'name' }], limit });
      const merged = limit > 512 ? (2 * limit) / 128 : 0;
      assert.ok(steps >= ROWS / CHUNK_SLOTS + merged, `${limit}: ${steps} steps`);
    }
  });

  it('leave out the rows far from a page', () => {
    for (const column of ['at', 'state'] as const) {
      for (const offset of [0, 1500, ROWS - 20]) {
        for (const direction of ['asc', 'desc'] as const) {
          const steps = stepsOf({ orderBy: [{ column, direction }], limit: 20, offset });
          assert.ok(steps < 4 * (ROWS / CHUNK_SLOTS), `${column}, ${offset}: ${steps} steps`);
        }
      }
    }
  });
});
