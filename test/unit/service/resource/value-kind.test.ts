import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VALUE_KINDS } from '../../../../src/service/resource/value-kind.ts';

describe('a date-time in JSON', () => {
  const { fromJson } = VALUE_KINDS.timestamp;

  it('may be short: what it leaves out is zero, and digits beyond three are dropped', () => {
    for (const [text, moment] of [
      ['2026-11-21', '2026-11-21T00:00:00.000'],
      ['2026-11-21T09:30', '2026-11-21T09:30:00.000'],
      ['2026-11-21T09:30:01', '2026-11-21T09:30:01.000'],
      ['2026-11-21T09:30:01.2', '2026-11-21T09:30:01.200'],
      ['2026-11-21T09:30:01.234', '2026-11-21T09:30:01.234'],
      ['2026-11-21T09:30:01.234999999', '2026-11-21T09:30:01.234'],
      ['2026-11-21T09:30:01.2340001234567', '2026-11-21T09:30:01.234'],
      ['2024-02-29', '2024-02-29T00:00:00.000'],
      ['9999-12-31', '9999-12-31T00:00:00.000'],
      ['0000-01-01', '0000-01-01T00:00:00.000'],
    ] as const) {
      assert.equal(fromJson(text), moment, text);
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
      assert.equal(fromJson(text), undefined, text);
    }
  });

  it('is the JSON of an object of a program', () => {
    const local = '2026-11-21T09:30:01.234';
    assert.equal(fromJson(new Date(local)), local);
    assert.equal(fromJson({ toJSON: () => '2026-11-21T09:30' }), '2026-11-21T09:30:00.000');
    for (const value of [new Date(Number.NaN), { toJSON: 1 }, { toJSON: () => 5 }, {}, 5, null]) {
      assert.equal(fromJson(value), undefined);
    }
  });
});

describe('an integer of 64 bits', () => {
  const { fromText, fromJson } = VALUE_KINDS.bigint;

  it('is a number while it is safe, else a bigint, in a URI and in JSON', () => {
    for (const [text, integer] of [
      ...[['-0', 0] as const, ['5', 5] as const, ['-123456789012345', -123456789012345] as const],
      ['9007199254740991', 2 ** 53 - 1],
      ['9007199254740992', 2n ** 53n],
      ['9007199254740993', 2n ** 53n + 1n],
      ['-9007199254740992', -(2n ** 53n)],
      ['9223372036854775807', 2n ** 63n - 1n],
    ] as const) {
      assert.equal(fromText(text), integer);
      assert.equal(fromJson(BigInt(text)), integer);
      assert.equal(fromJson(integer), integer);
    }
    assert.equal(fromText('9223372036854775808'), undefined);
    for (const rounded of [2 ** 53, 1.5]) assert.equal(fromJson(rounded), undefined);
    for (const large of [1e300, -1e20]) assert.equal(fromJson(large), BigInt(large));
    assert.equal(fromJson(Number.POSITIVE_INFINITY), undefined);
  });
});
