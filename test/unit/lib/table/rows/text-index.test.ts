import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { idsOf } from '../support/rows.ts';

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

const candidates = (table: Texts, needle: string) =>
  table.countTests((t) => [t.title.containsIgnoreCase(needle)]);
/** Opens a cursor of the rows that contain a needle. */
const opened = (table: Texts, needle: string) =>
  table.cursor((t) => [t.title.containsIgnoreCase(needle)]);
const found = (table: Texts, needle: string) => idsOf(opened(table, needle));

/** A text in which no gram occurs twice. */
const long = (i: number, length: number) =>
  Array.from({ length }, (_, j) => String.fromCharCode(0x4e00 + ((i * 31 + j) % 5000))).join('');

describe('the text blocks of a table', () => {
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

  it('know each row as soon as it is written', () => {
    const table = filled(100);
    let tested = 0;
    for (let i = 0; i < 10; i++) {
      const { id } = table.insert({ title: `unheard-of ${i}` });
      assert.deepEqual(found(table, `unheard-of ${i}`), [id]);
      tested += candidates(table, `unheard-of ${i}`);
    }
    // The row itself, and on average fewer than two that have other texts.
    assert.ok(tested < 30, `${tested} rows`);
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

  it('forget the texts of a row at once if all of them are replaced', () => {
    const table = filled(100);
    for (let id = 1; id <= 100; id++) table.update(id, { title: NEW, note: null });
    assert.equal(candidates(table, OLD), 0);
    assert.equal(found(table, NEW).length, 100);
  });

  it('keep the grams that a remaining text shares with a removed one', () => {
    const table = filled(100);
    table.update(1, { title: OLD, note: OLD });
    table.update(1, { title: NEW });
    const rows = table.search((t) => [t.note.containsIgnoreCase(OLD)]);
    assert.deepEqual(
      Array.from(rows, ({ id }) => id),
      [1],
    );
  });

  it('keep texts that are gone for open cursors, and are made anew when half is of such', () => {
    const table = filled(200);
    for (let round = 0; round < 3; round++) {
      const cursor = opened(table, round === 0 ? OLD : `${round - 1} ${NEW}`);
      for (let id = 1; id <= 200; id++) table.update(id, { title: `${round} ${NEW}` });
      assert.equal(idsOf(cursor).length, 200);
    }
    for (let i = 0; i < 20; i++) table.insert({ title: 'another' });
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, `2 ${NEW}`).length, 200);
  });

  it('name rows whose texts were not signed when a cursor was opened, in either version', () => {
    // A page of long texts takes many writes and searches to sign.
    const table = new Table(schema);
    table.transaction(() => {
      for (let i = 0; i < 300; i++) table.insert({ title: `${i} ${OLD} ${'x'.repeat(900)}` });
    });
    const cursors = Array.from({ length: 50 }, () => [opened(table, OLD), opened(table, NEW)]);
    table.update(300, { title: `changed to ${NEW}` });
    table.delete(299);
    for (const [old, changed] of cursors) {
      assert.equal(idsOf(old ?? []).length, 300);
      assert.equal(found(table, OLD).length, 298);
      assert.deepEqual(found(table, NEW), [300]);
      assert.deepEqual(idsOf(changed ?? []), []);
    }
    assert.equal(candidates(table, 'absent'), 0);
  });

  for (const [how, empty] of [
    ['deleted', (table: Texts) => void table.removeAll()],
    ['replaced', (table: Texts) => table.replacement().commit()],
  ] as const) {
    it(`take no memory for cursors of rows that have been ${how}, and none in the end`, () => {
      const table = filled(1000);
      const cursors = Array.from({ length: 10 }, () => opened(table, OLD));
      empty(table);
      for (const cursor of cursors) {
        assert.equal(table.stats().bytes.indexes, 0);
        assert.equal(idsOf(cursor).length, 1000);
      }
      assert.equal(table.bytes, 0);
    });
  }

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

  it('number the rows of a chunk that has lost most of them, and find later rows', () => {
    const table = filled(3000);
    for (let id = 1; id <= 3000; id++) if (id % 10 !== 0) table.delete(id);
    for (let i = 0; i < 200; i++) table.insert({ title: `later ${i}`, note: NEW });
    for (let i = 0; i < 40; i++) candidates(table, 'absent');
    assert.equal(candidates(table, 'absent'), 0);
    assert.deepEqual(found(table, 'fox 2009'), [2010]);
    assert.deepEqual(found(table, 'later 77'), [3078]);
    table.update(2010, { title: 'a wolf' });
    assert.deepEqual(found(table, 'wolf'), [2010]);
    assert.ok(table.stats().bytes.indexes < 150_000, `${table.stats().bytes.indexes} bytes`);
  });

  it('find new texts of rows that a rollback has put back before those of a numbered block', () => {
    for (const rows of [48, 70]) {
      const table = new Table(schema);
      const insert = (count: number) => {
        for (let i = 0; i < count; i++) table.insert({ title: '', note: null });
      };
      insert(rows);
      table.dryRun(() => {
        table.removeAll();
        insert(64);
      });
      table.update(20, { title: NEW });
      for (let i = 0; i < 3; i++) assert.deepEqual(found(table, NEW), [20]);
    }
  });

  it('keep the texts of a bulk write that was found before they were made again', () => {
    const table = filled(300);
    const change = table.modification((t) => [t.id.lte(200)], { title: `the ${NEW}` });
    for (const _ of change.find());
    for (let round = 0; round < 5; round++) {
      for (let id = 1; id <= 300; id++) table.update(id, { title: `${round} ${OLD} ${id}` });
    }
    assert.equal(change.commit(), 200);
    assert.equal(found(table, NEW).length, 200);
    for (let i = 0; i < 40; i++) candidates(table, 'absent');
    assert.equal(found(table, NEW).length, 200);
    assert.equal(found(table, OLD).length, 100);
  });
});
