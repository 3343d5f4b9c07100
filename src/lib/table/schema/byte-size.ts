import type { Column, StoredRow, Value } from './column.ts';

/*
 * Memory is computed rather than measured, from how a 64-bit V8 without pointer compression lays
 * out values: all but small integers and booleans are objects, aligned to words of 8 bytes.
 */
export const WORD = 8;
const OBJECT_HEADER = 3 * WORD;
const STRING_HEADER = 2 * WORD;
const LARGE_NUMBER = 2 * WORD;
const BIGINT = 3 * WORD;
/** A timestamp has 23 characters, an instant 24. */
const TIMESTAMP = STRING_HEADER + 3 * WORD;

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** The sizes that all rows of a schema share. */
export interface RowSizes {
  /** The bytes of a row without the values of `sized` columns. */
  readonly rowBytes: number;
  /** The columns whose values differ in size. */
  readonly sized: readonly string[];
}

type SizedColumn = Pick<Column, 'kind' | 'nullable'>;

/** Computes the sizes that all rows of these columns share. */
export function rowSizesOf(columns: readonly (readonly [string, SizedColumn])[]): RowSizes {
  let rowBytes = OBJECT_HEADER + columns.length * WORD;
  const sized: string[] = [];
  for (const [name, { kind, nullable }] of columns) {
    const isTime = kind === 'timestamp' || kind === 'instant';
    if (isTime && !nullable) rowBytes += TIMESTAMP;
    else if (kind !== 'integer' && kind !== 'boolean') sized.push(name);
  }
  return { rowBytes, sized };
}

/**
 * Returns the bytes of a row and its values.
 * @param other a row whose values are not counted again
 */
export function bytesOfRow(
  { rowBytes, sized }: RowSizes,
  row: StoredRow,
  other?: StoredRow,
): number {
  let bytes = rowBytes;
  for (let i = 0; i < sized.length; i++) {
    const name = sized[i] ?? '';
    const value = row[name] ?? null;
    if (value !== other?.[name]) bytes += bytesOfValue(value);
  }
  return bytes;
}

/** Returns the bytes of a value, without the word that refers to it. */
function bytesOfValue(value: Value | null): number {
  if (typeof value === 'number') return value === (value | 0) ? 0 : LARGE_NUMBER;
  if (typeof value === 'bigint') return BIGINT;
  if (typeof value !== 'string' || value === '') return 0;
  const units = value.length * (BEYOND_LATIN1.test(value) ? 2 : 1);
  return STRING_HEADER + Math.ceil(units / WORD) * WORD;
}
