import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VALUE_KINDS } from '../../../../src/service/resource/value-kind.ts';

const INT32 = VALUE_KINDS.integer.fromText;
const INT64 = VALUE_KINDS.bigint.fromText;

describe('an integer in a URI', () => {
  it('is an integer in the range of its kind', () => {
    for (const [text, id] of [
      ['0', 0],
      ['1', 1],
      ['-1', -1],
      ['-0', 0],
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

  it('rejects anything else', () => {
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

describe('a date-time in a URI', () => {
  const { fromText } = VALUE_KINDS.timestamp;

  it('may be short, which means the whole day, minute or second', () => {
    for (const [text, first, last = first] of [
      ['2026-11-21', '2026-11-21T00:00:00.000', '2026-11-21T23:59:59.999'],
      ['2026-11-21T09:30', '2026-11-21T09:30:00.000', '2026-11-21T09:30:59.999'],
      ['2026-11-21T09:30:01', '2026-11-21T09:30:01.000', '2026-11-21T09:30:01.999'],
      ['2026-11-21T09:30:01.2', '2026-11-21T09:30:01.200'],
      ['2026-11-21T09:30:01.234', '2026-11-21T09:30:01.234'],
      ['2026-11-21T09:30:01.234999999', '2026-11-21T09:30:01.234'],
      ['2026-11-21T09:30:01.2340001234567', '2026-11-21T09:30:01.234'],
      ['2024-02-29', '2024-02-29T00:00:00.000', '2024-02-29T23:59:59.999'],
      ['9999-12-31', '9999-12-31T00:00:00.000', '9999-12-31T23:59:59.999'],
      ['0000-01-01', '0000-01-01T00:00:00.000', '0000-01-01T23:59:59.999'],
    ] as const) {
      assert.deepEqual(fromText(text), { first, last }, text);
    }
  });

  it('is in no other form, and is an existing day', () => {
    for (const text of [
      ...['', '2026', '2026-11', '2026-11-21T', '2026-11-21T09', '2026-11-21T09:30:01.'],
      ...['2026-11-21 09:30', '2026-11-21T09:30z', '2026-11-21t09:30Z', '2026-1-1'],
      ...['2026-11-21T09:30+0100', '2026-11-21T09:30+01', '2026-11-21Z', '2026-11-21+01:00'],
      ...['2026-11-21T09:30+24:00', '2026-11-21T09:30-00:60', '2026-11-21T09:30:01.x'],
      ...['9999-12-31T23:59-14:00', '0000-01-01T00:00+14:00', '2026-11-21T09:30:01,5'],
      ...['2026-02-29', '2026-13-01', '2026-11-21T24:00', '+2026-11-21', '2026-11-21\n'],
    ]) {
      assert.equal(fromText(text), undefined, text);
    }
  });
});

describe('a JSON value', () => {
  it('must have the type of its kind', () => {
    for (const [kind, good, bad] of [
      ['integer', [0, -1, 3e9], ['1', 1.5, Number.NaN, true, null, [], {}]],
      ['boolean', [true, false], ['true', 0, null]],
      ['text', ['', 'x'], [1, null, ['x']]],
    ] as const) {
      for (const value of good) assert.equal(VALUE_KINDS[kind].fromJson(value), value);
      for (const value of bad) assert.equal(VALUE_KINDS[kind].fromJson(value), undefined);
    }
    const { fromJson } = VALUE_KINDS.bigint;
    assert.equal(fromJson(7), 7n);
    assert.equal(fromJson(2n ** 63n - 1n), 2n ** 63n - 1n);
  });
});
