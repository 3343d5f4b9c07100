import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gramsOf, searchedPart } from '../../../../../src/lib/table/texts/grams.ts';

describe('the part of a search text that is looked up', () => {
  it('is folded, and has three units or more', () => {
    assert.deepEqual(['Straße', 'ab', 'ABC'].map(searchedPart), ['strasse', undefined, 'abc']);
  });

  it('is 48 units at most', () => {
    const part = searchedPart('abcdefghij'.repeat(100));
    assert.equal(part?.length, 48);
  });

  it('has every gram of three and of four units', () => {
    assert.equal(new Set(gramsOf('abcdefghij')).size, 8 + 7);
    assert.equal(gramsOf('abc').length, 1);
  });
});
