import type { ByteString } from '../../lib/json/index.ts';
import type { FieldValues } from '../resource/field.ts';

/** The maximum number of rows whose texts are cached. */
const ENTRIES = 4096;

/** The memory of an entry besides its text and its row, in bytes. */
const ENTRY_BYTES = 256;

/** Caches texts of rows, which are other objects once changed. Each `id` has one entry. */
export class RowTexts {
  /** Makes the text of a row, and does not keep it. */
  readonly serialize: (row: FieldValues) => ByteString;
  readonly #maxBytes: number;
  readonly #rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  readonly #texts = new Array<ByteString | undefined>(ENTRIES).fill(undefined);
  /** The memory of the texts that are kept, in bytes. */
  bytes = 0;

  /** @param maxBytes the maximum memory in all; beyond that, the cache starts again */
  constructor(serialize: (row: FieldValues) => ByteString, maxBytes: number) {
    this.serialize = serialize;
    this.#maxBytes = maxBytes;
  }

  /** The text of a row, which is kept for the next time. */
  readonly textOf = (row: FieldValues): ByteString => {
    const entry = Math.abs(Number(row.id)) % ENTRIES;
    const cached = this.#texts[entry];
    if (cached !== undefined && this.#rows[entry] === row) return cached;
    const text = this.serialize(row);
    this.bytes += bytesOf(text) - bytesOf(cached);
    if (this.bytes > this.#maxBytes) {
      this.#rows.fill(undefined);
      this.#texts.fill(undefined);
      this.bytes = bytesOf(text);
    }
    this.#rows[entry] = row;
    this.#texts[entry] = text;
    return text;
  };
}

/** A text takes about as much as its row, which the table may not have any more. */
function bytesOf(text: ByteString | undefined): number {
  return text === undefined ? 0 : 2 * text.length + ENTRY_BYTES;
}
