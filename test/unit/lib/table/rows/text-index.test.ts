import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { TableOptions } from '../../../../../src/lib/table/table-types.ts';
import { idsOf } from '../support/rows.ts';
import { countTests } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'substring' },
} as const satisfies Schema;

type Texts = Table<typeof schema>;

/** A text that all rows have at first, and one that they have later. */
const [OLD, NEW] = ['quick brown', 'lazy dog'] as const;

type TitleOf = (i: number) => string;

function filled(rows: number, title: TitleOf = (i) => `a ${OLD} fox ${i}`, options?: TableOptions) {
  const table = new Table(schema, options);
  for (let i = 0; i < rows; i++) table.insert({ title: title(i), note: `note ${i}` });
  return table;
}

const where = (text: string) =>
  [{ op: 'containsIgnoreCase', column: 'title', value: text }] as const;
const candidates = (table: Texts, text: string) => countTests(table, where(text));
const opened = (table: Texts, text: string) => table.cursor(where(text));
const found = (table: Texts, text: string) => idsOf(opened(table, text));

/** Searches so often that the blocks are complete. */
function complete(table: Texts): void {
  for (let i = 0; i < 40; i++) candidates(table, 'absent');
}

/** Updates the titles of all rows, several times. */
function updateAll(table: Texts, rounds: number, title: (round: number, id: number) => string) {
  for (let round = 0; round < rounds; round++) {
    for (const { id } of table.search()) table.update(id, { title: title(round, id) });
  }
}

/** A text without equal grams. */
const long = (i: number, length: number) =>
  Array.from({ length }, (_, j) => String.fromCharCode(0x4e00 + ((i * 31 + j) % 5000))).join('');

describe('the text block of a chunk', () => {
  it('is there from 64 rows on, until half of these are gone', () => {
    assert.equal(candidates(filled(63), 'absent'), 63);
    const table = filled(64);
    for (let id = 1; id <= 32; id++) {
      assert.equal(candidates(table, 'absent'), 0);
      table.delete(id);
    }
    assert.equal(candidates(table, 'absent'), 0);
    table.delete(33);
    assert.equal(candidates(table, 'absent'), 31);
  });

  it('stays when a few rows are deleted', () => {
    for (const rows of [70, 600]) {
      const table = filled(rows);
      complete(table);
      for (let id = 1; id <= 5; id++) {
        table.delete(id);
        assert.equal(candidates(table, 'absent'), 0, `${rows} rows`);
      }
    }
  });

  it('has each row as soon as it is written', () => {
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

  it('is replaced by a larger one when texts have become longer', () => {
    const table = filled(1000, (i) => long(i, 10));
    const short = table.stats().bytes.indexes;
    updateAll(table, 1, (_, id) => long(id, 200));
    complete(table);
    assert.ok(table.stats().bytes.indexes > 4 * short);
    const part = long(500, 200).slice(50, 60);
    assert.ok(candidates(table, part) <= 2 * found(table, part).length);
  });

  it('is replaced when many of its texts are gone', () => {
    const table = filled(200);
    assert.equal(candidates(table, OLD), 200);
    updateAll(table, 5, (round) => `${round} ${NEW}`);
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, NEW).length, 200);
  });

  it('loses the texts of a row at once if all of them are replaced, and those alone', () => {
    const table = filled(100);
    for (let id = 1; id <= 100; id++) table.update(id, { title: NEW, note: null });
    assert.equal(candidates(table, OLD), 0);
    assert.equal(found(table, NEW).length, 100);
    const cursor = opened(table, NEW);
    table.update(1, { title: OLD, note: OLD });
    assert.equal(idsOf(cursor).length, 100);
    table.update(1, { title: NEW });
    assert.deepEqual(idsOf(table.search((t) => [t.note.containsIgnoreCase(OLD)])), [1]);
  });

  it('keeps texts that are gone for open cursors, and is replaced when half are such', () => {
    const table = filled(200);
    for (let round = 0; round < 3; round++) {
      const cursor = opened(table, round === 0 ? OLD : `${round - 1} ${NEW}`);
      updateAll(table, 1, () => `${round} ${NEW}`);
      assert.equal(idsOf(cursor).length, 200);
    }
    for (let i = 0; i < 20; i++) table.insert({ title: 'another' });
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, `2 ${NEW}`).length, 200);
  });

  it('serves cursors that were opened before their rows were in it, in either version', () => {
    // Long texts, so that many writes and searches sign them.
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
    it(`takes no memory for cursors of rows that have been ${how}`, () => {
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

  it('numbers the rows of a chunk of which most are gone, and of later ones', () => {
    const table = filled(3000);
    for (let id = 1; id <= 3000; id++) if (id % 10 !== 0) table.delete(id);
    for (let i = 0; i < 200; i++) table.insert({ title: `later ${i}`, note: NEW });
    complete(table);
    assert.equal(candidates(table, 'absent'), 0);
    assert.deepEqual(found(table, 'fox 2009'), [2010]);
    assert.deepEqual(found(table, 'later 77'), [3078]);
    table.update(2010, { title: 'a wolf' });
    assert.deepEqual(found(table, 'wolf'), [2010]);
    assert.ok(table.stats().bytes.indexes < 150_000, `${table.stats().bytes.indexes} bytes`);
  });

  it('finds new texts of rows that a rollback has put back before its numbered rows', () => {
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

  it('gets the texts of a bulk write that was found before it was replaced', () => {
    const table = filled(300);
    const change = table.modification((t) => [t.id.lte(200)], { title: `the ${NEW}` });
    for (const _ of change.find());
    updateAll(table, 5, (round, id) => `${round} ${OLD} ${id}`);
    assert.equal(change.commit(), 200);
    assert.equal(found(table, NEW).length, 200);
    complete(table);
    assert.equal(found(table, NEW).length, 200);
    assert.equal(found(table, OLD).length, 100);
  });
});

describe('the text block of a chunk where memory is short', () => {
  it('has few false candidates, however often texts change', () => {
    const text = (i: number) => `${(i * 7919).toString(36)} ${OLD} ${(i * 104729).toString(36)}`;
    const table = filled(3000, text, { maxBytes: filled(3000).bytes + 20_000 });
    for (let i = 3000; i < 24_000; i++) {
      table.update((i % 3000) + 1, { title: text(i) });
      if (i % 100 === 0) found(table, text(i));
    }
    assert.ok(candidates(table, text(1)) < 100, String(candidates(table, text(1))));
  });

  it('gets new rows when it is degraded', () => {
    const table = filled(1000, undefined, { maxBytes: filled(1000).bytes + 5000 });
    updateAll(table, 4, (_, id) => `${id} the ${NEW} is`);
    assert.ok(candidates(table, OLD) > 100, 'degraded');
    for (let id = 1; id <= 20; id++) table.delete(id);
    for (let i = 0; i < 20; i++) table.insert({ title: NEW });
    assert.equal(candidates(table, 'absent'), 0);
    assert.equal(found(table, NEW).length, 1000);
  });

  it('gets the rows that it lacks when there is memory again', () => {
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
