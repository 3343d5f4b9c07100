import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isBlank, NOT_BLANK_PATTERN } from '../../../../src/service/resource/value-kind.ts';

/** The 25 characters with the property White_Space (Unicode, PropList.txt). */
const WHITE_SPACE =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

describe('a blank text', () => {
  it('is empty or all Unicode white space', () => {
    assert(isBlank(''));
    assert(isBlank(WHITE_SPACE));
    for (const character of WHITE_SPACE)
      assert(isBlank(character), character.codePointAt(0)?.toString(16));
  });

  it('contains no other character, however invisible', () => {
    for (const character of ['\u200b', '\ufeff', '\u0000', '\u180e', '\u2060', 'x']) {
      assert(!isBlank(` ${character} `), character.codePointAt(0)?.toString(16));
    }
  });
});

describe('the pattern of a text that is not blank', () => {
  /** Regular expressions may work on code points or not, and may be anchored or not. */
  const engines = ['', 'u', 'v'].flatMap((flags) => [
    new RegExp(NOT_BLANK_PATTERN, flags),
    new RegExp(`^(?:${NOT_BLANK_PATTERN})$`, flags),
  ]);

  it('is correct for the code points of the basic plane, and some of each other', () => {
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x10000 ? 1 : 97) {
      const character = String.fromCodePoint(codePoint);
      const isWhiteSpace = /^\p{White_Space}$/u.test(character);
      for (const engine of engines) {
        if (engine.test(character) === isWhiteSpace) assert.fail(codePoint.toString(16));
      }
    }
  });

  it('finds one such character among others', () => {
    for (const engine of engines) {
      assert(engine.test(`${WHITE_SPACE}x${WHITE_SPACE}`));
      assert(engine.test('x\n'));
      assert(!engine.test(WHITE_SPACE));
      assert(!engine.test(''));
    }
  });

  it('uses no syntax that engines interpret differently', () => {
    assert.doesNotMatch(NOT_BLANK_PATTERN, /\\[pPhvRX]|\(\?|\\u\{/);
  });
});
