import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exactInteger, integerOf } from '../../../../src/lib/json/integer.ts';
import { numberSources } from '../../../../src/lib/json/number-sources.ts';
import { propertyOptions } from '../../../support/property.ts';

describe('the exact integer of a JSON number', () => {
  for (const [text, value] of [
    ['0', 0n],
    ['-0', 0n],
    ['0.000', 0n],
    ['0e99', 0n],
    ['12', 12n],
    ['-12', -12n],
    ['9007199254740993', 9007199254740993n],
    ['12.0', 12n],
    ['1.25e2', 125n],
    ['125e-2', undefined],
    ['12500e-2', 125n],
    ['1.5', undefined],
    ['0.1', undefined],
    ['1e-400', undefined],
    ['1e400', undefined],
    ['1E+3', 1000n],
    ['', undefined],
    ['"1"', undefined],
  ] as const) {
    it(`${text}: ${value}`, () => assert.equal(exactInteger(text), value));
  }

  it('is exact, whatever form it is written in', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 5 }), (integer, zeros) => {
        assert.equal(exactInteger(String(integer)), integer);
        assert.equal(exactInteger(`${integer}.${'0'.repeat(zeros + 1)}`), integer);
        assert.equal(exactInteger(`${integer}${'0'.repeat(zeros)}e-${zeros}`), integer);
      }),
      propertyOptions(125),
    );
  });
});

describe('the text of a number', () => {
  const NUMBERS = [
    ...['0', '3', '-12', '999999999999999', '-999999999999999'],
    ...['3.0', '2.9999999999999999', '1e2', '-1E-400', '1000000000000000', '-9007199254740993'],
  ];
  const IS_EXACT = /^-?\d{1,15}$/;

  it('is found unless it is a plain integer, whatever surrounds it', () => {
    const names = fc.constantFrom('a', 'b', '"', '\\', 'é', ':', '', '__proto__');
    const number = fc.constantFrom(...NUMBERS);
    const space = fc.constantFrom('', ' ', '\n\t');
    const members = fc.array(fc.tuple(names, fc.oneof(number, fc.json())), { maxLength: 4 });
    fc.assert(
      fc.property(members, number, space, (pairs, element, space) => {
        const texts = pairs.map(
          ([name, source]) => `${space}${JSON.stringify(name)}${space}:${space}${source}${space}`,
        );
        const text = `${space}{${texts.join(',')}${space}}${space}`;
        const array = `[${space}[]${space},${space}{"x":[${space}${element}${space}]}]`;
        const inArray = numberSources(array)(1, 'x', 0);
        assert.equal(inArray, IS_EXACT.test(element) ? undefined : element, array);
        const sources = numberSources(text);
        for (const [name, source] of new Map(pairs)) {
          const found = sources(name);
          if (found !== undefined) assert.equal(found, source.trim(), text);
          else if (NUMBERS.includes(source)) assert.match(source, IS_EXACT, text);
        }
      }),
      propertyOptions(250),
    );
  });

  it('is that of the last of repeated members, never of a nested one', () => {
    assert.equal(numberSources('{"a":1.5,"b":{"a":2.5},"a":3.5,"c":[{"a":4.5}]}')('a'), '3.5');
    assert.equal(numberSources('{"b":{"a":2.5}}')('a'), undefined);
  });

  it('is found by its unescaped name', () => {
    const text = '{"\\u0061":12345678901234567890}';
    assert.equal(numberSources(text)('a'), '12345678901234567890');
  });

  it('takes no second look at text without such a number', () => {
    const exact = '{"id":123456789012345,"createdAt":"2026-11-20T09:30:00.123","at":"1e3 : 2.5"}';
    assert.equal(numberSources(exact)('id'), undefined);
    // It would be found if the text were parsed again.
    assert.equal(numberSources(`${exact.slice(0, -1)},"x":0.5}`)('id'), '123456789012345');
  });
});

describe('the integer that a JSON number is', () => {
  for (const [text, integer] of [
    ['3', 3],
    ['3.0', 3n],
    ['30e-1', 3n],
    ['2.9999999999999999', undefined],
    ['0.99999999999999999', undefined],
    ['1e-400', undefined],
    ['-1e-400', undefined],
    ['1e400', undefined],
    ['0e400', 0n],
    ['9007199254740993', 9007199254740993n],
    ['1e20', 10n ** 20n],
    ['1e308', 10n ** 308n],
    ['"3"', undefined],
    ['null', undefined],
  ] as const) {
    it(`${text}: ${integer}`, () => {
      const sources = numberSources(`{"n":${text}}`);
      assert.equal(
        integerOf(JSON.parse(text), () => sources('n')),
        integer,
      );
    });
  }
});
