import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countBits } from '../../../src/table/bits.ts';
import { bytesOfSignature, gramsOf, slicesFor } from '../../../src/table/pages/signature.ts';
import { TextIndex } from '../../../src/table/pages/text-index.ts';
import type { StoredRow } from '../../../src/table/schema/column.ts';
import { Random } from '../support/random.ts';

const ROWS = 640;
const WORDS = ROWS / 32;
const COLUMNS = ['title', 'note'];

/** Rows with texts of these lengths, in which no `q` occurs. */
function rowsOf(title: number, note: number | null): (StoredRow | undefined)[] {
  const random = new Random(1);
  const text = (length: number) =>
    Array.from({ length }, () => 'abcdefghij'[random.below(10)]).join('');
  return Array.from({ length: ROWS }, () => ({
    title: text(title),
    note: note === null ? null : text(note),
  }));
}

function indexOf(rows: readonly (StoredRow | undefined)[]): TextIndex {
  const index = new TextIndex(COLUMNS, rows, WORDS);
  assert(index.renew(ROWS, ROWS, Number.POSITIVE_INFINITY));
  return index;
}

/** How many rows the signature knows: it tells that a text is in none of these. */
function known(index: TextIndex): number {
  const mask = new Int32Array(WORDS).fill(-1);
  index.narrow(gramsOf(['qqqqqq']), mask, ROWS);
  return ROWS - countBits(mask);
}

function signAll(index: TextIndex): void {
  while (known(index) < ROWS) index.signMore(ROWS);
}

/** Every 64 writes it is looked at whether a new one is due: after 200, in 56. */
const LOOKED_AT_AFTER = 56;

/** After how many writes there is a new signature; undefined if there is none in 200. */
function writesToRenewal(index: TextIndex): number | undefined {
  for (let writes = 1; writes <= 200; writes++) {
    if (index.renew(ROWS, ROWS, Number.POSITIVE_INFINITY)) return writes;
  }
  return undefined;
}

describe('the signature of a page', () => {
  it('gets to know some rows at a time, fewer if their texts are long', () => {
    for (const [title, note, rows] of [
      [1, null, 512],
      [60, 40, 11],
      [1_000, 1_000, 1],
    ] as const) {
      const index = indexOf(rowsOf(title, note));
      assert.equal(known(index), 0);
      index.signMore(ROWS);
      assert.equal(known(index), rows);
      index.signMore(ROWS);
      assert.equal(known(index), Math.min(ROWS, 2 * rows));
    }
  });

  it('suits the mean length of the last texts, of rows that are there', () => {
    const rows = rowsOf(30, 10);
    assert.equal(indexOf(rows).signature?.slices, slicesFor(40));
    for (let at = ROWS - 32; at < ROWS; at++) rows[at] = { title: 'x'.repeat(100), note: null };
    assert.equal(indexOf(rows).signature?.slices, slicesFor(70));
    for (let at = ROWS - 32; at < ROWS; at++) rows[at] = undefined;
    assert.equal(indexOf(rows).signature?.slices, slicesFor(40));
    rows.fill({ title: '', note: null });
    assert.equal(indexOf(rows).signature?.slices, slicesFor(0));
  });

  it('is made for 64 rows or more, if there are texts, and room for it', () => {
    const rows = rowsOf(30, 10);
    const room = bytesOfSignature(slicesFor(40), WORDS);
    const index = new TextIndex(COLUMNS, rows, WORDS);
    assert(!index.renew(63, ROWS, room));
    assert(!index.renew(64, ROWS, room - 1));
    assert(!new TextIndex([], rows, WORDS).renew(64, ROWS, room));
    assert(index.renew(64, ROWS, room));
  });

  it('is made anew when the texts have become longer and it names too many rows', () => {
    const rows = rowsOf(10, 10);
    const index = indexOf(rows);
    signAll(index);
    assert.equal(writesToRenewal(index), undefined);
    const longer = rowsOf(200, 200);
    for (let at = 0; at < ROWS; at++) {
      index.replace(at, rows[at], longer[at], false);
      rows[at] = longer[at];
    }
    assert.equal(writesToRenewal(index), LOOKED_AT_AFTER);
    assert.equal(known(index), 0);
    signAll(index);
    assert.equal(writesToRenewal(index), undefined, 'one that suits them');
  });

  it('is made anew when each row has left old bits in it once, and then is as good as new', () => {
    const rows = rowsOf(10, 10);
    const index = indexOf(rows);
    signAll(index);
    const others = rowsOf(10, 10).reverse();
    const replaceAll = (isShared: boolean) => {
      for (let at = 0; at < ROWS; at++) index.replace(at, rows[at], others[at], isShared);
    };
    for (let times = 0; times < 8; times++) replaceAll(false);
    assert.equal(writesToRenewal(index), undefined, 'only the filter keeps old bits, an eighth');
    replaceAll(true);
    assert.equal(writesToRenewal(index), LOOKED_AT_AFTER);
    signAll(index);
    assert.equal(writesToRenewal(index), undefined);
  });
});
