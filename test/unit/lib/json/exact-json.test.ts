import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exactValueOf, numberIn } from '../../../../src/lib/json/exact-json.ts';
import { exactJsonText, mayBeRounded } from '../../../../src/lib/json/json-object.ts';
import { integerIn } from '../../../../src/lib/table/index.ts';
import { propertyOptions } from '../../../support/property.ts';

describe('an exactly parsed number', () => {
  for (const [text, value] of [
    ['0', 0],
    ['0.000', 0],
    ['0e400', 0],
    ['3.0', 3],
    ['30e-1', 3],
    ['-1.25E+2', -125],
    ['1.5', 1.5],
    ['125e-2', 1.25],
    ['9007199254740991.0', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-12345678901234567890', -12345678901234567890n],
    ['1e20', 10n ** 20n],
    ['1e308', 10n ** 308n],
    ['2.9999999999999996', 2.9999999999999996],
    ['1e400', Number.POSITIVE_INFINITY],
  ] as const) {
    it(`${text}: ${value}`, () => {
      assert.equal(exactValueOf(text), value);
      assert.equal(numberIn(exactValueOf(text)), Number(text));
    });
  }

  for (const text of [
    ...['2.9999999999999999', '0.99999999999999999', '-1.00000000000000001', '1e-400'],
    ...['4503599627370496.2', '4503599627370497.3', '-9007199254740990.7', '9007199254740993.5'],
  ]) {
    it(`${text} is no integer, though the nearest double is one`, () => {
      const value = exactValueOf(text);
      assert.equal(typeof value, 'object');
      assert.equal(integerIn(value), undefined);
      assert.equal(numberIn(value), Number(text));
      assert.equal(exactJsonText({ value }), `{"value":${JSON.stringify(Number(text))}}`);
    });
  }

  it('is exact, whatever form an integer is written in', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(digits, fc.nat(5), (integer, zeros) => {
        for (const text of [
          String(integer),
          `${integer}.${'0'.repeat(zeros + 1)}`,
          `${integer}${'0'.repeat(zeros)}e-${zeros}`,
        ]) {
          const parsed = exactValueOf(text);
          assert(typeof parsed === 'number' || typeof parsed === 'bigint', text);
          assert.equal(BigInt(parsed), integer, text);
        }
      }),
      propertyOptions(125),
    );
  });
});

describe('exactly parsed JSON', () => {
  it('is otherwise the same as that of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(2), (text, space) => {
        const value: unknown = JSON.parse(text);
        const spaced = JSON.stringify(value, undefined, space);
        const rounded = (_: string, each: unknown) =>
          typeof each === 'bigint' ? Number(each) : each;
        const exact = JSON.stringify(exactValueOf(`\n${spaced} `), rounded);
        assert.equal(exact, JSON.stringify(value));
      }),
      propertyOptions(250),
    );
  });

  it('may have strings with many escapes', () => {
    const text = JSON.stringify('\n'.repeat(500_000));
    assert.equal(exactValueOf(text), '\n'.repeat(500_000));
  });

  it('has the last of repeated members, whose paths are reported', () => {
    const paths: unknown[] = [];
    const text = '{"a":1,"b":[{"c":1,"\\u0063":2}],"a":3}';
    const value = exactValueOf(text, (path) => paths.push(path));
    assert.deepEqual(value, { a: 3, b: [{ c: 2 }] });
    assert.deepEqual(paths, [['b', 0, 'c'], ['a']]);
  });

  it('is needed for a number with a fraction, an exponent or many digits', () => {
    for (const number of ['3.0', '1e2', '-1E-400', '1000000000000000', '-9007199254740993']) {
      for (const text of [number, ` { "a" : ${number}}`, `[1 ,\n${number}]`]) {
        assert(mayBeRounded(text), text);
      }
    }
    const exact = '{"id":123456789012345,"createdAt":"2026-11-20T09:30:00.123","at":"1e3 : 2.5"}';
    assert(!mayBeRounded(exact));
  });
});
