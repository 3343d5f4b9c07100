import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quoted } from '../../../../src/lib/http/core/problem.ts';

describe('what a client sent, in a sentence', () => {
  it('is quoted as in JSON', () => {
    assert.equal(quoted('a "b"\n'), '"a \\"b\\"\\n"');
    assert.equal(quoted(''), '""');
  });

  it('is cut after a hundred characters, never within one', () => {
    const whole = 'x'.repeat(100);
    assert.equal(quoted(whole), `"${whole}"`);
    assert.equal(quoted(`${whole}x`), `"${whole}…"`);
    assert.equal(quoted(`${'x'.repeat(98)}😀x`), `"${'x'.repeat(98)}😀…"`);
    assert.equal(quoted(`${'x'.repeat(99)}😀x`), `"${'x'.repeat(99)}…"`);
  });
});
