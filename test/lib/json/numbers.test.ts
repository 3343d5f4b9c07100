import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { exactInteger } from '../../../src/lib/json/integer.ts';
import { memberSource } from '../../../src/lib/json/json-tree.ts';
import { propertyOptions } from '../../support/property.ts';

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

describe('the text of a member', () => {
  it('is taken from the JSON text, whatever surrounds it', () => {
    const members = fc.dictionary(fc.constantFrom('a', 'b', '"', '\\', 'é', ':', ''), fc.json());
    fc.assert(
      fc.property(members, fc.constantFrom('', ' ', '\n\t'), (sources, space) => {
        const entries = Object.entries(sources).map(
          ([name, source]) => `${space}${JSON.stringify(name)}${space}:${space}${source}${space}`,
        );
        const text = `${space}{${entries.join(',')}${space}}${space}`;
        for (const [name, source] of Object.entries(sources)) {
          assert.equal(memberSource(text, name), source.trimEnd(), text);
        }
        assert.equal(memberSource(text, 'none'), undefined);
      }),
      propertyOptions(125),
    );
  });

  it('is that of the last of repeated members, never of a nested one', () => {
    assert.equal(memberSource('{"a":1,"b":{"a":2},"a":3,"c":[{"a":4}]}', 'a'), '3');
    assert.equal(memberSource('{"b":{"a":2}}', 'a'), undefined);
  });

  it('is found by its unescaped name', () => {
    assert.equal(memberSource('{"\\u0061":12345678901234567890}', 'a'), '12345678901234567890');
  });
});
