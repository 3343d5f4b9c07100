import type { ItemFields } from '../../../service/store/items.ts';
import { isJsonObject, type JsonObject } from '../../json/index.ts';
import type { Value } from '../../table/index.ts';

/** Encodes rows as text and back: JSON of all columns but the id, which is in the key. */
export type RowCodec = ReturnType<typeof rowCodec>;

/** Makes the codec of items. 64-bit integers become texts, because `JSON.parse` rounds them. */
export function rowCodec(fields: ItemFields) {
  const { kind, identity } = fields.id;
  const bigints = Object.keys(fields).filter((name) => fields[name]?.kind === 'bigint');
  const isKnown = (name: string) => name !== 'id' && Object.hasOwn(fields, name);
  return {
    /** @param unknown what only other versions know, to be kept */
    encode: (row: Readonly<Record<string, Value | null>>, unknown?: JsonObject): string => {
      const { id: _, ...values }: Record<string, Value | null> = row;
      for (const name of bigints) {
        if (typeof values[name] === 'bigint') values[name] = String(values[name]);
      }
      return JSON.stringify({ ...values, ...unknown });
    },
    /**
     * The values of the columns that the text has, for the table to check, and what only other
     * versions know. @throws Error if the text is not that of a row
     */
    decode: (text: string) => {
      const json: unknown = JSON.parse(text);
      if (!isJsonObject(json)) throw new Error('it is not an object');
      const values: Record<string, unknown> = { ...json };
      for (const name of bigints) {
        if (typeof values[name] === 'string') values[name] = BigInt(values[name]);
      }
      const others = Object.keys(values).filter((name) => !isKnown(name));
      if (others.length === 0) return { values, unknown: undefined };
      const unknown = Object.fromEntries(others.map((name) => [name, values[name]]));
      for (const name of others) delete values[name];
      return { values, unknown };
    },
    /** The id at the end of a key. @throws Error if there is none, or it is out of range */
    idOf: (key: string): number | bigint => {
      const digits = /\/(\d{19})$/.exec(key)?.[1];
      if (digits === undefined) throw new Error('its key has no id');
      const id = kind === 'bigint' ? BigInt(digits) : Number(digits);
      if (id < identity.from || id > identity.to) throw new Error('its id is out of range');
      return id;
    },
  };
}
