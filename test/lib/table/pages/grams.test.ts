import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gramsOf, searchedParts } from '../../../../src/lib/table/pages/grams.ts';

describe('what is looked up of the texts of a condition', () => {
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
    assert.equal(gramsOf(['abcd', 'bcde']).threes.length, 3);
    assert.equal(gramsOf(['abcd', 'bcde']).all.length, 5);
  });
});
