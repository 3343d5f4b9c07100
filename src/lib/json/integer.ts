const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The digits of the largest number that `JSON.parse` can read. */
const MAX_DIGITS = 309;

/**
 * Reads an integer from a JSON number; undefined if it has a fraction. The text decides: `30e-1` is
 * 3, but `2.9999999999999999` is not an integer, although `JSON.parse` reads it as 3.
 * @param value the result of `JSON.parse`
 * @param sourceOf returns the text; undefined if `JSON.parse` cannot have rounded it
 */
export function integerOf(
  value: unknown,
  sourceOf: () => string | undefined,
): number | bigint | undefined {
  // A program may pass a bigint, which is exact.
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  const source = sourceOf();
  return source === undefined ? value : exactInteger(source);
}

/** The exact value of the text of a JSON number that is an integer of at most 309 digits. */
export function exactInteger(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return whole === '' ? undefined : 0n;
  const zeros = Number(exponent) - fraction.length;
  if (digits.length + zeros > MAX_DIGITS) return undefined;
  if (zeros >= 0) return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`);
  if (-zeros > digits.length || /[^0]/.test(digits.slice(zeros))) return undefined;
  return BigInt(`${sign}${digits.slice(0, zeros) || '0'}`);
}
