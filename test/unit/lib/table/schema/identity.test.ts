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

/** A table whose rows have these ids, and are named by them. */
function tableOf(ids: readonly bigint[]) {
  const table = new Table(schema);
  const replacement = table.replacement();
  for (const id of ids) replacement.insert({ title: String(id) }, id);
  replacement.commit();
  return table;
}

describe('ids that are given', () => {
  const far = [1n, 5n, 2n ** 52n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 62n, 2n ** 62n + 10n ** 6n];

  it('are kept exactly, however far apart', () => {
    const table = tableOf(far);
    assert.deepEqual(
      table.search().map(({ id }) => id),
      far,
    );
    for (const id of far) {
      assert.equal(table.get(id)?.title, String(id));
      if (!far.includes(id + 1n)) assert.equal(table.get(id + 1n), undefined);
      if (!far.includes(id - 1n)) assert.equal(table.get(id - 1n), undefined);
    }
  });

  it('are found by their order, by ids between them, too', () => {
    const table = tableOf(far);
    for (const bound of far.flatMap((id) => [id - 1n, id, id + 1n, id + 2n ** 40n])) {
      const found = (rows: readonly { readonly id: bigint }[]) => rows.map(({ id }) => id);
      assert.deepEqual(
        found(table.search((t) => [t.id.gt(bound)])),
        far.filter((id) => id > bound),
        `> ${bound}`,
      );
      assert.deepEqual(
        found(table.search((t) => [t.id.lte(bound)])),
        far.filter((id) => id <= bound),
        `<= ${bound}`,
      );
    }
  });

  it('are followed by the next ones, up to the last', () => {
    const table = tableOf([7n, LAST - 1n]);
    assert.equal(table.insert({ title: 'x' }).id, LAST);
    assert.throws(() => table.insert({ title: 'y' }), { name: 'IdsExhaustedError' });
    const replacement = table.replacement();
    assert.equal(replacement.insert({ title: 'z' }).id, 1n, 'another replacement begins anew');
    replacement.commit();
    assert.equal(table.insert({ title: 'x' }).id, 2n);
  });

  it('must come in order, and be in the range', () => {
    const replacement = new Table(schema).replacement();
    replacement.insert({ title: 'x' }, 2n ** 60n);
    for (const id of [1n, 2n ** 60n, LAST + 1n]) {
      assert.throws(() => replacement.insert({ title: 'x' }, id), { name: 'ColumnError' });
    }
    // @ts-expect-error of another type, as a caller without types may give
    assert.throws(() => replacement.insert({ title: 'x' }, 2 ** 61), { name: 'ColumnError' });
    for (const id of [undefined, 2n ** 62n]) {
      assert.throws(() => replacement.insert({ title: '\ud800' }, id), { name: 'ColumnError' });
    }
    assert.equal(replacement.insert({ title: 'x' }).id, 2n ** 60n + 1n);
  });

  it('are kept by a replacement, and go on from the number of ids assigned', () => {
    const [from, to] = [tableOf(far), tableOf([])];
    const replacement = to.replacement();
    for (const { id, ...values } of from.search()) replacement.put(id, values, 7);
    assert.equal(replacement.idsAssigned, from.idsAssigned);
    replacement.idsAssigned = 2n ** 62n + 2n ** 61n;
    replacement.commit(9);
    assert.deepEqual(to.search(), from.search());
    assert.equal(to.idsAssigned, 2n ** 62n + 2n ** 61n);
    const next = to.idsAssigned + 1n;
    to.replay([{ id: next, row: to.rowOf(next, { title: 'x' }) }], next, 10);
    assert.equal(to.insert({ title: 'y' }).id, next + 1n);
    assert.deepEqual([to.get(next)?.title, to.idsAssigned], ['x', next + 1n]);
  });

  it('leave nothing behind if their rows are refused', () => {
    const table = new Table(schema);
    const replacement = table.replacement();
    for (const id of [2n ** 62n, 2n ** 61n]) {
      assert.throws(() => replacement.insert({ title: '\ud800' }, id), { name: 'ColumnError' });
    }
    const rows = [
      replacement.insert({ title: 'x' }, 2n ** 59n),
      ...Array.from({ length: 3 * CHUNK_SLOTS }, () => replacement.insert({ title: 'y' })),
    ];
    replacement.commit();
    assert.equal(rows.at(-1)?.id, 2n ** 59n + BigInt(3 * CHUNK_SLOTS));
    for (const row of rows) assert.equal(table.get(row.id), row);
  });

  it('are found in what was opened before a replacement, and not among its ids', () => {
    const table = tableOf(far);
    const [all, cursor] = [table.cursor(), table.cursor((t) => [t.id.gt(2n ** 53n)])];
    const found = table.find(2n ** 53n + 1n);
    assert(found);
    const removal = table.removal((t) => [t.id.lte(2n ** 61n)]);
    for (const _ of removal.find());
    const replacement = table.replacement();
    const other = replacement.insert({ title: 'other' }, 2n ** 61n);
    replacement.insert({ title: 'last' }, LAST);
    replacement.commit();
    assert.deepEqual(idsOf(all), far);
    assert.deepEqual(
      idsOf(cursor),
      far.filter((id) => id > 2n ** 53n),
    );
    assert.equal(table.update(found.row.id, { title: 'changed' }), undefined);
    assert.equal(table.get(other.id), other);
    assert.equal(removal.commit(), 1);
    assert.deepEqual(
      table.search((t) => [t.id.gt(2n ** 62n)]).map(({ id }) => id),
      [LAST],
    );
  });

  it('may be many that are far apart', () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => 2n ** 60n + BigInt(i) * 2n ** 44n);
    const table = tableOf(ids);
    assert.deepEqual(
      ids.filter((id) => table.get(id)?.id !== id),
      [],
    );
  });
});
