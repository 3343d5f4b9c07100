import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BitSet } from '../../../src/table/indexes/bit-set.ts';
import { Inverter } from '../../../src/table/indexes/inverter.ts';
import { CHUNK_BYTES, type PostingLists } from '../../../src/table/indexes/posting-lists.ts';
import { PostingListsWriter } from '../../../src/table/indexes/posting-lists-writer.ts';
import { Random, SEED } from '../support/random.ts';
import { resultOf } from '../support/steps.ts';

/** The number of keys that texts of the test have. */
const KEYS = 60;

/** The keys of each row: some are in nearly every row, and some in hardly any. */
function keysOfRows(random: Random, count: number): number[][] {
  const keys = Array.from({ length: KEYS }, (_, i) => ({
    key: (i * 1093) % 0x10000,
    oneIn: 1 + i * i,
  }));
  return Array.from({ length: count }, () =>
    keys.flatMap(({ key, oneIn }) => (random.chance(oneIn) ? key : [])),
  );
}

/** The lists of an index, and the rows of each key, found without an index. */
function inverted(rows: readonly (readonly number[])[]) {
  const inverter = new Inverter();
  const expected = new Map<number, number[]>();
  for (const [row, keys] of rows.entries()) {
    for (const key of keys) {
      inverter.add(key, row);
      // Once more, as if the text had the term twice.
      inverter.add(key, row);
      expected.set(key, [...(expected.get(key) ?? []), row]);
    }
  }
  return { lists: resultOf(inverter.lists(rows.length)), expected };
}

function rowsIn(lists: PostingLists, list: number): number[] {
  const rows = new Int32Array(lists.count(list));
  assert.equal(lists.decode(list, rows), rows.length);
  return [...rows];
}

describe('posting lists', () => {
  test(`have the rows of each key, and intersect (seed ${SEED})`, () => {
    const random = new Random(SEED);
    let bitmaps = 0;
    for (const count of [1, 2, 7, 60, 300, 3000]) {
      const { lists, expected } = inverted(keysOfRows(random, count));
      const keys = [...expected.keys()].sort((a, b) => a - b);
      assert.deepEqual([...lists.keys], keys);
      for (const [list, key] of keys.entries()) {
        const rows = expected.get(key) ?? [];
        assert.equal(lists.find(key), list);
        assert.deepEqual(rowsIn(lists, list), rows);
        const bits = new BitSet();
        bits.begin(count);
        lists.addTo(bits, list);
        assert.deepEqual(
          [...Array(count).keys()].filter((row) => bits.has(row)),
          rows,
        );
        if (lists.isBitmap(list)) bitmaps++;
      }
      for (let pair = 0; pair < 100 && keys.length > 0; pair++) {
        const [a = 0, b = 0] = [random.pick([0, ...keys]), random.below(keys.length)];
        const rows = new Int32Array(expected.get(a) ?? []);
        const members = new Set(expected.get(keys[b] ?? 0));
        const common = [...rows].filter((row) => members.has(row));
        const length = lists.intersect(rows, rows.length, b);
        assert.deepEqual([...rows.subarray(0, length)], common);
      }
    }
    assert.ok(bitmaps > 10, 'both forms are there');
  });

  test('do not find other keys', () => {
    const { lists } = inverted([[5, 64, 0xffff], [5], []]);
    for (const key of [0, 4, 6, 63, 65, 0xfffe]) assert.equal(lists.find(key), undefined);
    assert.deepEqual(
      [5, 64, 0xffff].map((key) => lists.find(key)),
      [0, 1, 2],
    );
    assert.equal(inverted([[], []]).lists.find(0), undefined, 'there may be none at all');
  });

  test('are bitmaps if that takes at most twice the bytes', () => {
    const rows = Array.from({ length: 16_000 }, (_, row) => [
      ...(row % 15 ? [] : [1]),
      ...(row % 17 ? [] : [2]),
    ]);
    const { lists } = inverted(rows);
    assert.equal(lists.isBitmap(0), true);
    assert.equal(lists.isBitmap(1), false);
    assert.ok(lists.bytes < 4 * (16_000 / 8));
  });

  test('are the same in several chunks of bytes', () => {
    const rowCount = 400_000;
    const writer = new PostingListsWriter(rowCount);
    // Bitmaps of 50,000 bytes, with short lists in between: four chunks, none of them full.
    const expected = Array.from({ length: 160 }, (_, list) => {
      const step = list % 2 === 0 ? 4 + (list % 5) : 5000 + list;
      return Int32Array.from({ length: Math.floor((rowCount - 1) / step) + 1 }, (_, i) => i * step);
    });
    for (const [key, rows] of expected.entries()) writer.append(key, rows, 0, rows.length);
    const lists = writer.lists();
    assert.ok(lists.bytes > 3 * CHUNK_BYTES);
    const decoded = new Int32Array(rowCount);
    for (const [list, rows] of expected.entries()) {
      assert.equal(lists.isBitmap(list), list % 2 === 0);
      assert.equal(lists.decode(list, decoded), rows.length);
      assert.deepEqual(decoded.subarray(0, rows.length), rows);
      assert.equal(lists.intersect(decoded, rows.length, list), rows.length);
    }
  });

  test('forget what they were made of', () => {
    const inverter = new Inverter();
    inverter.add(7, 0);
    resultOf(inverter.lists(1));
    inverter.add(9, 3);
    const lists = resultOf(inverter.lists(4));
    assert.deepEqual([...lists.keys], [9]);
    assert.deepEqual(rowsIn(lists, 0), [3]);
  });
});
