import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode, mostBytes, PostingLists } from '../../../src/table/index/posting-list.ts';
import { Random, SEED } from '../support/random.ts';

/** Stores lists one after the other, as a segment does. */
function stored(rowCount: number, lists: readonly (readonly number[])[]): PostingLists {
  const rows = lists.map((list) => new Int32Array(list));
  const room = rows.reduce((sum, { length }) => sum + mostBytes(length, rowCount), 0);
  const bytes = new Uint8Array(room);
  const starts = [0];
  for (const list of rows) starts.push(encode(list, rowCount, bytes, starts.at(-1) ?? 0));
  return new PostingLists(rowCount, new Uint32Array(starts), bytes.slice(0, starts.at(-1)));
}

/** Ascending rows, one in so many. */
function someRows(random: Random, rowCount: number, oneIn: number): number[] {
  return Array.from({ length: rowCount }, (_, row) => row).filter(() => random.chance(oneIn));
}

describe('posting lists', () => {
  test(`give back what was stored, however dense, and what two have in common (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let round = 0; round < 200; round++) {
      const rowCount = 1 + random.below(round % 10 === 0 ? 40_000 : 300);
      const lists = [1, 2, 5, 12, 20, 200, 5000].map((n) => someRows(random, rowCount, n));
      const postings = stored(rowCount, lists);
      for (const [i, list] of lists.entries()) {
        const rows = new Int32Array(rowCount);
        assert.deepEqual([...rows.subarray(0, postings.decode(i, rows))], list);
        assert.ok(postings.estimate(i) >= list.length);
        if (postings.isBitmap(i)) assert.equal(postings.estimate(i), list.length);
        for (const [j, other] of lists.entries()) {
          const kept = new Int32Array(list);
          const count = list.length > 0 ? postings.intersect(kept, list.length, j) : 0;
          const members = new Set(other);
          assert.deepEqual(
            [...kept.subarray(0, count)],
            list.filter((row) => members.has(row)),
          );
        }
      }
    }
  });

  test('take no more than twice the bytes of their differences', () => {
    const random = new Random(SEED);
    for (const oneIn of [1, 3, 8, 15, 17, 40, 300]) {
      const rows = someRows(random, 8000, oneIn);
      const { bytes } = stored(8000, [rows]);
      assert.ok(bytes <= 8 + 2 * Math.max(rows.length, 1) * (oneIn < 100 ? 1 : 2), `1 in ${oneIn}`);
    }
  });
});
