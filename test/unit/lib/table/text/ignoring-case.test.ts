import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold, ignoringCase } from '../../../../../src/lib/table/text/case-folding.ts';
import { compareIgnoringCase, compareText } from '../../../../../src/lib/table/text/code-points.ts';
import { propertyOptions } from '../../../../support/property.ts';

/** Characters whose foldings differ in length, script or case, and their neighbours. */
const CHARACTERS = [...'aBzZ.[]^\\sSikfßẞéÉµİıŉſǰẖẗẚ\u212aﬀﬁﬃﬆσςΣ日𐐀😀'];

describe('a test of texts that ignores case', () => {
  test('finds substrings of folded texts', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 4 }),
    );
    fc.assert(
      fc.property(any, any, any, (text, part, end) => {
        const needle = fold(part);
        const matches = ignoringCase(needle);
        for (const each of [text, `${text}${part}${end}`, `${text}${part.toUpperCase()}`]) {
          assert.equal(matches(each), fold(each).includes(needle), JSON.stringify([each, needle]));
        }
      }),
      propertyOptions(300),
    );
  });

  test('finds every ASCII letter in the folding of every other character', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const tests = letters.map((letter) => [letter, ignoringCase(letter)] as const);
    for (let codePoint = 0x80; codePoint <= 0x1ffff; codePoint++) {
      const text = String.fromCodePoint(codePoint);
      if (!/[a-z]/.test(fold(text))) continue;
      for (const [letter, matches] of tests) {
        assert.equal(matches(text), fold(text).includes(letter), `${letter} in ${text}`);
      }
    }
  });
});

describe('an order of texts that ignores case', () => {
  test('is that of their foldings alone', () => {
    const expected = (a: string, b: string) => Math.sign(compareText(fold(a), fold(b)));
    const ascii = Array.from({ length: 0x80 }, (_, unit) => String.fromCharCode(unit));
    for (const x of ascii) {
      for (const y of ascii) {
        assert.equal(Math.sign(compareIgnoringCase(x, y)), expected(x, y), JSON.stringify([x, y]));
      }
    }
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
