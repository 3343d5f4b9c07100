import { type ByteString, byteString, joined, part } from '../json/byte-string.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { Value } from '../table/schema/column.ts';
import type { Fields, FieldValues } from './field.ts';

/** The JSON text of one item. */
export type Serializer = (row: FieldValues) => ByteString;

/**
 * Makes the serializer of rows that have all fields, in order. `JSON.stringify` is fastest, and
 * gets 64-bit integers as numbers; a row with one too long for that is written member by member.
 */
export function serializerOf(fields: Fields): Serializer {
  const bigints = Object.keys(fields).filter((name) => fields[name]?.kind === 'bigint');
  return (row) => {
    const plain = withNumbers(row, bigints);
    return plain === undefined ? serializeMembers(row) : byteString(JSON.stringify(plain));
  };
}

/** The row with numbers instead of 64-bit integers; undefined if one has too many digits. */
function withNumbers(row: FieldValues, bigints: readonly string[]): FieldValues | undefined {
  if (bigints.length === 0) return row;
  const plain = { ...row };
  for (const name of bigints) {
    const value = row[name];
    if (typeof value !== 'bigint') continue;
    plain[name] = Number(value);
    if (!Number.isSafeInteger(plain[name])) return undefined;
  }
  return plain;
}

function serializeMembers(row: FieldValues): ByteString {
  const members = Object.entries(row).map(
    ([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`,
  );
  return byteString(`{${members}}`);
}

/** The JSON text of a value, with all digits of an integer. */
export function jsonText(value: Value | null): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** The maximum number of rows whose texts are cached. */
const ENTRIES = 4096;

/** The memory of an entry besides its text and its row, in bytes. */
const ENTRY_BYTES = 256;

/**
 * Caches the texts of rows as they are read; a changed row is a new object. The cache is
 * direct-mapped: each `id` has one entry, which the last row takes over.
 * @param maxBytes the maximum memory in all; beyond that, the cache starts again
 */
export function rowTexts(serialize: Serializer, maxBytes: number) {
  const rows = new Array<FieldValues | undefined>(ENTRIES).fill(undefined);
  const texts = new Array<ByteString | undefined>(ENTRIES).fill(undefined);
  let bytes = 0;
  return {
    /** Makes the text of a row that is not kept. */
    serialize,
    /** The memory of the texts that are kept, in bytes. */
    get bytes() {
      return bytes;
    },
    /** The text of a row, which is kept for the next time. */
    of(row: FieldValues): ByteString {
      const entry = Math.abs(Number(row.id)) % ENTRIES;
      const cached = texts[entry];
      if (cached !== undefined && rows[entry] === row) return cached;
      const text = serialize(row);
      bytes += bytesOf(text) - bytesOf(cached);
      if (bytes > maxBytes) {
        rows.fill(undefined);
        texts.fill(undefined);
        bytes = bytesOf(text);
      }
      rows[entry] = row;
      texts[entry] = text;
      return text;
    },
  };
}

/** A text takes about as much as its row, which the table may not have any more. */
function bytesOf(text: ByteString | undefined): number {
  return text === undefined ? 0 : 2 * text.length + ENTRY_BYTES;
}

/** A member of an item that is not stored, but made for each response. */
export interface ComputedMember {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** @param origin scheme, host and port that the request was sent to; empty if unknown */
  readonly of: (row: FieldValues, origin: string) => unknown;
}

/** Computed members by name. */
export type ComputedMembers = Readonly<Record<string, ComputedMember>>;

/** Adds computed members to the JSON text of a row. */
export function withComputed(
  text: ByteString,
  computed: ComputedMembers,
  row: FieldValues,
  origin: string,
): ByteString {
  const members = Object.entries(computed).map(
    ([name, { of }]) => `,${JSON.stringify(name)}:${JSON.stringify(of(row, origin))}`,
  );
  return joined(part(text, 0, text.length - 1), byteString(`${members.join('')}}`));
}
