import type { Schema, Value } from '../../table/schema/column.ts';

/** Members of a stored row by name. */
export type Members = Readonly<Record<string, unknown>>;

/** A row as it is stored. */
export interface DecodedRow {
  /** The values of the columns that it has; the table checks them. */
  readonly values: Members;
  /** What only other versions know; undefined if there is nothing. */
  readonly unknown: Members | undefined;
}

/** Encodes rows as text and back: JSON of all columns but the id, which is in the key. */
export interface RowCodec {
  /** @param unknown what only other versions know, to be kept */
  encode(row: Readonly<Record<string, Value | null>>, unknown: Members | undefined): string;
  /** @throws Error if the text is not that of a row */
  decode(text: string): DecodedRow;
  /** The id at the end of a key. @throws Error if there is none */
  idOf(key: string): number | bigint;
}

/**
 * Makes the codec of a schema. 64-bit integers become strings, because `JSON.parse` would round
 * them.
 */
export function rowCodec(schema: Schema): RowCodec {
  const columns = new Map(Object.entries(schema));
  const [identity = ''] = [...columns.keys()].filter((name) => schema[name]?.identity);
  const bigints = [...columns.keys()].filter((name) => schema[name]?.kind === 'bigint');
  const isBigId = bigints.includes(identity);
  return {
    encode: (row, unknown) => {
      const { [identity]: _, ...values }: Record<string, Value | null> = row;
      for (const name of bigints) {
        if (typeof values[name] === 'bigint') values[name] = String(values[name]);
      }
      return JSON.stringify({ ...values, ...unknown });
    },
    decode: (text) => {
      const values = membersOf(JSON.parse(text));
      for (const name of bigints) {
        if (typeof values[name] === 'string') values[name] = BigInt(values[name]);
      }
      const isKnown = (name: string) => name !== identity && columns.has(name);
      if (Object.keys(values).every(isKnown)) return { values, unknown: undefined };
      const members = Object.entries(values);
      return {
        values: Object.fromEntries(members.filter(([name]) => isKnown(name))),
        unknown: Object.fromEntries(members.filter(([name]) => !isKnown(name))),
      };
    },
    idOf: (key) => {
      const digits = /\/(\d{19})$/.exec(key)?.[1];
      if (digits === undefined) throw new Error('its key has no id');
      return isBigId ? BigInt(digits) : Number(digits);
    },
  };
}

function membersOf(json: unknown): Record<string, unknown> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  throw new Error('it is not an object');
}
