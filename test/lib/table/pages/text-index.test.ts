import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PAGE_SLOTS } from '../../../../src/lib/table/pages/capacity.ts';
import { locate, PageList } from '../../../../src/lib/table/pages/page-list.ts';
import type { Schema } from '../../../../src/lib/table/schema/column.ts';
import { resolveSchema } from '../../../../src/lib/table/schema/resolved-schema.ts';
import { Table } from '../../../../src/lib/table/table.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'substring' },
} as const satisfies Schema;

type Texts = Table<typeof schema>;

/** A needle that was in the texts once, and one that is in all now. */
const [OLD, NEW] = ['quick brown', 'lazy dog'] as const;

function filled(rows: number, title: (i: number) => string = (i) => `a ${OLD} fox ${i}`): Texts {
  const table = new Table(schema);
  for (let i = 0; i < rows; i++) table.insert({ title: title(i), note: `note ${i}` });
  return table;
}

const candidates = (table: Pick<Texts, 'countTests'>, needle: string) =>
  table.countTests((t) => [t.title.containsIgnoreCase(needle)]);
const found = (table: Pick<Texts, 'search'>, needle: string) =>
  Array.from(
    table.search((t) => [t.title.containsIgnoreCase(needle)]),
    ({ id }) => id,
  );

/** A text in which no gram occurs twice. */
const long = (i: number, length: number) =>
  Array.from({ length }, (_, j) => String.fromCharCode(0x4e00 + ((i * 31 + j) % 5000))).join('');

describe('the signatures of a table', () => {
  it('are there from 64 rows on', () => {
    assert.equal(candidates(filled(63), 'absent'), 63);
    assert.equal(candidates(filled(64), 'absent'), 0);
  });

  it('are given up when half of 64 rows are gone', () => {
    const table = filled(64);
    for (let id = 1; id <= 32; id++) table.delete(id);
    assert.equal(candidates(table, 'absent'), 0);
    table.delete(33);
    assert.equal(candidates(table, 'absent'), 31);
  });

  it('stay when a row is deleted, however few positions of a page have one yet', () => {
    for (const rows of [70, 600]) {
      const table = filled(rows);
      for (let i = 0; i < 40; i++) candidates(table, 'absent');
      for (let id = 1; id <= 5; id++) {
        table.delete(id);
        assert.equal(candidates(table, 'absent'), 0, `${rows} rows`);
      }
    }
  });

  it('are shared by pages with texts of similar lengths', () => {
    for (const [first, second, count] of [
      [30, 30, 1],
      [30, 40, 1],
      [40, 30, 1],
      [30, 60, 2],
      [60, 30, 2],
    ] as const) {
      const pages = new PageList(resolveSchema(schema), { maxBytes: Number.POSITIVE_INFINITY });
      for (let slot = 0; slot < 2 * PAGE_SLOTS; slot++) {
        const length = slot < PAGE_SLOTS ? first : second;
        pages.put(locate(pages, slot), { id: slot + 1, title: 'x'.repeat(length), note: null }, 1);
      }
      const signatures = new Set(pages.pages.map(({ region }) => region?.signature));
      assert.equal(signatures.size, count, `${first} and ${second}`);
      assert(!signatures.has(undefined));
    }
  });

  it('know each row as soon as it is written', () => {
    const table = filled(100);
    for (let i = 0; i < 10; i++) {
      const { id } = table.insert({ title: `unheard-of ${i}` });
      assert.deepEqual(found(table, `unheard-of ${i}`), [id]);
      assert.ok(candidates(table, `unheard-of ${i}`) < 5);
    }
  });

  it('span pages', () => {
    const rows = 3 * PAGE_SLOTS + 100;
    const table = filled(rows);
    const { indexes } = table.stats().bytes;
    assert.equal(candidates(table, 'absent'), 0);
    assert.deepEqual(found(table, `fox ${rows - 1}`), [rows]);
    table.remove((t) => [t.id.between(PAGE_SLOTS, 2 * PAGE_SLOTS)]);
    assert.deepEqual(found(table, `fox ${rows - 1}`), [rows]);
    assert.equal(candidates(table, 'absent'), 0);
    assert.ok(table.stats().bytes.indexes <= indexes);
  });

  it('suit the length of texts, and are made anew when texts have become longer', () => {
    const table = filled(1000, (i) => long(i, 10));
    const short = table.stats().bytes.indexes;
    for (let id = 1; id <= 1000; id++) table.update(id, { title: long(id, 200) });
    for (let i = 0; i < 40; i++) candidates(table, 'absent');
    assert.ok(table.stats().bytes.indexes > 4 * short);
    const needle = long(500, 200).slice(50, 60);
    assert.ok(candidates(table, needle) <= 2 * found(table, needle).length);
  });

  it('forget texts that are gone', () => {
    const table = filled(200);
    assert.equal(candidates(table, OLD), 200);
    for (let round = 0; round < 5; round++) {
      for (let id = 1; id <= 200; id++) table.update(id, { title: `${round} ${NEW}` });
    }
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, NEW).length, 200);
  });

  it('keep what a text that stays has in common with one that is gone', () => {
    const table = filled(100);
    table.update(1, { title: OLD, note: OLD });
    table.update(1, { title: NEW });
    const rows = table.search((t) => [t.note.containsIgnoreCase(OLD)]);
    assert.deepEqual(
      Array.from(rows, ({ id }) => id),
      [1],
    );
  });

  it('keep texts that are gone for snapshots, and are made anew when half is of such', () => {
    const table = filled(200);
    for (let round = 0; round < 3; round++) {
      const snapshot = table.snapshot();
      const titles = snapshot.search();
      for (let id = 1; id <= 200; id++) table.update(id, { title: `${round} ${NEW}` });
      assert.equal(found(snapshot, round === 0 ? OLD : `${round - 1} ${NEW}`).length, 200);
      assert.deepEqual(snapshot.search(), titles);
      snapshot.close();
    }
    for (let i = 0; i < 20; i++) table.insert({ title: 'another' });
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, `2 ${NEW}`).length, 200);
  });

  it('take no more memory however many snapshots have the same rows', () => {
    const [plain, held] = [0, 20].map((count) => {
      const table = filled(1000);
      const snapshots = Array.from({ length: count }, (_, i) => {
        table.update(1, { note: `note ${i}` });
        return table.snapshot();
      });
      for (let id = 1; id <= 1000; id++) table.update(id, { title: `the ${NEW} and row ${id}` });
      for (let i = 0; i < 100; i++) assert.equal(found(table, 'and row 777').length, 1);
      for (const snapshot of snapshots) assert.equal(found(snapshot, 'fox 777').length, 1);
      return table.stats().bytes.indexes;
    });
    assert(plain && held);
    assert.ok(held <= 1.5 * plain, `${held} bytes instead of ${plain}`);
  });

  it('name rows whose texts were not signed before a snapshot, in either version', () => {
    // A page of long texts takes many writes and searches to sign.
    const table = new Table(schema);
    table.transaction(() => {
      for (let i = 0; i < 300; i++) table.insert({ title: `${i} ${OLD} ${'x'.repeat(900)}` });
    });
    const snapshot = table.snapshot();
    table.update(300, { title: `changed to ${NEW}` });
    table.delete(299);
    for (let i = 0; i < 50; i++) {
      assert.equal(found(snapshot, OLD).length, 300);
      assert.equal(found(table, OLD).length, 298);
      assert.deepEqual(found(table, NEW), [300]);
      assert.deepEqual(found(snapshot, NEW), []);
    }
    snapshot.close();
    assert.equal(candidates(table, 'absent'), 0);
  });

  it('take no memory for a snapshot of what is gone, and none in the end', () => {
    const table = filled(1000);
    const snapshot = table.snapshot();
    table.removeAll();
    assert.equal(table.stats().bytes.indexes, 0);
    for (let i = 0; i < 10; i++) assert.equal(found(snapshot, OLD).length, 1000);
    assert.equal(table.stats().bytes.indexes, 0);
    snapshot.close();
    assert.equal(table.bytes, 0);
  });

  it('are not kept for a snapshot of rows that have been replaced', () => {
    const table = filled(1000);
    const snapshot = table.snapshot();
    assert.equal(candidates(snapshot, 'absent'), 0);
    table.replacement().commit();
    assert.equal(candidates(snapshot, 'absent'), 1000);
    assert.equal(found(snapshot, OLD).length, 1000);
    snapshot.close();
  });

  it('keep pages apart that grow beside one another', () => {
    const rows = 2000;
    const idsOf = (i: number) => [i, PAGE_SLOTS + i, 2 * PAGE_SLOTS + i];
    const table = new Table(schema);
    const all = Array.from({ length: rows }, (_, i) =>
      idsOf(i + 1).map((id, page) => {
        return { id, row: table.rowOf(id, { title: `page ${page}`, note: `row ${i + 1}` }) };
      }),
    );
    table.replay(all.flat(), BigInt(3 * PAGE_SLOTS), 1);
    for (let i = 1; i <= rows; i++) table.update(i, { title: NEW, note: null });
    assert.deepEqual(
      ['page 0', 'page 1', 'page 2', NEW].map((needle) => found(table, needle).length),
      [0, rows, rows, rows],
    );
    assert.equal(candidates(table, 'absent'), 0);
  });

  it('are made anew of one page at a time, so that others are still found fast', () => {
    const table = filled(2 * PAGE_SLOTS);
    const unsigned = new Set<number>();
    for (let i = 0; i < 20 * PAGE_SLOTS; i++) {
      // A row of the first page, then one of the second.
      const id = 1 + ((i >> 1) % PAGE_SLOTS) + (i % 2) * PAGE_SLOTS;
      table.update(id, { title: `${i} the ${NEW} is away` });
      if (i % 50 === 0) unsigned.add(candidates(table, 'absent'));
    }
    const most = Math.max(...unsigned);
    assert.ok(most > 0 && most <= PAGE_SLOTS, `${most}`);
    for (let i = 0; i < 20; i++) found(table, 'absent');
    assert.equal(candidates(table, 'absent'), 0);
  });

  it('are made anew of one page after the other, also if one goes meanwhile', () => {
    const table = filled(3 * PAGE_SLOTS);
    let changes = 0;
    const change = (id: number) => table.update(id, { title: `${changes++} the ${NEW} is away` });
    const changeAll = (first: number, end: number) => {
      for (let id = first; id < end; id++) change(id);
    };
    const [second, third, end] = [1, 2, 3].map((page) => page * PAGE_SLOTS + 1);
    assert(second && third && end);
    // The second page is signed anew while rows of it are candidates of everything.
    for (let i = 0; i < 1000 && candidates(table, 'absent') === 0; i++)
      changeAll(second, second + 20);
    const snapshot = table.snapshot();
    change(second);
    snapshot.close();
    table.remove((t) => [t.id.between(second, third - 1)]);
    let isSignedAnew = false;
    for (let round = 0; round < 4; round++) {
      for (let id = third; id < end; id += 64) {
        changeAll(id, id + 64);
        isSignedAnew ||= candidates(table, 'absent') > 0;
      }
    }
    assert.ok(isSignedAnew, 'the third page');
    for (let i = 0; i < 20; i++) found(table, 'absent');
    const old = candidates(table, OLD);
    assert.ok(old < 1.1 * PAGE_SLOTS, `${old} with the first page, which has not changed`);
  });

  it('stay of use while texts change for ever in a table without much room', () => {
    const { bytes } = filled(3000);
    const table = new Table(schema, { maxBytes: bytes + 20_000 });
    const text = (i: number) => `${(i * 7919).toString(36)} ${OLD} ${(i * 104729).toString(36)}`;
    for (let i = 0; i < 3000; i++) table.insert({ title: text(i), note: `note ${i}` });
    for (let i = 3000; i < 24_000; i++) {
      table.update((i % 3000) + 1, { title: text(i) });
      if (i % 100 === 0) found(table, text(i));
    }
    assert.ok(candidates(table, text(1)) < 100, String(candidates(table, text(1))));
  });

  it('take new rows, too, when they are worn and there is no room for others', () => {
    const { bytes } = filled(1000);
    const table = new Table(schema, { maxBytes: bytes + 5000 });
    for (let i = 0; i < 1000; i++) table.insert({ title: `a ${OLD} fox ${i}`, note: `note ${i}` });
    for (let i = 0; i < 4000; i++) table.update((i % 1000) + 1, { title: `${i} the ${NEW} is` });
    assert.ok(candidates(table, OLD) > 100, 'worn');
    for (let id = 1; id <= 20; id++) table.delete(id);
    for (let i = 0; i < 20; i++) table.insert({ title: NEW });
    assert.equal(candidates(table, 'absent'), 0);
    assert.equal(found(table, NEW).length, 1000);
  });

  it('are there again when there is room again', () => {
    const table = new Table(schema, { maxBytes: 200_000 });
    assert.throws(() => {
      for (;;) table.insert({ title: `a ${OLD} fox` });
    });
    const unsigned = candidates(table, 'absent');
    for (let id = 1; id <= table.size; id += 2) table.delete(id);
    for (let i = 0; i < 200; i++) found(table, 'absent');
    assert.ok(candidates(table, 'absent') <= unsigned / 2);
    assert.ok(table.bytes <= 200_000);
  });
});
