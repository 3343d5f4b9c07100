import { type ByteString, byteString, exactJsonText } from '../../lib/json/index.ts';
import { type Fields, type FieldValues, nullMarkOf } from './field.ts';

/** Creates the serializer of rows, which writes the members in the order of the fields. */
export function serializerOf(fields: Fields): (row: FieldValues) => ByteString {
  const all = Object.values(fields);
  const isPlain = all.every(({ json, isOptional }) => json === undefined && !isOptional);
  return isPlain ? plainSerializer(fields) : memberSerializer(fields);
}

/**
 * The serializer of rows that are like their items. `JSON.stringify` is fastest, but takes no bigint,
 * which an integer beyond 2^53 is.
 */
function plainSerializer(fields: Fields): (row: FieldValues) => ByteString {
  const bigints = Object.keys(fields).filter((name) => fields[name]?.kind === 'bigint');
  return (row) => {
    for (const name of bigints) {
      if (typeof row[name] === 'bigint') return byteString(String(exactJsonText(row)));
    }
    return byteString(JSON.stringify(row));
  };
}

/** The serializer of rows with JSON texts, or whose items may lack members. */
function memberSerializer(fields: Fields): (row: FieldValues) => ByteString {
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    start: `${JSON.stringify(name)}:`,
    isText: field.json !== undefined,
    isOptional: field.isOptional === true,
    nullMark: nullMarkOf(name, field),
  }));
  return (row) => {
    let text = '';
    for (const { name, start, isText, isOptional, nullMark } of members) {
      const value = row[name] ?? null;
      const isAbsent = value === null && isOptional && row[nullMark ?? ''] !== true;
      if (isAbsent) continue;
      const json = typeof value === 'string' && !isText ? JSON.stringify(value) : value;
      text += `${text === '' ? '' : ','}${start}${json}`;
    }
    return byteString(`{${text}}`);
  };
}

/** The maximum number of rows whose JSON is cached. */
const ENTRIES = 4096;

/** The memory of an entry besides its JSON and its row, in bytes. */
const ENTRY_BYTES = 256;

/** Caches the JSON of rows. A changed row is a new object, so it misses the cache. */
export class RowJsonCache {
  readonly #serialize: (row: FieldValues) => ByteString;
  readonly #maxBytes: number;
  /** Both lists grow as ids do, so that the cache of few items is small. */
  readonly #rows: (FieldValues | undefined)[] = [];
  readonly #texts: (ByteString | undefined)[] = [];
  /** The memory of the cache, in bytes. */
  bytes = 0;

  /** @param maxBytes the maximum memory; a cache that would exceed it is emptied */
  constructor(serialize: (row: FieldValues) => ByteString, maxBytes: number) {
    this.#serialize = serialize;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the JSON of a row, and caches it, unless it alone would exceed the limit.
   * @param isAfterFirstPart whether it is of a long list, which would replace the whole cache
   */
  readonly jsonOf = (row: FieldValues, isAfterFirstPart = false): ByteString => {
    const entry = Math.abs(Number(row.id)) % ENTRIES;
    const cached = this.#texts[entry];
    if (cached !== undefined && this.#rows[entry] === row) return cached;
    const text = this.#serialize(row);
    if (isAfterFirstPart || bytesOf(text) > this.#maxBytes) return text;
    this.bytes += bytesOf(text) - bytesOf(cached);
    if (this.bytes > this.#maxBytes) {
      this.#rows.fill(undefined);
      this.#texts.fill(undefined);
      this.bytes = bytesOf(text);
    }
    if (entry >= this.#rows.length) this.#growBeyond(entry);
    this.#rows[entry] = row;
    this.#texts[entry] = text;
    return text;
  };

  #growBeyond(entry: number): void {
    const length = Math.min(ENTRIES, Math.max(2 * this.#rows.length, entry + 1));
    while (this.#rows.length < length) {
      this.#rows.push(undefined);
      this.#texts.push(undefined);
    }
  }
}

/** The bytes of an entry. Its row, which the table may have dropped, counts like its JSON. */
function bytesOf(text: ByteString | undefined): number {
  return text === undefined ? 0 : 2 * text.length + ENTRY_BYTES;
}
