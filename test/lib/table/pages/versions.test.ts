import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import { locate, PageList } from '../../../../src/lib/table/pages/page-list.ts';
import type { Snapshot } from '../../../../src/lib/table/read-view.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { resolveSchema } from '../../../../src/lib/table/schema/resolved-schema.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import { LONG, Random, SEED } from '../support/random.ts';
import { leastRetained } from '../support/retained.ts';
import { assertSame } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

function filled(rows: number) {
  const table = new Table(schema);
  for (let i = 1; i <= rows; i++) table.insert({ title: `Title ${i}` });
  const kept = () => table.stats().bytes.snapshots;
  return { table, kept };
}

/** The pages of a table with so many rows. */
function listed(rows: number) {
  const pages = new PageList(resolveSchema(schema), { maxBytes: Number.POSITIVE_INFINITY });
  const put = (id: number) => pages.put(locate(pages, id - 1), { id, title: `Title ${id}` }, 1);
  for (let id = 1; id <= rows; id++) put(id);
  return { pages, put };
}

describe('what snapshots keep', () => {
  it('is nothing until something is written, and nothing after they are closed', () => {
    const { table, kept } = filled(2 * PAGE_SLOTS);
    const snapshot = table.snapshot();
    assert.equal(kept(), 0);
    table.update(1, { title: 'changed' });
    const one = kept();
    assert.ok(one > 18 * PAGE_SLOTS && one < 30 * PAGE_SLOTS, `a page and a row: ${one}`);
    table.update(1, { title: 'changed again' });
    assert.equal(kept(), one, 'what came after the snapshot is not kept for it');
    table.update(2, { title: 'changed' });
    assert.ok(kept() > one && kept() < one + 300, 'a row of a page that is kept already');
    table.delete(2 * PAGE_SLOTS);
    assert.ok(kept() > 2 * one - 500, 'another page');
    snapshot.close();
    assert.equal(kept(), 0);
    const { rows } = table.stats().bytes;
    table.update(700, { title: 'Title 700' });
    assert.equal(table.stats().bytes.rows, rows);
    assert.equal(kept(), 0, 'no page is copied any more');
  });

  it('counts a row that goes back to what it was as shared again', () => {
    const { table, kept } = filled(10);
    const snapshot = table.snapshot();
    table.update(1, { title: 'changed' });
    const one = kept();
    const failure = new Error('roll back');
    const fails = () =>
      table.transaction(() => {
        table.update(2, { title: 'changed' });
        table.delete(3);
        assert.ok(kept() > one);
        throw failure;
      });
    assert.throws(fails, failure);
    assert.equal(kept(), one);
    snapshot.close();
  });

  it('is told apart by moments', () => {
    const { table, kept } = filled(10);
    const first = table.snapshot();
    table.update(1, { title: 'one' });
    const afterFirst = kept();
    const second = table.snapshot();
    table.update(1, { title: 'two' });
    table.update(2, { title: 'two' });
    const afterSecond = kept();
    assert.ok(afterSecond > 1.9 * afterFirst);
    first.close();
    const ofSecond = kept();
    assert.ok(ofSecond > afterFirst / 2 && ofSecond < afterSecond);
    assert.equal(second.get(1)?.title, 'one');
    second.close();
    assert.equal(kept(), 0);
  });

  it('goes to an older snapshot that sees it, when a newer one is closed', () => {
    const { table, kept } = filled(10);
    const older = table.snapshot();
    table.insert({ title: 'x' });
    const newer = table.snapshot();
    table.update(1, { title: 'one' });
    newer.close();
    // The page of the moment of the older one, and the row that only a page had which is gone.
    assert.ok(kept() > 18 * 64);
    assert.equal(older.get(1)?.title, 'Title 1');
    older.close();
    assert.equal(kept(), 0);
  });

  it('goes to an older snapshot whole, if nothing was written to it between the two', () => {
    const { table, kept } = filled(2 * PAGE_SLOTS);
    const older = table.snapshot();
    table.update(1, { title: 'one' });
    const ofOlder = kept();
    const newer = table.snapshot();
    table.update(2 * PAGE_SLOTS, { title: 'last' });
    const ofBoth = kept();
    assert.ok(ofBoth > 1.9 * ofOlder);
    newer.close();
    assert.equal(kept(), ofBoth);
    older.close();
    assert.equal(kept(), 0);
  });

  it('is counted once for snapshots of one moment, until the last is closed', () => {
    const { table, kept } = filled(10);
    const [a, b] = [table.snapshot(), table.snapshot()];
    table.update(1, { title: 'one' });
    const both = kept();
    a.close();
    a.close();
    assert.equal(kept(), both);
    b.close();
    assert.equal(kept(), 0);
  });

  it('is no version that came later, for who still refers to one', () => {
    const { pages, put } = listed(9);
    const [first] = pages.pages;
    assert(first);
    for (let i = 1; i < 4; i++) {
      const snapshot = pages.snapshot();
      put(i);
      const [before] = snapshot.read().pages;
      const [current] = pages.pages;
      assert.equal(before?.newer, current);
      snapshot.close();
      for (const page of [first, before]) {
        assert.deepEqual([page?.older, page?.newer], [undefined, undefined]);
      }
    }
  });

  it('is all rows that a replacement has replaced', () => {
    const { table, kept } = filled(1000);
    const { rows } = table.stats().bytes;
    const [cursor, snapshot] = [table.cursor(), table.snapshot()];
    table.update(1, { title: 'Title one' });
    table.replacement().commit();
    assert.ok(kept() >= 0.99 * rows);
    assert.equal([...cursor].length, 1000);
    assert.equal(snapshot.get(1)?.title, 'Title 1');
    table.insert({ title: 'new' });
    snapshot.close();
    assert.equal(kept(), 0);
    table.delete(1);
    assert.equal(table.bytes, 0);
  });

  it(`is counted for what they keep, and not for the table (seed ${SEED})`, () => {
    const columns = {
      id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
      title: { kind: 'text' },
      rank: { kind: 'integer', index: 'ordered' },
      state: { kind: 'integer', index: 'bitmap' },
    } as const satisfies Schema;
    const random = new Random(SEED);
    for (let round = 0; round < (LONG ? 100 : 1); round++) {
      // The twin has no snapshots.
      const [table, twin] = [new Table(columns), new Table(columns)];
      const values = () => {
        return { title: `${random.below(99_999)}`, rank: random.below(9), state: random.below(99) };
      };
      const rows = Array.from({ length: 900 }, values);
      for (const each of [table, twin]) {
        const replacement = each.replacement();
        for (const [i, row] of rows.entries()) replacement.put(1 + 10 * i, row);
        replacement.idsAssigned = 9_000n;
        replacement.commit();
      }
      const held: {
        snapshot: Snapshot<typeof columns>;
        expected: ReturnType<typeof table.search>;
      }[] = [];
      for (let i = 0; i < 150; i++) {
        const id = 1 + 10 * random.below(910);
        const row = values();
        const write = random.pick<(to: typeof table) => void>([
          (to) => to.update(id, row),
          (to) => to.update(id, row),
          (to) => to.delete(id),
          (to) => to.insert(row),
          (to) => to.remove((t) => [t.id.between(id, id + 500), t.rank.gt(row.rank)]),
          (to) => {
            const removal = to.removal((t) => [t.id.gt(id), t.state.eq(row.state)]);
            for (const _ of removal.find());
            to.update(id + 10, row);
            removal.commit();
          },
        ]);
        for (const each of [table, twin]) write(each);
        if (random.chance(4)) held.push({ snapshot: table.snapshot(), expected: table.search() });
        if (random.chance(5)) held.splice(random.below(held.length + 1), 1)[0]?.snapshot.close();
        const snapshots = held.map(({ snapshot }) => snapshot);
        const least = leastRetained(columns, table, snapshots);
        const most = least + snapshots.length * 4 * 50 * PAGE_SLOTS;
        const { snapshotBytes } = table;
        assert.ok(snapshotBytes >= least && snapshotBytes <= most, `${snapshotBytes}: ${least}`);
        assert.equal(table.bytes - snapshotBytes, twin.bytes);
      }
      for (const { snapshot, expected } of held) {
        assertSame(snapshot.search(), expected);
        snapshot.close();
      }
      assert.equal(table.snapshotBytes, 0);
      assert.equal(table.bytes, twin.bytes);
    }
  });
});

describe('a cursor', () => {
  it('frees what is kept for it at its end, when it is closed, and when it is refused', () => {
    const { table, kept } = filled(1000);
    const cursors = [table.cursor(), table.cursor([], { limit: 1 }), table.cursor()];
    assert.throws(() => table.cursor([{ op: 'eq', column: 'x', value: 1 }]));
    table.update(1, { title: 'one' });
    assert.ok(kept() > 0);
    const [all, first, given] = cursors;
    assert.equal([...(all ?? [])].length, 1000);
    while (first?.next().done === false);
    assert.ok(kept() > 0);
    given?.close();
    assert.equal(kept(), 0);
  });
});
