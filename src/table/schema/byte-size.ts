import type { StoredRow, Value } from './column.ts';

/*
 * Memory is computed rather than measured, from how a 64-bit V8 without pointer compression lays
 * out values: all but small integers and booleans are objects, aligned to words of 8 bytes.
 */
const WORD = 8;
const OBJECT_HEADER = 3 * WORD;
/** An array is an object that points to its elements, which have a header of their own. */
const ARRAY_HEADERS = 6 * WORD;
const STRING_HEADER = 2 * WORD;
const BIGINT = 3 * WORD;

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** Returns the bytes of an array of references or small integers. */
export function bytesOfArray(length: number): number {
  return ARRAY_HEADERS + length * WORD;
}

/**
 * Returns how many bytes a row and its values take more than the row before it, if any.
 *
 * @param changed the columns in which they differ: all, if there is no row before
 */
export function growthOf(
  before: StoredRow | undefined,
  after: StoredRow,
  changed: readonly string[],
): number {
  let bytes = before ? 0 : OBJECT_HEADER + changed.length * WORD;
  for (const name of changed) {
    bytes += bytesOfValue(after[name] ?? null) - bytesOfValue(before?.[name] ?? null);
  }
  return bytes;
}

/** Returns the bytes of a value, without the word that refers to it. */
export function bytesOfValue(value: Value | null): number {
  if (typeof value === 'bigint') return BIGINT;
  if (typeof value !== 'string' || value === '') return 0;
  const units = value.length * (BEYOND_LATIN1.test(value) ? 2 : 1);
  return STRING_HEADER + Math.ceil(units / WORD) * WORD;
}
