import { canonicalInteger, type Integer, integerIn, type Value } from '../../table/index.ts';
import { IncompatibleError } from '../errors.ts';
import { storedObject } from './commit-head.ts';
import type { ListSchema } from './list-table.ts';

/** Encodes rows as text and back: JSON of all columns but the id, which is in the key. */
export type RowCodec = ReturnType<typeof rowCodec>;

/** Creates the codec of rows. 64-bit integers become strings, because `JSON.parse` rounds them. */
export function rowCodec(schema: ListSchema) {
  const { identity } = schema.id;
  const bigints = Object.keys(schema).filter((name) => schema[name]?.kind === 'bigint');
  return {
    encode: (row: Readonly<Record<string, Value | null>>): string => {
      const { id: _, ...values }: Record<string, Value | null> = row;
      for (const name of bigints) {
        if (integerIn(values[name]) !== undefined) values[name] = String(values[name]);
      }
      return JSON.stringify(values);
    },
    /** The values, unchecked. @throws IncompatibleError if the text is not a JSON object */
    decode: (key: string, text: string): object => {
      const values: Record<string, unknown> = { ...storedObject(key, text) };
      for (const name of bigints) {
        const value = values[name];
        if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) continue;
        values[name] = canonicalInteger(BigInt(value));
      }
      return values;
    },
    /** The id at the end of a key. @throws IncompatibleError if it is missing or too high */
    idOf: (key: string): Integer => {
      const digits = /\/(\d{19})$/.exec(key)?.[1];
      if (digits === undefined) {
        throw new IncompatibleError(key, 'does not end with an id of 19 digits');
      }
      const id = canonicalInteger(BigInt(digits));
      if (id < identity.from || id > identity.to) {
        throw new IncompatibleError(key, 'has an id that is out of range');
      }
      return id;
    },
  };
}
