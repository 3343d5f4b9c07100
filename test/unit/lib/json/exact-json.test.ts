import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { numberIn } from '../../../../src/lib/json/exact-json.ts';
import {
  exactJsonText,
  MalformedJsonError,
  parseJson,
} from '../../../../src/lib/json/json-object.ts';
import { integerIn } from '../../../../src/lib/table/index.ts';
import { propertyOptions } from '../../../support/property.ts';
import { exactlyParsed } from './support/exact-oracle.ts';
import { FORMS, numbers } from './support/number-forms.ts';
import { workOf } from './support/work.ts';

describe('an exactly parsed number', () => {
  for (const [text, value] of [
    ['0', 0],
    ['-0.000', -0],
    ['0e400', 0],
    ['0.0e-400', 0],
    ['3.0', 3],
    ['30e-1', 3],
    ['-1.25E+2', -125],
    ['1.5', 1.5],
    ['125e-2', 1.25],
    ['9007199254740991.0', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9007199254740993000e-3', 9007199254740993n],
    ['0.9007199254740993e16', 9007199254740993n],
    ['-12345678901234567890', -12345678901234567890n],
    ['1e16', 10n ** 16n],
    ['-1.2345678e19', -(12345678n * 10n ** 12n)],
    ['99999999999999999999', 10n ** 20n - 1n],
    ['1e20', 1e20],
    ['100000000000000000000', 1e20],
    ['100000000000000000001', 10n ** 20n + 1n],
    ['1.23e300', 1.23e300],
    ['-1e308', -1e308],
    ['2.9999999999999996', 2.9999999999999996],
    ['3e-324', Number.MIN_VALUE],
    ['1e400', Number.POSITIVE_INFINITY],
    [`${'9'.repeat(400)}`, Number.POSITIVE_INFINITY],
  ] as const) {
    it(`${text}: ${value}`, () => {
      assert.equal(parseJson(text), value);
      assert.deepEqual(parseJson(`{"a":[${text}]}`), { a: [value] });
      assert.equal(numberIn(parseJson(text)), Number(text));
    });
  }

  for (const text of [
    ...['2.9999999999999999', '0.99999999999999999', '-1.00000000000000001', '1e-400', '-2e-324'],
    ...['4503599627370496.2', '4503599627370497.3', '-9007199254740990.7', '9007199254740993.5'],
  ]) {
    it(`${text} is no integer, though the nearest double is one`, () => {
      const value = parseJson(text);
      assert.equal(typeof value, 'object');
      assert.equal(integerIn(value), undefined);
      assert.equal(numberIn(value), Number(text));
      assert.equal(exactJsonText({ value }), `{"value":${JSON.stringify(Number(text))}}`);
    });
  }

  it('is the integer that was written, in any form of up to 30 digits', () => {
    const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).filter((each) => each !== 0n);
    fc.assert(
      fc.property(digits, fc.nat(5), (integer, zeros) => {
        for (const text of [
          String(integer),
          `${integer}.${'0'.repeat(zeros + 1)}`,
          `${integer}${'0'.repeat(zeros)}e-${zeros}`,
        ]) {
          const parsed = parseJson(text);
          assert(typeof parsed === 'number' || typeof parsed === 'bigint', text);
          assert.equal(digitsOf(parsed), integer, text);
        }
      }),
      propertyOptions(125),
    );
  });
});

describe('exactly parsed JSON', () => {
  const json = fc.json({ stringUnit: fc.constantFrom(...'"\\[]{}:,-.eE01259 aé日😀') });

  it('is that of a parser that reads character by character', () => {
    const value = fc.oneof(json, numbers);
    const element = fc.tuple(fc.constantFrom('', ' ', '\n'), value).map((parts) => parts.join(''));
    const name = fc.constantFrom('"a"', '"__proto__"', '"7"', '"\\u0061"', '"1e20"');
    const member = fc.tuple(name, fc.constantFrom(':', ' : '), element).map((all) => all.join(''));
    const text = fc.oneof(
      fc.array(element).map((elements) => `[${elements}]`),
      fc.array(member).map((members) => `{${members}}`),
      fc.array(member).map((members) => `[[1e16],{"b":{${members}}},${2 ** 53}]`),
    );
    fc.assert(
      fc.property(text, (each) => {
        assert.deepEqual(withDigits(parseJson(each)), withDigits(exactlyParsed(each)), each);
      }),
      propertyOptions(500),
    );
  });

  it('is malformed where JSON.parse says so, with its message', () => {
    const pieces = fc.array(
      fc.oneof(
        numbers,
        fc.constantFrom(...'[]{}:,"\\-+.eE01 ', 'null', '"a"', '1e16', '{"a":1e16}'),
      ),
    );
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.join('');
        const reason = reasonOf(text);
        if (reason === undefined) parseJson(text);
        else {
          const parse = () => parseJson(text);
          assert.throws(parse, (error: unknown) => {
            assert(error instanceof MalformedJsonError);
            return text.trim() === '' || error.message === `is not JSON (${reason})`;
          });
        }
      }),
      propertyOptions(500),
    );
  });

  for (const text of [
    ...['01e16', '1.e16', '12345678901234567.', '12345678901234567e', '1e+', '1e16e16', '1e16.5'],
    ...['0.0-9007199254740993', '--1e16', '+1e16', '.1e17', '1e16 1e16', '[1e16', '"1e16', '1e16}'],
  ]) {
    it(`is malformed with a number that is not whole: ${text}`, () => {
      assert.throws(() => parseJson(text), { message: `is not JSON (${reasonOf(text)})` });
    });
  }

  it('has the names that were written, whatever names objects had before', () => {
    // V8 keeps the last name of such an object, and compares it with the text of the next one.
    for (const [before, after, name] of [
      [String.raw`{"h":[],"\\":0}`, String.raw`{"h":1,"\u0061":2}`, 'a'],
      [String.raw`{"h":[],"\\u007":0}`, String.raw`{"h":1,"\u0074itle":2}`, 'title'],
      [String.raw`{"h":[],"\\":0}`, String.raw`{"h":1 , "\"" : 2}`, '"'],
      [String.raw`{"h":[],"gr\\u0":0}`, String.raw`{"h":1,"gr\u00f6\u00df":2}`, 'größ'],
    ] as const) {
      parseJson(before);
      assert.deepEqual(Object.keys(parseJson(after) as object), ['h', name]);
    }
    parseJson(String.raw`{"h":[],"\\":0}`);
    assert.deepEqual(parseJson(String.raw`{"h":[1e16,null,-1],"\u0061":{"b":"\u007d"},"h":[]}`), {
      h: [],
      a: { b: '}' },
    });
  });

  it('may have strings with many escapes', () => {
    const text = JSON.stringify(['\n'.repeat(500_000), 0]);
    assert.deepEqual(parseJson(text.replace(',0', ',3e16')), [
      '\n'.repeat(500_000),
      3n * 10n ** 16n,
    ]);
  });
});

describe('the work to parse 64 KiB of JSON', () => {
  for (const [form, text] of Object.entries(FORMS)) {
    it(`is a few looks at each character: ${form}`, () => {
      const content = text(2 ** 16);
      const { characters, bigints } = workOf(() => parseJson(content));
      assert.ok(characters <= 5 * content.length, `${characters} of ${content.length}`);
      // A bigint takes as long as some characters.
      assert.ok(bigints <= content.length / 4, `${bigints} bigints`);
    });
  }

  it('has no bigint of a large number', () => {
    for (const form of ['1e308', '1.234e300']) {
      const { bigints } = workOf(() => parseJson(`[${`${form},`.repeat(10_000)}1]`));
      assert.equal(bigints, 0);
    }
  });
});

function reasonOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.toWellFormed() : String(error);
  }
}

/** Gives large integers one form: those of few digits are numbers, or bigints. */
function withDigits(value: unknown): unknown {
  if (typeof value === 'number' && Math.abs(value) >= 1e20 && Number.isFinite(value)) {
    return digitsOf(value);
  }
  if (Array.isArray(value)) return value.map(withDigits);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, member]) => [name, withDigits(member)]));
}

/** The integer that the shortest decimal form of a number is. */
function digitsOf(value: number | bigint): bigint {
  const [, mantissa = '', exponent = '0'] = /^([^e]+)(?:e\+(\d+))?$/.exec(String(value)) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length);
}
