import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/state/mask.ts';
import { Signature } from '../../../../../src/lib/table/state/signature.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { countTests } from '../support/tables.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  note: { kind: 'text', nullable: true, index: 'substring' },
} as const satisfies Schema;

type Texts = Table<typeof schema>;

/** A text that all rows have at first, and one that they have later. */
const [OLD, NEW] = ['quick brown', 'lazy dog'] as const;

function filled(rows: number, title = (i: number) => `a ${OLD} fox ${i}`) {
  const table = new Table(schema);
  for (let i = 0; i < rows; i++) table.insert({ title: title(i), note: `note ${i}` });
  return table;
}

const where = (text: string) =>
  [{ op: 'containsIgnoreCase', column: 'title', value: text }] as const;
const candidates = (table: Texts, text: string) => countTests(table, where(text));
const found = (table: Texts, text: string) => table.search(where(text));

/** Updates the titles of all rows, several times. */
function updateAll(table: Texts, rounds: number, title: (round: number, id: number) => string) {
  for (let round = 0; round < rounds; round++) {
    for (const { id } of table.search()) table.update(id, { title: title(round, id) });
  }
}

/** Counts the rows whose texts are added to signatures meanwhile. */
function countTexts(work: () => void): number {
  const { add } = Signature.prototype;
  let added = 0;
  Signature.prototype.add = function (...values) {
    added++;
    add.apply(this, values);
  };
  try {
    work();
  } finally {
    Signature.prototype.add = add;
  }
  return added;
}

/** A text without equal grams. */
const long = (i: number, length: number) =>
  Array.from({ length }, (_, j) => String.fromCharCode(0x4e00 + ((i * 31 + j) % 5000))).join('');

describe('the signature of a chunk', () => {
  it('exists while the chunk has some rows', () => {
    assert.equal(candidates(filled(20), 'absent'), 20);
    const table = filled(200);
    assert.equal(candidates(table, 'absent'), 0);
    table.remove((t) => [t.id.gt(20)]);
    assert.equal(candidates(table, 'absent'), 20);
    assert.equal(table.stats().bytes.indexes, 0);
  });

  it('is replaced by a larger one when texts have become longer', () => {
    const table = filled(1000, (i) => long(i, 10));
    const short = table.stats().bytes.indexes;
    updateAll(table, 1, (_, id) => long(id, 200));
    assert.ok(table.stats().bytes.indexes > 4 * short);
    const part = long(500, 200).slice(50, 60);
    assert.ok(candidates(table, part) <= 2 * found(table, part).length);
  });

  it('is replaced when many of its texts are gone, however long that goes on', () => {
    const table = filled(200);
    assert.equal(candidates(table, OLD), 200);
    const { indexes } = table.stats().bytes;
    updateAll(table, 40, (round) => `${round} ${NEW}`);
    assert.ok(candidates(table, OLD) < 20, String(candidates(table, OLD)));
    assert.equal(found(table, NEW).length, 200);
    assert.ok(table.stats().bytes.indexes < 1.5 * indexes);
  });

  it('gets the texts that it lacks from a query, and is not replaced because rows are deleted', () => {
    const search = () => found(table, 'absent');
    const table = filled(2 * CHUNK_SLOTS - 2);
    assert.equal(countTexts(search), table.size);
    table.update(1, { title: NEW });
    table.update(2, { title: `a ${OLD} fox 1` });
    table.insert({ title: NEW, note: null });
    assert.equal(countTexts(search), 2);
    table.remove((t) => [t.id.gt(CHUNK_SLOTS + 100)]);
    assert.equal(countTexts(search), 0);
    assert.deepEqual([candidates(table, 'absent'), candidates(table, OLD)], [0, table.size]);
  });

  it('has the texts of every version that a cursor shows', () => {
    const table = filled(200);
    const earlier = table.cursor(where(OLD));
    updateAll(table, 1, () => NEW);
    const later = table.cursor(where(NEW));
    table.update(1, { title: OLD });
    for (const cursor of [later, earlier]) assert.equal([...cursor].length, 200);
    assert.equal(found(table, NEW).length, 199);
  });

  it('has all texts of a bulk write at its commit, and few false candidates after many', () => {
    const table = filled(2000);
    const titles = ['jumps over', NEW, 'another one', NEW, 'the last one'];
    for (const title of [...titles, ...titles]) {
      const change = table.modification((t) => [t.id.gte(1)], { title });
      for (const _ of change.find());
      change.commit();
      assert.equal(found(table, title).length, 2000);
      assert.equal(candidates(table, 'absent'), 0);
    }
    assert.ok(candidates(table, OLD) < 1000, `${candidates(table, OLD)} candidates`);
  });
});
