const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** More digits than any stored integer has. */
const MAX_DIGITS = 40;

/** The exact value of a JSON number that is an integer (as `30e-1` is) of at most 40 digits. */
export function exactInteger(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return whole === '' ? undefined : 0n;
  const zeros = Number(exponent) - fraction.length;
  if (digits.length + zeros > MAX_DIGITS || digits.length > text.length) return undefined;
  if (zeros >= 0) return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`);
  if (-zeros > digits.length || /[^0]/.test(digits.slice(zeros))) return undefined;
  return BigInt(`${sign}${digits.slice(0, zeros) || '0'}`);
}
