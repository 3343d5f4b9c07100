import { type ByteString, byteString } from '../http/byte-string.ts';
import type { Kind, Value } from '../table/column.ts';
import type { Fields, FieldValues } from './field.ts';

/** The JSON text of one item. */
export type Writer = (row: FieldValues) => ByteString;

/** How a value of each kind is written; a 64-bit integer keeps all its digits. */
const ENCODE: Readonly<Record<Kind, (value: Value) => string>> = {
  integer: String,
  bigint: String,
  boolean: String,
  text: (value) => JSON.stringify(value),
  timestamp: (value) => `"${value}"`,
};

/**
 * The writer of a resource, whose rows have all its fields, in their order. `JSON.stringify` is fastest, but knows no 64-bit
 * integers: those that a number can hold are given to it as numbers, and for others the members are written one by one.
 */
export function jsonWriter(fields: Fields): Writer {
  const bigints = Object.keys(fields).filter((name) => fields[name]?.kind === 'bigint');
  const writeMembers = memberWriter(fields);
  return (row) => {
    const plain = withNumbers(row, bigints);
    return plain === undefined ? writeMembers(row) : byteString(JSON.stringify(plain));
  };
}

/** The row with numbers in place of 64-bit integers; undefined where one of them has too many digits. */
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

function memberWriter(fields: Fields): Writer {
  const members = Object.entries(fields).map(([name, { kind }], index) => ({
    name,
    prefix: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    encode: ENCODE[kind],
  }));
  return (row) => {
    let json = '';
    for (const { name, prefix, encode } of members) {
      const value = row[name] ?? null;
      json += prefix + (value === null ? 'null' : encode(value));
    }
    return byteString(`${json}}`);
  };
}
