import type { StoredRow, Value } from '../schema/column.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';

/*
 * Memory is computed rather than measured, from how a 64-bit V8 without pointer compression lays
 * out values: all but small integers and booleans are objects, aligned to words of 8 bytes.
 */
export const WORD = 8;
const OBJECT_HEADER = 3 * WORD;
const ARRAY_HEADER = 6 * WORD;
const STRING_HEADER = 2 * WORD;
const LARGE_NUMBER = 2 * WORD;
const BIGINT = 3 * WORD;

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** A row, and the case foldings of its texts in the order of `schema.texts`. */
export interface FoldedRow {
  readonly row: StoredRow;
  readonly foldings: readonly (string | null)[];
}

/**
 * Returns the bytes of a row, its values and their foldings.
 * @param other a row whose values are not counted again, nor their foldings
 */
export function bytesOfRow(schema: ResolvedSchema, contents: FoldedRow, other?: FoldedRow): number {
  const { names, texts } = schema;
  const { row, foldings } = contents;
  let bytes = OBJECT_HEADER + names.length * WORD;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? '';
    const value = row[name] ?? null;
    if (value !== other?.row[name]) bytes += bytesOfValue(value);
  }
  if (foldings === other?.foldings) return bytes;
  bytes += ARRAY_HEADER + texts.length * WORD;
  for (let i = 0; i < texts.length; i++) {
    if (foldings[i] !== other?.foldings[i]) bytes += bytesOfFolding(schema, contents, i);
  }
  return bytes;
}

/** Returns by how many bytes a row is longer than another one, which it replaces. */
export function growthOfRow(schema: ResolvedSchema, after: FoldedRow, before: FoldedRow): number {
  const { names, texts } = schema;
  let growth = 0;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? '';
    const [value, replaced] = [after.row[name] ?? null, before.row[name] ?? null];
    if (value !== replaced) growth += bytesOfValue(value) - bytesOfValue(replaced);
  }
  if (after.foldings === before.foldings) return growth;
  for (let i = 0; i < texts.length; i++) {
    growth += bytesOfFolding(schema, after, i) - bytesOfFolding(schema, before, i);
  }
  return growth;
}

/** Returns the bytes of the folding of a text; none if it is the text itself. */
function bytesOfFolding({ texts }: ResolvedSchema, contents: FoldedRow, index: number): number {
  const { row, foldings } = contents;
  const folding = foldings[index] ?? null;
  return folding === row[texts[index] ?? ''] ? 0 : bytesOfValue(folding);
}

/** Returns the bytes of a value, without the word that refers to it. */
function bytesOfValue(value: Value | null): number {
  if (typeof value === 'number') return value === (value | 0) ? 0 : LARGE_NUMBER;
  if (typeof value === 'bigint') return BIGINT;
  if (typeof value !== 'string' || value === '') return 0;
  const units = value.length * (BEYOND_LATIN1.test(value) ? 2 : 1);
  return STRING_HEADER + Math.ceil(units / WORD) * WORD;
}
