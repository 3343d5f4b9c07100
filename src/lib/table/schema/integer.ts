/**
 * An integer: a number while it is safe, else a bigint. So equal integers are
 * always identical (`===`), in rows, ids and conditions. Callers may pass a safe integer as a bigint.
 */
export type Integer = number | bigint;

/** Returns the canonical form of an integer. @param integer if a number, a safe one */
export function canonicalInteger(integer: Integer): Integer {
  if (typeof integer === 'number') return integer === 0 ? 0 : integer; // -0 is 0
  const isSafe = integer >= Number.MIN_SAFE_INTEGER && integer <= Number.MAX_SAFE_INTEGER;
  return isSafe ? Number(integer) : integer;
}

/** Returns the canonical form of an integer; undefined for any other value. */
export function integerIn(value: unknown): Integer | undefined {
  const isInteger = typeof value === 'bigint' || isSafeInteger(value);
  return isInteger ? canonicalInteger(value) : undefined;
}

/** Returns the range of signed integers of `bits` bits. */
export function integerRange(bits: 32 | 64): { minimum: Integer; maximum: Integer } {
  const limit = 2n ** BigInt(bits - 1);
  return { minimum: canonicalInteger(-limit), maximum: canonicalInteger(limit - 1n) };
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
