import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { TableOptions } from '../../../../../src/lib/table/table-types.ts';
import { idsOf } from '../support/rows.ts';
import { countTests, rollBack } from '../support/tables.ts';

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

/** Updates the titles of all rows, several times. */
function updateAll(table: Texts, rounds: number, title: (round: number, id: number) => string) {
  for (let round = 0; round < rounds; round++) {
    for (const { id } of table.search()) table.update(id, { title: title(round, id) });
  }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** A text without equal grams. */
const long = (i: number, length: number) =>
  Array.from({ length }, (_, j) => String.fromCharCode(0x4e00 + ((i * 31 + j) % 5000))).join('');

describe('the signature of a leaf', () => {
  it('is there from 64 rows on, until a third of its slots is left', () => {
    assert.equal(candidates(filled(63), 'absent'), 63);
    const table = filled(64);
    for (let id = 1; id <= 42; id++) {
      assert.equal(candidates(table, 'absent'), 0);
      table.delete(id);
    }
    assert.equal(candidates(table, 'absent'), 0);
    table.delete(43);
    assert.equal(candidates(table, 'absent'), 21);
    const { indexes } = table.stats().bytes;
    assert.equal(indexes, 0);
    const short = filled(64);
    for (let id = 64; id > 30; id--) short.delete(id);
    for (let id = 1; id <= 20; id++) short.delete(id);
    assert.equal(candidates(short, 'absent'), 0);
    short.delete(21);
    assert.equal(candidates(short, 'absent'), 9);
  });

  it('is replaced by a larger one when texts have become longer', () => {
    const table = filled(1000, (i) => long(i, 10));
    const short = table.stats().bytes.indexes;
    updateAll(table, 1, (_, id) => long(id, 200));
    assert.ok(table.stats().bytes.indexes > 4 * short);
    const part = long(500, 200).slice(50, 60);
    assert.ok(candidates(table, part) <= 2 * found(table, part).length);
  });

  it('is filled by a few writes if its texts are long; until then, some rows are candidates', () => {
    const title = (id: number) => `<${id}> ${long(id, 800)}`;
    const table = filled(512, title);
    let updates = 0;
    const update = () => {
      const id = 1 + (updates++ % 512);
      table.update(id, { title: title(id + 512 * Math.ceil(updates / 512)) });
    };
    while (candidates(table, 'absent') < 100 && updates < 2000) update();
    assert.ok(updates > 300 && updates < 2000, `${updates} updates`);
    const rows = table.search();
    const cursors = rows.map((row) => table.cursor(where(row.title.slice(0, 9))));
    for (let i = 0; i < 10; i++) {
      for (const row of table.search([], { limit: 20, offset: 50 * i })) {
        assert.deepEqual(found(table, row.title.slice(0, 9)), [row.id]);
      }
      table.delete(3 * i + 1);
      update();
    }
    assert.ok(candidates(table, 'absent') < 10, String(candidates(table, 'absent')));
    for (const [i, cursor] of cursors.entries()) assert.deepEqual([...cursor], [rows[i]]);
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

  it('keeps texts that a rollback puts back, also after a bulk write', () => {
    const table = filled(200);
    for (const work of [
      () => table.update(7, { title: NEW, note: NEW }),
      () => table.modify((t) => [t.id.lte(150)], { title: NEW, note: NEW }),
      () => table.remove((t) => [t.id.gt(20)]),
      () => table.removeAll(),
    ]) {
      rollBack(table, () => {
        work();
        if (table.size > 0) table.update(7, { title: 'a third', note: 'one' });
        for (let i = 0; i < 100; i++) table.insert({ title: NEW, note: NEW });
      });
      assert.equal(found(table, OLD).length, 200);
      assert.deepEqual(found(table, 'fox 6'), [7, ...range(61, 70)]);
      assert.deepEqual(found(table, NEW), []);
    }
  });

  it('has all texts of a bulk write at its commit, and few false candidates after many', () => {
    const table = filled(2000);
    for (const title of [NEW, 'jumps over', NEW, 'another one', 'the last']) {
      const change = table.modificationOfAll({ title });
      for (const _ of change.find());
      change.commit();
      assert.equal(found(table, title).length, 2000);
      assert.equal(candidates(table, 'absent'), 0);
    }
    assert.ok(candidates(table, OLD) < 1000, `${candidates(table, OLD)} candidates`);
  });
});

describe('the signature of a leaf where memory is short', () => {
  it('has few false candidates, however often texts change', () => {
    const text = (i: number) => `${(i * 7919).toString(36)} ${OLD} ${(i * 104729).toString(36)}`;
    const table = filled(3000, text, { maxBytes: filled(3000, text).bytes + 40_000 });
    for (let i = 3000; i < 24_000; i++) {
      table.update((i % 3000) + 1, { title: text(i) });
      if (i % 100 === 0) found(table, text(i));
    }
    assert.ok(candidates(table, text(1)) < 100, String(candidates(table, text(1))));
  });

  it('is made by the first write after memory has become free', () => {
    const table = new Table(schema, { maxBytes: 100_000 });
    for (let i = 0; i < 4; i++) table.insert({ title: long(i, 10_000) });
    for (let i = 0; i < 70; i++) table.insert({ title: `a ${OLD} fox` });
    assert.equal(candidates(table, 'absent'), 74);
    for (let id = 1; id <= 4; id++) table.delete(id);
    assert.equal(candidates(table, 'absent'), 70);
    table.update(5, { title: 'another' });
    assert.equal(candidates(table, 'absent'), 0);
    assert.ok(table.bytes <= 100_000, `${table.bytes} bytes`);
  });
});
