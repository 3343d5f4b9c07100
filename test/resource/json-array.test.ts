import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteString } from '../../src/http/byte-string.ts';
import type { FieldValues } from '../../src/resource/field.ts';
import { jsonArray } from '../../src/resource/json-array.ts';

/** Gives the batches one by one. */
function stepsOf(batches: readonly FieldValues[][]): { step(): FieldValues[] | undefined } {
  const rest = [...batches];
  return { step: () => rest.shift() };
}

const write = (row: FieldValues) => byteString(JSON.stringify(row));
/** All slices of a list; one where it comes whole. */
function slicesOf(batches: readonly FieldValues[][]): string[] {
  const body = jsonArray(stepsOf(batches), write);
  return typeof body === 'string' ? [body] : [...body];
}

describe('the slices of a list', () => {
  it('are one where it is short', () => {
    assert.deepEqual(slicesOf([[{ n: 1 }], [{ n: 2 }]]), ['[{"n":1},{"n":2}]']);
  });

  it('are one JSON array together', () => {
    const rows = Array.from({ length: 15_000 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    const slices = slicesOf([
      [],
      rows.slice(0, 1),
      [],
      rows.slice(1, 4_000),
      rows.slice(4_000),
      [],
    ]);
    assert(slices.length > 1);
    assert.deepEqual(JSON.parse(slices.join('')), rows);
  });

  it('are an empty array when there are no rows', () => {
    assert.deepEqual(slicesOf([]), ['[]']);
    assert.deepEqual(slicesOf([[], []]), ['[]']);
  });

  it('are cut when a long search finds nothing, so that others get a turn', () => {
    const slices = slicesOf(Array.from({ length: 1_000 }, () => []));
    assert(slices.length > 10);
    assert.equal(slices.join(''), '[]');
  });

  it('are cut inside a long batch', () => {
    const slices = slicesOf([Array.from({ length: 10_000 }, () => ({ text: 'x'.repeat(100) }))]);
    assert(slices.length > 5);
    assert(Math.max(...slices.slice(1).map(({ length }) => length)) < 70_000);
  });
});
