import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { byteString, concatBytes } from '../../../../src/lib/json/byte-string.ts';
import { propertyOptions } from '../../../support/property.ts';

describe('a byte string', () => {
  const text = fc.string({ unit: 'binary' });

  it('has one character per UTF-8 byte of its text', () => {
    fc.assert(
      fc.property(text, (each) => {
        assert.deepEqual(Buffer.from(byteString(each), 'latin1'), Buffer.from(each));
      }),
      propertyOptions(300),
    );
  });

  it('concatenates like text if no character is split', () => {
    const whole = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(whole, whole, (a, b) => {
        assert.equal(concatBytes(byteString(a), byteString(b)), byteString(a + b));
      }),
      propertyOptions(300),
    );
  });
});
