import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatValue, quoted } from '../../../src/lib/printable.ts';

describe('a quoted string', () => {
  it('is quoted as in JSON, with control characters escaped', () => {
    assert.equal(quoted('a "b"\n'), '"a \\"b\\"\\n"');
    assert.equal(quoted('\x9b\u2028'), '"\\u009b\\u2028"');
    assert.equal(quoted(''), '""');
  });

  it('is cut after a hundred UTF-16 units, but never within a character', () => {
    const whole = 'x'.repeat(100);
    assert.equal(quoted(whole), `"${whole}"`);
    assert.equal(quoted(`${whole}x`), `"${whole}…"`);
    assert.equal(quoted(`${'x'.repeat(98)}😀x`), `"${'x'.repeat(98)}😀…"`);
    assert.equal(quoted(`${'x'.repeat(99)}😀x`), `"${'x'.repeat(99)}…"`);
  });
});

it('a value of a type that has no JSON is named by its type', () => {
  const values = [new Map(), {}, [], () => {}, null, 1n];
  assert.deepEqual(values.map(formatValue), [
    ...['an iterable object', 'an object', 'an array', 'a function', 'null', '1'],
  ]);
});
