import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasBit } from '../../../src/table/bits.ts';
import {
  bytesOfSignature,
  gramsOf,
  Signature,
  searchedParts,
} from '../../../src/table/pages/signature.ts';
import { Table } from '../../../src/table/table.ts';

describe('what a signature looks up', () => {
  it('is folded, and only of parts with three units or more', () => {
    assert.deepEqual(searchedParts(['Straße', 'ab', 'ABC']), ['strasse', 'abc']);
  });

  it('is 48 units at most, whatever a pattern consists of', () => {
    for (const texts of [
      ['x'.repeat(1000)],
      Array.from({ length: 1000 }, () => 'a'),
      Array.from({ length: 1000 }, (_, i) => `part ${i}`),
    ]) {
      const parts = searchedParts(texts);
      assert.ok(parts.join('').length <= 48);
      assert.ok(gramsOf(parts).all.length < 2 * 48);
    }
  });

  it('is each gram once', () => {
    assert.equal(gramsOf(['aaaaaaaa', 'aaaa']).all.length, 2);
    assert.equal(gramsOf(['abcd']).short.length, 2);
  });
});

describe('a signature', () => {
  const SLICES = 1024;
  const WORDS = 3;
  /** A text whose grams are distinct, of so many units. */
  const textOf = (units: number) =>
    Array.from({ length: units }, (_, i) => String.fromCharCode(0x4e00 + i)).join('');

  it('takes a bit for each slice and row, and little else', () => {
    assert.equal(bytesOfSignature(SLICES, 12) - bytesOfSignature(SLICES, 2), (SLICES * 320) / 8);
    assert.ok(bytesOfSignature(SLICES, 2) < (SLICES * 64) / 8 + 10_000);
    assert.equal(new Signature(SLICES, WORDS).bytes, bytesOfSignature(SLICES, WORDS));
  });

  it('removes no row that it does not know, and every other one without the grams', () => {
    const signature = new Signature(SLICES, WORDS);
    for (let at = 0; at < WORDS * 32; at++) signature.mark(at, at % 2 ? 'milk' : 'bread', true);
    for (const [needle, isKept] of [
      ['milk', (at: number) => at % 2 === 1],
      ['absent', () => false],
    ] as const) {
      for (let end = 0; end <= WORDS * 32; end++) {
        const mask = new Int32Array(WORDS + 1).fill(-1);
        signature.narrow(gramsOf([needle]), mask, end);
        for (let at = 0; at < mask.length * 32; at++) {
          assert.equal(hasBit(mask, at), at >= end || isKept(at), `${needle}, ${at} of ${end}`);
        }
      }
    }
  });

  it('is full when four tenths of its bits are set, each of which counts once', () => {
    const signature = new Signature(SLICES, WORDS);
    for (let i = 0; i < 3; i++) signature.mark(0, textOf(100), true);
    assert.ok(!signature.isFull(1), 'at most 200 of 1,024 bits');
    signature.mark(0, textOf(300), true);
    assert.ok(signature.isFull(1), 'about 450, half of them for grams of four units');
    assert.ok(!signature.isFull(2), 'in two rows');
    signature.mark(0, textOf(300), false);
    assert.ok(!signature.isFull(0), 'none is left');
  });
});

describe('the signature of a page whose rows are written anew', () => {
  const ROWS = 200;
  /** A needle that was in the texts once, and one that is in all now. */
  const [OLD, NEW] = ['quick brown', 'lazy dog'] as const;

  function filled() {
    const table = new Table({
      id: { kind: 'integer', identity: { from: 1, to: 1000 } },
      title: { kind: 'text', index: 'substring' },
      note: { kind: 'text', index: 'substring' },
    });
    for (let i = 0; i < ROWS; i++) table.insert({ title: `a ${OLD} fox ${i}`, note: `note ${i}` });
    return table;
  }

  const candidates = (table: ReturnType<typeof filled>, needle: string) =>
    table.explain((t) => [t.title.containsIgnoreCase(needle)]).candidates;
  const find = (table: Pick<ReturnType<typeof filled>, 'search'>, needle: string) =>
    table.search((t) => [t.title.containsIgnoreCase(needle)]).length;

  it('forgets the old texts if all of a row are new', () => {
    const table = filled();
    assert.equal(candidates(table, OLD), ROWS);
    for (let id = 1; id <= ROWS; id++) table.update(id, { title: `the ${NEW}`, note: `${id} x` });
    assert.ok(candidates(table, OLD) < ROWS / 10, String(candidates(table, OLD)));
    assert.equal(find(table, NEW), ROWS);
  });

  it('keeps what a text that stays has in common with an old one', () => {
    const table = filled();
    table.update(1, { title: OLD, note: OLD });
    table.update(1, { title: NEW });
    const found = table.search((t) => [t.note.containsIgnoreCase(OLD)]);
    assert.deepEqual(
      Array.from(found, ({ id }) => id),
      [1],
    );
  });

  it('keeps them for a snapshot', () => {
    const table = filled();
    const snapshot = table.snapshot();
    for (let id = 1; id <= ROWS; id++) table.update(id, { title: `the ${NEW}`, note: `${id} x` });
    assert.equal(find(snapshot, OLD), ROWS);
    snapshot.close();
    assert.equal(find(table, NEW), ROWS);
  });
});
