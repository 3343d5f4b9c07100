import type { Schema, Value } from '../../table/schema/column.ts';

/** Encodes rows as text and back: JSON of all columns but the id, which is in the key. */
export interface RowCodec {
  encode(row: Readonly<Record<string, Value | null>>): string;
  /** The values of the columns; the table checks them. */
  decode(text: string): object;
  /** The id at the end of a key. */
  idOf(key: string): number | bigint;
}

/**
 * Makes the codec of a schema. 64-bit integers become strings, because `JSON.parse` would round
 * them.
 */
export function rowCodec(schema: Schema): RowCodec {
  const identity = Object.keys(schema).find((name) => schema[name]?.identity !== undefined);
  const isBigId = schema[identity ?? '']?.kind === 'bigint';
  const bigints = Object.keys(schema).filter(
    (name) => name !== identity && schema[name]?.kind === 'bigint',
  );
  return {
    encode: (row) =>
      JSON.stringify(row, (name, value) => {
        if (name === identity) return undefined;
        return typeof value === 'bigint' ? String(value) : value;
      }),
    decode: (text) => {
      const values: Record<string, unknown> = JSON.parse(text);
      for (const name of bigints) {
        if (typeof values[name] === 'string') values[name] = BigInt(values[name]);
      }
      return values;
    },
    idOf: (key) => {
      const digits = key.slice(key.lastIndexOf('/') + 1);
      return isBigId ? BigInt(digits) : Number(digits);
    },
  };
}
