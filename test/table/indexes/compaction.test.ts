import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  indexingPaysOff,
  isMostlyDead,
  isSmall,
  MAX_BATCH,
  MIN_BATCH,
  mergeable,
  needsCompaction,
} from '../../../src/table/indexes/compaction.ts';

const sized = (length: number) => ({ slots: { length } });
const many = (count: number, length: number) => Array.from({ length: count }, () => sized(length));

describe('indexing pays off', () => {
  test('once searches have scanned as much as it costs, and not before', () => {
    assert.equal(indexingPaysOff(512 + 16 * 100 - 1, 100), false);
    assert.equal(indexingPaysOff(512 + 16 * 100, 100), true);
    assert.equal(indexingPaysOff(511, 0), false);
  });
});

describe('segments are merged', () => {
  test('when four are of about the same size', () => {
    assert.equal(mergeable(many(3, MIN_BATCH)), undefined);
    assert.equal(mergeable([...many(3, MIN_BATCH), sized(MAX_BATCH)]), undefined);
    const small = many(4, MIN_BATCH);
    assert.deepEqual(mergeable([sized(MAX_BATCH), ...small]), small);
    const middle = [...many(2, 130), ...many(2, 500)];
    assert.deepEqual(mergeable(middle), middle, 'sizes between 128 and 512 are about the same');
  });

  test('smaller ones with the smallest', () => {
    const tiny = [...many(2, 1), ...many(2, MIN_BATCH)];
    assert.deepEqual(mergeable(tiny), tiny);
  });

  test('batches of the greatest size as well', () => {
    assert.equal(mergeable(many(3, MAX_BATCH)), undefined);
    assert.deepEqual(mergeable(many(4, MAX_BATCH)), many(4, MAX_BATCH));
  });

  test('but not the largest', () => {
    assert.equal(mergeable(many(100, 16 * MAX_BATCH)), undefined);
    assert.equal(mergeable(many(100, 8 * MAX_BATCH)), undefined);
  });
});

describe('dead entries are dropped', () => {
  test('in a small index when entries exceed the rows by a quarter and a constant', () => {
    const rows = 1000;
    const limit = 1.25 * rows + MIN_BATCH;
    assert.equal(needsCompaction({ entries: limit, rows }), false);
    assert.equal(needsCompaction({ entries: limit + 1, rows }), true);
  });

  test('in a large one when they exceed two per row and a batch', () => {
    const rows = 100_000;
    const limit = 2 * rows + MAX_BATCH;
    assert.equal(needsCompaction({ entries: limit, rows }), false);
    assert.equal(needsCompaction({ entries: limit + 1, rows }), true);
  });

  test('sooner when few rows are left, and always when none is', () => {
    assert.equal(needsCompaction({ entries: 22, rows: 10 }), false);
    assert.equal(needsCompaction({ entries: 23, rows: 10 }), true);
    assert.equal(needsCompaction({ entries: 3 * 8_000 + 1, rows: 8_000 }), true);
    assert.equal(needsCompaction({ entries: 1, rows: 0 }), true);
    assert.equal(needsCompaction({ entries: 0, rows: 0 }), false);
  });

  test('of all segments at once while these are small together', () => {
    assert.equal(isSmall({ entries: MAX_BATCH, rows: 0 }), true);
    assert.equal(isSmall({ entries: MAX_BATCH + 1, rows: 0 }), false);
  });

  test('otherwise of segments that are less than half alive', () => {
    assert.equal(isMostlyDead(sized(100), 49), true);
    assert.equal(isMostlyDead(sized(100), 50), false);
    assert.equal(isMostlyDead(sized(0), 0), false);
  });
});
