import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idParser } from '../../src/resource/identifier.ts';
import { variantA } from '../../src/todo/variant-a.ts';
import { variantB } from '../../src/todo/variant-b.ts';

const INT32 = idParser(variantA.fields.id);
const INT64 = idParser(variantB.fields.id);

describe('an id in a path', () => {
  it('is an integer of the range of its kind', () => {
    for (const [text, id] of [
      ['0', 0],
      ['1', 1],
      ['-1', -1],
      ['999999999', 999_999_999],
      ['2147483647', 2147483647],
      ['-2147483648', -2147483648],
      ['2147483648', undefined],
      ['-2147483649', undefined],
    ] as const) {
      assert.equal(INT32(text), id, text);
    }
    for (const [text, id] of [
      ['1', 1n],
      ['9007199254740993', 9007199254740993n],
      ['9223372036854775807', 9223372036854775807n],
      ['-9223372036854775808', -9223372036854775808n],
      ['9223372036854775808', undefined],
      ['-9223372036854775809', undefined],
    ] as const) {
      assert.equal(INT64(text), id, text);
    }
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      '-',
      '+1',
      '01',
      '-01',
      '00',
      '1.0',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '1\n',
      '١',
      '%31',
      '1'.repeat(400),
    ]) {
      assert.equal(INT32(text), undefined, text);
      assert.equal(INT64(text), undefined, text);
    }
  });
});
