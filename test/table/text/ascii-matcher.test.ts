import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { asciiMatcher, fold } from '../../../src/table/text/case-folding.ts';
import { propertyOptions } from '../../support/property.ts';

/** More texts than a matcher takes before it compiles a pattern. */
const MANY = 1_001;

/** A matcher that has compiled its pattern, if it ever does. */
function used(needle: string): (text: string) => boolean {
  const matches = asciiMatcher(needle);
  for (let i = 0; i < MANY; i++) matches('');
  return matches;
}

describe('an ASCII matcher', () => {
  test('finds what folded texts contain, at first and after many texts', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 12 });
    const letters = fc.string({
      unit: fc.constantFrom('a', 'B', 'z', 'Z', '.', '['),
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.oneof(ascii, letters), fc.oneof(ascii, letters), (text, part) => {
        const needle = fold(part);
        for (const matches of [asciiMatcher(needle), used(needle)]) {
          assert.equal(matches(text), fold(text).includes(needle));
          assert.equal(matches(`${text}${part.toUpperCase()}`), true);
        }
      }),
      propertyOptions(200),
    );
  });

  test('takes every character as itself', () => {
    const special = '\\^$.*+?()[]{}|/-\n\0"x1';
    for (const matches of [asciiMatcher(special), used(special)]) {
      assert(matches(`a${special.toUpperCase()}b`));
      assert(!matches('a'));
    }
  });

  test('finds long needles', () => {
    const needle = 'abcdefgh'.repeat(20);
    for (const matches of [asciiMatcher(needle), used(needle)]) {
      assert(matches(`x${needle.toUpperCase()}`));
      assert(!matches(needle.slice(1)));
    }
  });

  test('finds nothing that is not ASCII', () => {
    for (const matches of [asciiMatcher('ü'), used('ü')]) assert(!matches('u'));
  });
});
