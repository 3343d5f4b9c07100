import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Segment } from '../../../src/table/indexes/segment.ts';
import { SegmentBuilder } from '../../../src/table/indexes/segment-builder.ts';
import { trigramKeys } from '../../../src/table/indexes/trigrams.ts';
import { Random, SEED } from '../support/random.ts';

const builder = new SegmentBuilder();

function segmentOf(texts: readonly string[]): Segment {
  const work = builder.build({ generation: 1, slots: texts.map((_, row) => row), texts });
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Texts of words, some of which are in nearly every text, and some in hardly any. */
function textsOf(random: Random, count: number): string[] {
  const words = Array.from({ length: 40 }, (_, i) => ({ word: `w${i}x`, oneIn: 1 + i * i }));
  return Array.from({ length: count }, () =>
    words.flatMap(({ word, oneIn }) => (random.chance(oneIn) ? word : [])).join(' '),
  );
}

/** The rows of each key, found without an index. */
function rowsByKey(texts: readonly string[]): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const [row, text] of texts.entries()) {
    for (const key of trigramKeys([text])) {
      const list = rows.get(key);
      if (list) list.push(row);
      else rows.set(key, [row]);
    }
  }
  return rows;
}

describe('the posting lists of a segment', () => {
  test(`have the rows of each key, and intersect (seed ${SEED})`, () => {
    const random = new Random(SEED);
    let bitmaps = 0;
    for (const count of [1, 2, 7, 60, 300, 3000, 40_000]) {
      const texts = textsOf(random, count);
      const { keys, lists } = segmentOf(texts);
      const expected = rowsByKey(texts);
      assert.deepEqual(
        [...keys],
        [...expected.keys()].sort((a, b) => a - b),
      );
      for (const [list, key] of keys.entries()) {
        const rows = new Int32Array(count);
        const length = lists.decode(list, rows);
        assert.deepEqual([...rows.subarray(0, length)], expected.get(key));
        assert.equal(lists.count(list), length);
        if (lists.isBitmap(list)) bitmaps++;
      }
      for (let pair = 0; pair < 100 && keys.length > 0; pair++) {
        const [a, b] = [random.below(keys.length), random.below(keys.length)];
        const rows = new Int32Array(expected.get(keys[a] ?? 0) ?? []);
        const members = new Set(expected.get(keys[b] ?? 0));
        const common = [...rows].filter((row) => members.has(row));
        const length = lists.intersect(rows, rows.length, b);
        assert.deepEqual([...rows.subarray(0, length)], common);
      }
    }
    assert.ok(bitmaps > 20, 'both forms are there');
  });

  test('are bitmaps if that takes at most twice the bytes', () => {
    const texts = Array.from(
      { length: 16_000 },
      (_, row) => `${row % 15 ? '' : 'abc'}${row % 17 ? '' : ' xyz'}`,
    );
    const segment = segmentOf(texts);
    const isBitmap = (needle: string) =>
      segment.listsOf(trigramKeys([needle])).map((list) => segment.lists.isBitmap(list));
    assert.deepEqual(isBitmap('abc'), [true]);
    assert.deepEqual(isBitmap('xyz'), [false]);
    assert.ok(segment.lists.bytes < 4 * (16_000 / 8));
  });
});
