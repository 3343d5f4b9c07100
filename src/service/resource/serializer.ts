import {
  type ByteString,
  byteString,
  type JsonSchema,
  joined,
  part,
} from '../../lib/json/index.ts';
import type { Value } from '../../lib/table/index.ts';
import type { Fields, FieldValues } from './field.ts';

/**
 * Makes the serializer of rows that have all fields, in order. `JSON.stringify` is fastest, and
 * gets 64-bit integers as numbers; a row with one too long for that is written member by member.
 */
export function serializerOf(fields: Fields): (row: FieldValues) => ByteString {
  const bigints = Object.keys(fields).filter((name) => fields[name]?.kind === 'bigint');
  if (bigints.length === 0) return (row) => byteString(JSON.stringify(row));
  return (row) => {
    const plain = { ...row };
    for (const name of bigints) {
      const value = row[name];
      if (typeof value !== 'bigint') continue;
      plain[name] = Number(value);
      if (!Number.isSafeInteger(plain[name])) return memberByMember(row);
    }
    return byteString(JSON.stringify(plain));
  };
}

function memberByMember(row: FieldValues): ByteString {
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

/** Members of an item that are not stored, but made for each response. */
export interface ComputedMembers {
  readonly [name: string]: {
    readonly schema: JsonSchema;
    readonly example: unknown;
    /** @param origin scheme, host and port that the request was sent to; empty if unknown */
    readonly of: (row: FieldValues, origin: string) => unknown;
  };
}

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
