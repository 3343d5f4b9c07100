import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValueBitmaps } from '../../../../src/lib/table/pages/value-bitmaps.ts';
import { comparatorOf } from '../../../../src/lib/table/schema/kinds.ts';

const WORDS = 4;

function bitmapsOf(values: readonly (number | null)[]) {
  const bitmaps = new ValueBitmaps({ column: 'state', compare: comparatorOf('integer') }, WORDS);
  const growth = values.map((value, at) => bitmaps.set(at, value));
  return { bitmaps, growth };
}

/** The positions that are left of all. */
function narrowed(bitmaps: ValueBitmaps, fits: (value: unknown) => boolean) {
  const every = new Int32Array(WORDS).fill(-1);
  const mask = new Int32Array(WORDS);
  const isExact = bitmaps.narrow(every, mask, fits);
  const positions = Array.from({ length: WORDS * 32 }, (_, at) => at);
  return { isExact, left: positions.filter((at) => ((mask[at >> 5] ?? 0) >> (at & 31)) & 1) };
}

describe('bitmaps of values', () => {
  it('have the values in order, null first', () => {
    const { bitmaps } = bitmapsOf([7, null, 3, 7]);
    assert.deepEqual(bitmaps.values, [null, 3, 7]);
    assert.deepEqual([bitmaps.nulls, bitmaps.least, bitmaps.greatest], [1, 3, 7]);
    const { bitmaps: empty } = bitmapsOf([]);
    assert.deepEqual([empty.nulls, empty.least, empty.greatest], [0, null, null]);
  });

  it('find the positions of values that fit, and of the last value alone', () => {
    const { bitmaps } = bitmapsOf([7, null, 3, 7]);
    assert.deepEqual(narrowed(bitmaps, (value) => value === 7).left, [0, 3]);
    assert.deepEqual(narrowed(bitmaps, (value) => value !== 7).left, [1, 2]);
    bitmaps.set(0, 3);
    assert.deepEqual(narrowed(bitmaps, (value) => value === 7).left, [3]);
    assert.deepEqual(narrowed(bitmaps, (value) => value === 3).left, [0, 2]);
    assert.deepEqual(
      narrowed(bitmaps, () => false),
      { isExact: true, left: [] },
    );
  });

  it('say by how many bytes they grow', () => {
    const { bitmaps, growth } = bitmapsOf([7, null, 7]);
    const { bytesPerValue } = bitmaps;
    assert.ok(bytesPerValue >= WORDS * 4 && bytesPerValue < WORDS * 4 + 250);
    assert.deepEqual(growth, [bytesPerValue, bytesPerValue, 0]);
    assert.equal(bitmaps.bytes - bitmapsOf([]).bitmaps.bytes, 2 * bytesPerValue);
  });

  it('are given up, with their memory, when there are more than 64 values', () => {
    const values = Array.from({ length: 64 }, (_, i) => i);
    assert.ok(bitmapsOf(values).bitmaps.isExact);
    const { bitmaps, growth } = bitmapsOf([...values, 64]);
    assert.ok(!bitmaps.isExact);
    assert.equal(bitmaps.bytes, bitmapsOf([]).bitmaps.bytes);
    assert.equal(growth.at(-1), -64 * bitmaps.bytesPerValue);
    assert.equal(bitmaps.set(0, 65), 0);
    assert.ok(!narrowed(bitmaps, () => false).isExact);
    assert.ok(!bitmaps.copy(2 * WORDS).isExact);
  });
});
