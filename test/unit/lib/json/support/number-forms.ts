import fc from 'fast-check';

const digits = (most: number) =>
  fc
    .array(fc.constantFrom(...'0000123456789999'), { minLength: 1, maxLength: most })
    .map((all) => all.join(''));

/** JSON numbers of any form, many of them near an integer, zero or infinity. */
export const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constantFrom('0', '1', '9007199254740992', '9999999999999999'), digits(25)),
    fc.oneof(fc.constant(''), digits(25)),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -345, max: 320 }).map(String),
      fc.constantFrom('+2'),
    ),
    fc.constantFrom('e', 'E'),
  )
  .map(([sign, whole, fraction, exponent, e]) => {
    const integer = whole.replace(/^0+(?=\d)/, '');
    return `${sign}${integer}${fraction && `.${fraction}`}${exponent && `${e}${exponent}`}`;
  });

/** Repeats what `element` makes, up to a length. */
function list(element: (i: number) => string, [open, close] = ['[', ']']) {
  return (length: number): string => {
    const elements: string[] = [];
    for (let i = 0, left = length - 40; left > 0; i++) {
      const next = element(i);
      elements.push(next);
      left -= next.length + 1;
    }
    return `${open}${elements.join()}${close}`;
  };
}

const members = (member: (i: number) => string) => list(member, ['{', '}']);
const nested = (depth: number, inner: string) => '['.repeat(depth) + inner + ']'.repeat(depth);

/** Texts of a length that take long to read, or that took long in an earlier version. */
export const FORMS: Readonly<Record<string, (length: number) => string>> = {
  'small integers': list((i) => String(i % 10)),
  'integers of 16 digits': list((i) => String(9007199254740992 + 2 * i)),
  'integers of 17 digits': list((i) => `${12345678901234567n + BigInt(i)}`),
  'integers of 40 digits': list((i) => `${i + 1}`.padEnd(40, '7')),
  'integers of 308 digits': list((i) => `${i + 1}`.padEnd(308, '7')),
  'integers with a fraction': list(() => '3.0'),
  fractions: list((i) => `${i % 10}.5`),
  'integers with an exponent': list((i) => `${1 + (i % 9)}e${15 + (i % 5)}`),
  'different integers with an exponent': list((i) => `${10_000 + (i % 90_000)}e13`),
  'large integers': list((i) => `${1 + (i % 9)}e${20 + (i % 280)}`),
  'the largest integers': list(() => '1e308'),
  'numbers too large': list(() => '1e999'),
  'numbers near an integer': list(() => '2.9999999999999999'),
  'numbers near one': list((i) => `0.9999999999999999${i}`),
  'numbers near zero': list((i) => `${1 + (i % 9)}e-324`),
  'negative numbers': list(() => '-1e16'),
  'long zeros': (length) => `[0.${'0'.repeat(length - 40)}1]`,
  'long digits': (length) => `[${'1'.repeat(length - 40)}]`,
  'a long exponent': (length) => `[1e${'0'.repeat(length - 40)}1]`,
  'empty texts': list((i) => (i === 5 ? '1e16' : '""')),
  'texts of escapes': list((i) => (i === 5 ? '1e16' : '"\\"\\\\"')),
  'a long text of escapes': (length) => `["${'\\n'.repeat(length / 2 - 40)}",1e16]`,
  'texts like JSON': list((i) => (i === 5 ? '1e16' : '"[1e16,2.0]"')),
  words: list((i) => (i === 5 ? '1e16' : 'null')),
  'empty arrays': list((i) => (i === 5 ? '1e16' : '[]')),
  'empty objects': list((i) => (i === 5 ? '1e16' : '{}')),
  'deep arrays': list((i) => nested(30, i === 5 ? '1e16' : '')),
  'deep objects': list(() => `${'{"a":'.repeat(29)}1e16${'}'.repeat(29)}`),
  items: list(() => '{"title":"a","priority":3.0}'),
  'many members': members((i) => `"a${i}":${i === 5 ? '1e16' : 1}`),
  'members with escaped names': members((i) => `"\\u006${i % 8}":1`),
  'objects with escaped names': list(() => '{"\\n":1}'),
  'repeated members': members(() => '"a":1e16'),
  'members like indexes': members((i) => `"${i}":1e16`),
  'white space': (length) => `[1e16${' '.repeat(length - 40)}]`,
};
