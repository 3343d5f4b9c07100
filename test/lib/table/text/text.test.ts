import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codePointLength, compareText } from '../../../../src/lib/table/text/code-points.ts';
import { isLikePattern, LikePattern, literalsOf } from '../../../../src/lib/table/text/like.ts';
import { Random, SEED } from '../support/random.ts';
import { isLike } from '../support/reference.ts';

const CHARACTERS = ['a', 'a', 'a', 'b', 'é', '😀', '\ud800'] as const;

describe('like', () => {
  for (const [pattern, matching, others] of [
    ['', [''], ['a']],
    ['%', ['', 'a', '\n'], []],
    ['a%', ['a', 'abc'], ['', 'ba', 'A']],
    ['%a', ['a', 'ba', 'aa'], ['ab']],
    ['_', ['a', '😀', '日'], ['', 'ab', 'e\u0301']],
    ['_a', ['😀a', 'ba'], ['a', '😀', 'a😀']],
    ['%_a', ['😀a', '😀😀a'], ['a', 'a😀']],
    ['_%_', ['ab', '😀😀', 'abc'], ['a', '😀']],
    ['%ab%ab', ['abab', 'xabyab'], ['ab', 'ababx']],
    ['a\\%', ['a%'], ['ab', 'a\\%']],
    ['\\_\\\\\\x', ['_\\x'], ['a\\x']],
    ['(.*)[a]+$', ['(.*)[a]+$'], ['a']],
  ] as const) {
    test(JSON.stringify(pattern), () => {
      const like = new LikePattern(pattern);
      for (const text of matching) assert.ok(like.matches(text), `matches ${JSON.stringify(text)}`);
      for (const text of others) assert.ok(!like.matches(text), `not ${JSON.stringify(text)}`);
    });
  }

  test('extracts what a text must contain', () => {
    assert.deepEqual([...literalsOf('%abc_d\\%e%')], ['abc', 'd%e']);
  });

  test('knows a lone backslash at the end, whatever precedes it', () => {
    const backslashes = '\\'.repeat(100_000);
    for (const [pattern, expected] of [
      ['', true],
      ['\\', false],
      [backslashes, true],
      [`${backslashes}\\`, false],
      [`${backslashes}a`, true],
    ] as const) {
      assert.equal(isLikePattern(pattern), expected);
    }
  });

  test(`matches as an expression does, also if it is long (seed ${SEED})`, () => {
    const random = new Random(SEED);
    for (let i = 0; i < 500; i++) {
      const text = Array.from({ length: random.below(150) }, () => random.pick(CHARACTERS));
      const parts = text.map((each): string => (random.chance(8) ? '_' : each));
      for (let gap = 0; gap < 3; gap++) parts.splice(random.below(150), random.below(9), '%');
      if (random.chance(2)) parts.splice(random.below(150), 1, random.pick(CHARACTERS));
      const pattern = parts.join('');
      const expected = isLike(text.join(''), pattern);
      assert.equal(
        new LikePattern(pattern).matches(text.join('')),
        expected,
        JSON.stringify(parts),
      );
    }
  });

  test('matches more code points than it keeps bitmaps of', () => {
    const text = Array.from({ length: 600 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
    for (const pattern of [text, `%${text}`, `${text.slice(0, 300)}%${text.slice(310)}`]) {
      const like = new LikePattern(pattern);
      assert.ok(like.matches(text));
      assert.ok(!like.matches(text.replace('一', '二')));
      assert.ok(!like.matches(text.slice(0, -1)));
    }
  });

  test('takes the same time for any pattern of a length', () => {
    // With backtracking these would not end.
    assert.ok(!new LikePattern(`${'%a'.repeat(50)}%b`).matches('a'.repeat(20_000)));
    assert.ok(!new LikePattern(`%${'a_'.repeat(2_000)}b`).matches('a'.repeat(20_000)));
  });
});

test('text sorts by its UTF-8 bytes', () => {
  const texts = [
    '',
    'a',
    'ab',
    'b',
    'é',
    '日',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '😀',
    '😁',
    '\u{10ffff}',
  ];
  for (const a of texts) {
    for (const b of texts) {
      const expected = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.equal(Math.sign(compareText(a, b)), expected, `${a} and ${b}`);
    }
  }
});

test('length is measured in code points', () => {
  for (const text of ['', 'abc', '😀', 'a😀b😁', '日本']) {
    assert.equal(codePointLength(text), [...text].length);
  }
});
