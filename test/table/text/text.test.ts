import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codePointLength, compareText } from '../../../src/table/text/code-points.ts';
import { likePattern } from '../../../src/table/text/like-pattern.ts';

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
      const { matches } = likePattern(pattern);
      for (const text of matching) assert.ok(matches(text), `matches ${JSON.stringify(text)}`);
      for (const text of others) assert.ok(!matches(text), `not ${JSON.stringify(text)}`);
    });
  }

  test('extracts what a text must contain', () => {
    assert.deepEqual(likePattern('%abc_d\\%e%').literals, ['abc', 'd%e']);
  });

  test('takes at most time proportional to the product of the lengths', { timeout: 2000 }, () => {
    assert.ok(!likePattern(`${'%a'.repeat(50)}%b`).matches('a'.repeat(20_000)));
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
