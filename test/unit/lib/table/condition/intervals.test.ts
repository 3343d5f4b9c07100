import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startingWith } from '../../../../../src/lib/table/condition/intervals.ts';
import { compareText } from '../../../../../src/lib/table/text/code-points.ts';

describe('the interval of a prefix', () => {
  const texts = ['', 'a', 'ab', 'a\u{10ffff}', 'a\u{10ffff}b', 'b', '\ud7ff', '\ud7ff1', '\ue000'];
  texts.push('\uffff', '\u{10000}', '😀', '😀1', '😁', '\u{10ffff}', '\u{10ffff}\u{10ffff}');

  for (const prefix of texts) {
    it(`${JSON.stringify(prefix)} has exactly the texts that start with it`, () => {
      const { from, to } = startingWith(prefix);
      const within = texts.filter(
        (text) =>
          compareText(text, String(from.value)) >= 0 &&
          (!to || compareText(text, String(to.value)) < 0),
      );
      assert.deepEqual(
        within,
        texts.filter((text) => text.startsWith(prefix)),
      );
      assert.ok(!to || String(to.value).isWellFormed());
    });
  }

  it('may be as long as texts get', () => {
    const prefix = 'x'.repeat(300_000);
    assert.equal(startingWith(`${prefix}a`).to?.value, `${prefix}b`);
  });
});
