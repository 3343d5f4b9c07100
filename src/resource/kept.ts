import type { ByteString } from '../http/byte-string.ts';
import type { FieldValues } from './field.ts';
import type { Writer } from './writer.ts';

/** So many rows have their text kept: a few hundred bytes each as a rule, some thousand at most. */
const ROWS_KEPT = 4096;

/**
 * Keeps the texts of rows, so that a row is written once as long as it does not change: a changed row is another object. Each id
 * has one place, in which the row that was written last stays.
 */
export function keptPerRow(write: Writer, id: string): Writer {
  const rows = new Array<FieldValues | undefined>(ROWS_KEPT).fill(undefined);
  const texts = new Array<ByteString | undefined>(ROWS_KEPT).fill(undefined);
  return (row) => {
    const place = Math.abs(Number(row[id])) % ROWS_KEPT;
    const kept = texts[place];
    if (kept !== undefined && rows[place] === row) return kept;
    const text = write(row);
    rows[place] = row;
    texts[place] = text;
    return text;
  };
}

/**
 * Keeps the bytes of a text that is the same as long as a version is, so that it is made once between two writes.
 * What comes in slices is too large to keep and is made each time.
 */
export function keptPerVersion<Slices extends object>(
  versionOf: () => number,
  make: () => ByteString | Slices,
): () => Buffer | Slices {
  let kept: { readonly version: number; readonly bytes: Buffer } | undefined;
  return () => {
    const version = versionOf();
    if (kept?.version === version) return kept.bytes;
    const text = make();
    if (typeof text !== 'string') return text;
    kept = { version, bytes: Buffer.from(text, 'latin1') };
    return kept.bytes;
  };
}
