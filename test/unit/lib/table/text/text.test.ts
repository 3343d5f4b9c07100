import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareText } from '../../../../../src/lib/table/text/code-points.ts';

test('text sorts by its UTF-8 bytes', () => {
  const texts = ['', 'ab', ...'abé日\ud7ff\ue000\uffff\u{10000}😀😁\u{10ffff}'];
  for (const a of texts) {
    for (const b of texts) {
      const expected = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.equal(Math.sign(compareText(a, b)), expected, `${a} and ${b}`);
    }
  }
});
