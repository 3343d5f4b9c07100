import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import type { Row, Schema } from '../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { LONG, Random, SEED } from '../support/random.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text' },
} as const satisfies Schema;

const PAGES = 12;
const ROUNDS = LONG ? 100 : 1;
const WRITES_PER_ROUND = 60;

test(`pages come and go in any order, and snapshots keep theirs (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const table = new Table(schema);
    const rows = new Map<number, Row<typeof schema>>();
    const sorted = () => [...rows.values()].sort((a, b) => a.id - b.id);
    const snapshots = [{ snapshot: table.snapshot(), expected: sorted() }];
    for (let i = 0; i < WRITES_PER_ROUND; i++) {
      const first = 1 + PAGE_SLOTS * random.below(PAGES);
      const isPut = random.chance(2);
      const ids = isPut
        ? random.list(5, () => first + random.below(PAGE_SLOTS))
        : Array.from({ length: random.pick([1, 4]) * PAGE_SLOTS }, (_, at) => first + at);
      const written = ids.map((id) => ({
        id,
        row: isPut ? table.rowOf(id, { title: `${i}` }) : undefined,
      }));
      for (const { id, row } of written) {
        if (row) rows.set(id, row);
        else rows.delete(id);
      }
      table.replay(written, BigInt(PAGES * PAGE_SLOTS), i);
      const expected = sorted();
      assert.deepEqual(table.search(), expected);
      assert.equal(table.size, expected.length);
      const id = first + random.below(PAGE_SLOTS);
      assert.deepEqual(table.get(id), rows.get(id));
      if (random.chance(4)) snapshots.push({ snapshot: table.snapshot(), expected });
    }
    while (snapshots.length > 0) {
      const [held] = snapshots.splice(random.below(snapshots.length), 1);
      assert.deepEqual(held?.snapshot.search(), held?.expected);
      held?.snapshot.close();
    }
    assert.equal(table.stats().bytes.snapshots, 0);
    table.removeAll();
    assert.deepEqual(table.stats().bytes, new Table(schema).stats().bytes);
  }
});
