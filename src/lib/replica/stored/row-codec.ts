import type { JsonObject } from '../../json/index.ts';
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
  const isKnown = (name: string) => name !== 'id' && Object.hasOwn(schema, name);
  return {
    /** @param unknown members that only other versions know, to be kept */
    encode: (row: Readonly<Record<string, Value | null>>, unknown?: JsonObject): string => {
      const { id: _, ...values }: Record<string, Value | null> = row;
      for (const name of bigints) {
        if (integerIn(values[name]) !== undefined) values[name] = String(values[name]);
      }
      return JSON.stringify({ ...values, ...unknown });
    },
    /** The values, unchecked, and unknown members. @throws IncompatibleError */
    decode: (key: string, text: string) => {
      const values: Record<string, unknown> = { ...storedObject(key, text) };
      for (const name of bigints) {
        const value = values[name];
        if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) continue;
        values[name] = canonicalInteger(BigInt(value));
      }
      const others = Object.keys(values).filter((name) => !isKnown(name));
      if (others.length === 0) return { values, unknown: undefined };
      const unknown = Object.fromEntries(others.map((name) => [name, values[name]]));
      for (const name of others) delete values[name];
      return { values, unknown };
    },
    /** The id at the end of a key. @throws IncompatibleError if it is missing or too high */
    idOf: (key: string): Integer => {
      const digits = /\/(\d{19})$/.exec(key)?.[1];
      if (digits === undefined) throw new IncompatibleError(key, 'ends with no id');
      const id = canonicalInteger(BigInt(digits));
      if (id < identity.from || id > identity.to) {
        throw new IncompatibleError(key, 'has an id that is out of range');
      }
      return id;
    },
  };
}
