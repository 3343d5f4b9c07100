import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  fold,
  foldsToAscii,
  ignoringCase,
} from '../../../../../src/lib/table/text/case-folding.ts';
import { compareIgnoringCase, compareText } from '../../../../../src/lib/table/text/code-points.ts';
import { propertyOptions } from '../../../../support/property.ts';

/** More texts than a test takes before it compiles a pattern. */
const MANY = 1_001;

/** A test that has compiled its pattern, if it ever does. */
function used(needle: string) {
  const matches = ignoringCase(needle);
  for (let i = 0; i < MANY; i++) matches('');
  return matches;
}

/** Characters whose foldings differ in length, script or case, and their neighbours. */
const CHARACTERS = [
  ...['a', 'B', 'z', 'Z', '.', '[', 's', 'S', 'i', 'k', 'f', 'ß', 'ẞ', 'é', 'É', 'µ', 'İ', 'ı'],
  ...['ŉ', 'ſ', 'ǰ', 'ẖ', 'ẗ', 'ẚ', '\u212a', 'ﬀ', 'ﬁ', 'ﬃ', 'ﬆ', 'σ', 'ς', 'Σ', '日', '𐐀', '😀'],
] as const;

describe('a test of texts that ignores case', () => {
  test('finds substrings of folded texts, at first and after many texts', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 4 }),
    );
    fc.assert(
      fc.property(any, any, any, (text, part, end) => {
        const needle = fold(part);
        for (const matches of [ignoringCase(needle), used(needle)]) {
          for (const each of [text, `${text}${part}${end}`, `${text}${part.toUpperCase()}`]) {
            const expected = fold(each).includes(needle);
            assert.equal(matches(each), expected, JSON.stringify([each, needle]));
            assert.equal(matches(each, foldsToAscii(each)), expected);
          }
        }
      }),
      propertyOptions(300),
    );
  });

  test('recognises the texts that fold to new ASCII letters', () => {
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      const letter = String.fromCodePoint(codePoint);
      const hasAscii = /[\0-\x7f]/.test(fold(letter));
      if (foldsToAscii(letter) !== hasAscii) assert.equal(foldsToAscii(letter), hasAscii, letter);
    }
    assert.ok(!foldsToAscii('Plain text, 日本, É'));
  });

  test('takes every character as itself', () => {
    const special = '\\^$.*+?()[]{}|/-\n\0"x1';
    for (const matches of [ignoringCase(special), used(special)]) {
      assert(matches(`a${special.toUpperCase()}b`));
      assert(!matches('a'));
    }
  });

  test('finds long needles', () => {
    const needle = 'abcdefgh'.repeat(20);
    for (const matches of [ignoringCase(needle), used(needle)]) {
      assert(matches(`x${needle.toUpperCase()}`));
      assert(!matches(needle.slice(1)));
    }
  });
});

describe('an order of texts that ignores case', () => {
  test('is that of their foldings alone', () => {
    const expected = (a: string, b: string) => Math.sign(compareText(fold(a), fold(b)));
    const unit = fc.constantFrom(...CHARACTERS);
    const text = fc.string({ unit, maxLength: 5 });
    const start = fc.tuple(fc.string({ unit, maxLength: 3 }), fc.constantFrom(0, 1, 7, 40, 300));
    fc.assert(
      fc.property(start, text, text, ([repeated, count], a, b) => {
        const x = repeated.repeat(count) + a;
        for (const y of [repeated.repeat(count) + b, fold(x), fold(x) + b, x.toUpperCase()]) {
          const what = JSON.stringify([x, y]);
          assert.equal(Math.sign(compareIgnoringCase(x, y)), expected(x, y), what);
          assert.equal(Math.sign(compareIgnoringCase(y, x)), expected(y, x), what);
        }
      }),
      propertyOptions(500),
    );
  });
});
