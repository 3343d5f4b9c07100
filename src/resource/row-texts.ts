import type { ByteString } from '../json/byte-string.ts';
import type { FieldValues } from './field.ts';
import type { Serializer } from './serializer.ts';

/** The maximum number of rows whose texts are cached. */
const ENTRIES = 4096;

/** The memory of an entry besides its text and its row, in bytes. */
const ENTRY_BYTES = 256;

/**
 * The JSON texts of rows, cached as they are read; a changed row is a new object. The cache is
 * direct-mapped: each id has one entry, which the last row takes over.
 */
export class RowTexts {
  /** Makes the text of a row that is not kept. */
  readonly serialize: Serializer;
  readonly #id: string;
  readonly #maxBytes: number;
  readonly #rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  readonly #texts = new Array<ByteString | undefined>(ENTRIES).fill(undefined);
  #bytes = 0;

  /**
   * @param id the field that identifies rows
   * @param maxBytes the maximum memory in all; beyond that, the cache starts again
   */
  constructor(serialize: Serializer, id: string, maxBytes: number) {
    this.serialize = serialize;
    this.#id = id;
    this.#maxBytes = maxBytes;
  }

  /** The memory of the cache, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The text of a row, which is kept for the next time. */
  of(row: FieldValues): ByteString {
    const entry = Math.abs(Number(row[this.#id])) % ENTRIES;
    const cached = this.#texts[entry];
    if (cached !== undefined && this.#rows[entry] === row) return cached;
    const text = this.serialize(row);
    this.#bytes += bytesOf(text) - bytesOf(cached);
    if (this.#bytes > this.#maxBytes) this.#clear(text);
    this.#rows[entry] = row;
    this.#texts[entry] = text;
    return text;
  }

  #clear(text: ByteString): void {
    this.#rows.fill(undefined);
    this.#texts.fill(undefined);
    this.#bytes = bytesOf(text);
  }
}

/** A text takes about as much as its row, which the table may not have any more. */
function bytesOf(text: ByteString | undefined): number {
  return text === undefined ? 0 : 2 * text.length + ENTRY_BYTES;
}
