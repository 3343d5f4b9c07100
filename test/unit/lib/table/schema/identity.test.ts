import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { idsOf } from '../support/rows.ts';

const LAST = 2n ** 63n - 1n;
const schema = {
  id: { kind: 'bigint', identity: { from: 1n, to: LAST } },
  title: { kind: 'text' },
} as const satisfies Schema;

const FAR = [1n, 5n, 2n ** 52n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 62n, 2n ** 62n + 9n];

/** A table whose rows have these ids, and are named by them. */
function tableOf(ids: readonly bigint[]) {
  const table = new Table(schema);
  const replacement = table.replacement();
  for (const id of ids) replacement.insert({ title: String(id) }, id);
  replacement.commit();
  return table;
}

describe('ids of 64 bits', () => {
  it('are kept exactly, however far apart, and found by their order', () => {
    const table = tableOf(FAR);
    assert.deepEqual(idsOf(table.search()), FAR);
    for (const bound of FAR.flatMap((id) => [id - 1n, id, id + 1n, id + 2n ** 40n])) {
      const title = FAR.includes(bound) ? String(bound) : undefined;
      assert.equal(table.find(bound)?.row.title, title);
      assert.deepEqual(
        idsOf(table.search((t) => [t.id.gt(bound)])),
        FAR.filter((id) => id > bound),
      );
      assert.deepEqual(
        idsOf(table.search((t) => [t.id.lte(bound)])),
        FAR.filter((id) => id <= bound),
      );
    }
  });

  it('may be many, in as many chunks', () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => 2n ** 60n + BigInt(i) * 2n ** 44n);
    const table = tableOf(ids);
    assert.deepEqual(
      ids.filter((id) => table.find(id)?.row.id !== id),
      [],
    );
  });

  it('are assigned one after the other, up to the last', () => {
    for (const firstId of [1n, 2n ** 53n - 1n, LAST - 3n]) {
      const identity = { from: firstId, to: LAST };
      const table = new Table({ ...schema, id: { kind: 'bigint', identity } });
      const ids = [0n, 1n, 2n].map((n) => firstId + n);
      assert.deepEqual(
        ids.map(() => table.insert({ title: 'x' }).id),
        ids,
      );
      table.delete(firstId + 1n);
      assert.deepEqual(
        [-1n, 0n, 1n, 2n].map((n) => table.find(firstId + n)?.row.id),
        [undefined, firstId, undefined, firstId + 2n],
      );
    }
    const table = tableOf([7n, LAST - 1n]);
    assert.equal(table.insert({ title: 'x' }).id, LAST);
    assert.throws(() => table.insert({ title: 'y' }), { name: 'IdsExhaustedError' });
    const replacement = table.replacement();
    assert.equal(replacement.insert({ title: 'z' }).id, 1n, 'another replacement starts again');
    replacement.commit();
    assert.equal(table.insert({ title: 'x' }).id, 2n);
  });
});

describe('the ids of a replacement', () => {
  it('must ascend, and be in the range; a refused row takes none', () => {
    const table = new Table(schema);
    const replacement = table.replacement();
    for (const id of [undefined, 2n ** 62n, 2n ** 61n]) {
      assert.throws(() => replacement.insert({ title: '\ud800' }, id), { name: 'ColumnError' });
    }
    replacement.insert({ title: 'x' }, 2n ** 60n);
    for (const id of [1n, 2n ** 60n, LAST + 1n]) {
      assert.throws(() => replacement.insert({ title: 'x' }, id), { name: 'ColumnError' });
    }
    // @ts-expect-error of another type, as a caller without types may give
    assert.throws(() => replacement.insert({ title: 'x' }, 2 ** 61), { name: 'ColumnError' });
    const rows = Array.from({ length: CHUNK_SLOTS }, () => replacement.insert({ title: 'y' }));
    replacement.commit();
    assert.equal(rows.at(-1)?.id, 2n ** 60n + BigInt(CHUNK_SLOTS));
    for (const row of rows) assert.equal(table.find(row.id)?.row, row);
  });

  it('continue after the number of ids assigned', () => {
    const to = tableOf([]);
    const replacement = to.replacement();
    for (const id of FAR) replacement.put(id, { title: String(id) }, 7);
    assert.equal(replacement.idsAssigned, 2n ** 62n + 9n);
    replacement.idsAssigned = 2n ** 62n + 2n ** 61n;
    replacement.commit(9);
    assert.deepEqual(idsOf(to.search()), FAR);
    const next = to.idsAssigned + 1n;
    assert.equal(next, 2n ** 62n + 2n ** 61n + 1n);
    to.replay([{ id: next, row: to.rowOf(next, { title: 'x' }) }], next, 10);
    assert.equal(to.insert({ title: 'y' }).id, next + 1n);
    assert.deepEqual([to.find(next)?.row.title, to.idsAssigned], ['x', next + 1n]);
  });

  it('are not those of cursors and bulk writes that were opened before', () => {
    const table = tableOf(FAR);
    const [all, cursor] = [table.cursor(), table.cursor((t) => [t.id.gt(2n ** 53n)])];
    const removal = table.removal((t) => [t.id.lte(2n ** 61n)]);
    for (const _ of removal.find());
    const replacement = table.replacement();
    const other = replacement.insert({ title: 'other' }, 2n ** 61n);
    replacement.insert({ title: 'last' }, LAST);
    replacement.commit();
    assert.deepEqual(idsOf(all), FAR);
    assert.deepEqual(
      idsOf(cursor),
      FAR.filter((id) => id > 2n ** 53n),
    );
    assert.equal(table.update(2n ** 53n + 1n, { title: 'changed' }), undefined);
    assert.equal(table.find(other.id)?.row, other);
    assert.equal(removal.commit(), 1);
    assert.deepEqual(idsOf(table.search()), [LAST]);
  });
});
