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
 * The writer of a resource, whose rows have all its fields, in their order. `JSON.stringify` is fastest, but has no 64-bit
 * integers; where there are some, it writes the texts and nothing else.
 */
export function jsonWriter(fields: Fields): Writer {
  const hasBigint = Object.values(fields).some(({ kind }) => kind === 'bigint');
  return hasBigint ? memberWriter(fields) : (row) => byteString(JSON.stringify(row));
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
