import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { canonicalInteger, type Integer } from '../../../../../src/lib/table/schema/integer.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { idsOf } from '../support/rows.ts';

const LAST = 2n ** 63n - 1n;
const schema = {
  id: { kind: 'bigint', identity: { from: 1, to: LAST } },
  title: { kind: 'text' },
} as const satisfies Schema;

/** Far apart, and around the largest safe number, which is the last id that is a number. */
const FAR = [
  ...[1, 5, 2 ** 52, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n],
  ...[2n ** 62n, 2n ** 62n + 9n],
] as const;

/** A table whose rows have these ids, and are named by them. */
function tableOf(ids: readonly Integer[]) {
  const table = new Table(schema);
  for (const id of ids) table.insert({ title: String(id) }, id);
  return table;
}

/** Returns the id at a distance from another one. */
const idAt = (id: Integer, distance: bigint) => canonicalInteger(BigInt(id) + distance);

describe('ids of 64 bits', () => {
  it('are assigned one after the other from any first to the last', () => {
    for (const from of [
      1,
      -3,
      -(2n ** 63n),
      -(2n ** 53n) - 1n,
      2 ** 53 - 2,
      2n ** 60n,
      LAST - 3n,
    ]) {
      const table = new Table({ ...schema, id: { kind: 'bigint', identity: { from, to: LAST } } });
      const ids = [0n, 1n, 2n].map((n) => idAt(from, n));
      assert.deepEqual(
        ids.map(() => table.insert({ title: 'x' }).id),
        ids,
      );
      table.delete(idAt(from, 1n));
      assert.deepEqual(
        [-1n, 0n, 1n, 2n].map((n) => table.find(idAt(from, n))?.row.id),
        [undefined, ids[0], undefined, ids[2]],
      );
      assert.equal(table.idsAssigned, 3n);
      table.insert({ title: 'last' }, LAST);
      assert.deepEqual(idsOf(table.search((t) => [t.title.eq('last')])), [LAST]);
      assert.equal(table.idsAssigned, LAST - BigInt(from) + 1n);
    }
    const table = tableOf([7, LAST - 1n]);
    assert.equal(table.insert({ title: 'x' }).id, LAST);
    assert.throws(() => table.insert({ title: 'y' }), { name: 'IdsExhaustedError' });
    assert.equal(new Table(schema).insert({ title: 'z' }).id, 1, 'another table starts again');
  });
});

describe('the ids of inserts and of repeated commits', () => {
  it('must ascend if they are given, and be in the range; a refused row takes none', () => {
    const table = new Table(schema);
    for (const id of [undefined, 2n ** 62n, 2n ** 61n]) {
      assert.throws(() => table.insert({ title: '\ud800' }, id), { name: 'ColumnError' });
    }
    table.insert({ title: 'x' }, 2n ** 60n);
    for (const id of [1, 2n ** 60n, LAST + 1n]) {
      assert.throws(() => table.insert({ title: 'x' }, id), { name: 'ColumnError' });
    }
    const rows = Array.from({ length: 1_000 }, () => table.insert({ title: 'y' }));
    assert.equal(rows.at(-1)?.id, 2n ** 60n + 1_000n);
    for (const row of rows) assert.equal(table.find(row.id)?.row, row);
  });

  it('continue after the number of ids assigned', () => {
    const to = tableOf([]);
    const rows = FAR.map((id) => ({ id, values: { title: String(id) } }));
    const last = 2n ** 62n + 9n;
    assert.throws(() => to.replay(rows, last - 1n, 8), { name: 'ColumnError' });
    assert.deepEqual([to.size, to.lastCommit, to.idsAssigned], [0, 0, 0n]);
    to.replay(rows, last + 2n ** 61n - 9n, 9);
    assert.deepEqual(idsOf(to.search()), FAR);
    const next = to.idsAssigned + 1n;
    assert.equal(next, 2n ** 62n + 2n ** 61n + 1n);
    to.replay([{ id: next, values: { title: 'x' } }], next, 10);
    assert.equal(to.insert({ title: 'y' }).id, next + 1n);
    assert.deepEqual([to.find(next)?.row.title, to.idsAssigned], ['x', next + 1n]);
  });
});
