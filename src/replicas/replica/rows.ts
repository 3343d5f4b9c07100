import { jsonObjectIn } from '../../lib/json/index.ts';
import {
  type Column,
  ColumnError,
  type Commit,
  canonicalInteger,
  type Integer,
  integerIn,
  type Row,
  type Schema,
  type Synchronous,
  type Value,
} from '../../lib/table/index.ts';
import { IncompatibleError } from './errors.ts';
import type { KeyValue } from './etcd/gateway.ts';

/** The schema of a list that replicas share. Its primary key is `id`. */
export type ListSchema = Schema & {
  readonly id: Column & {
    readonly kind: 'integer' | 'bigint';
    readonly nullable?: false;
    readonly identity: { readonly from: Integer; readonly to: Integer };
  };
};

/** As `CommittedRow` of the table engine, for a table of any such schema. */
interface WrittenRow {
  readonly id: Integer;
  readonly values: object | undefined;
  readonly commit?: number;
}

/** The part of the table engine's `Table` that replicas use. */
export interface ListTable {
  readonly idsAssigned: bigint;
  search(): readonly Row<ListSchema>[];
  transaction<T extends Synchronous>(work: () => T, number: number): T;
  onCommit(listener: (commit: Commit<ListSchema>) => void): void;
  replay(rows: Iterable<WrittenRow>, idsAssigned: bigint, number: number): void;
}

/** The items of a list, in a table. */
export interface ListItems {
  readonly table: ListTable;
  /** The same items, for writes that are taken back by forgetting the fork. */
  fork(): ListItems;
  /** No items, with the same limits except those given. */
  createEmpty(limits?: { readonly maxRows: number }): ListItems;
}

/** Writes rows as JSON of all columns but the id, which is in the key, and reads them into a table. */
export class RowCodec {
  readonly #schema: ListSchema;
  /** The columns whose integers become strings, because `JSON.parse` rounds them. */
  readonly #bigints: readonly string[];

  constructor(schema: ListSchema) {
    this.#schema = schema;
    this.#bigints = Object.keys(schema).filter((name) => schema[name]?.kind === 'bigint');
  }

  encode(row: Readonly<Record<string, Value | null>>): string {
    const { id: _, ...values }: Record<string, Value | null> = row;
    for (const name of this.#bigints) {
      if (integerIn(values[name]) !== undefined) values[name] = String(values[name]);
    }
    return JSON.stringify(values);
  }

  /**
   * Puts stored rows into a table, or deletes them, as one commit. The commit of a row is its
   * revision.
   * @param idsAssigned the last id that the head of the list has assigned
   * @throws IncompatibleError if a row cannot be read, or if a later id has a row
   */
  replay(table: ListTable, stored: readonly KeyValue[], idsAssigned: bigint, number: number): void {
    const codec = this;
    let key = '';
    function* rows() {
      for (const each of stored) {
        key = each.key;
        yield codec.#decode(each, idsAssigned);
      }
    }
    try {
      table.replay(rows(), idsAssigned, number);
    } catch (error) {
      if (!(error instanceof ColumnError)) throw error;
      throw new IncompatibleError(`${key} cannot be read: ${error.message}`);
    }
  }

  /** Reads a row, whose values are still to be checked. @throws IncompatibleError */
  #decode({ key, value, revision }: KeyValue, idsAssigned: bigint): WrittenRow {
    const id = this.#idOf(key);
    if (value === undefined) return { id, values: undefined };
    if (BigInt(id) > idsAssigned) {
      throw new IncompatibleError(`${key} has an id above ${idsAssigned}, the idsAssigned of head`);
    }
    const json = jsonObjectIn(value);
    if (json === undefined) throw new IncompatibleError(`${key} is not a JSON object`);
    const values: Record<string, unknown> = { ...json };
    for (const name of this.#bigints) {
      const text = values[name];
      if (typeof text !== 'string' || !/^-?\d{1,19}$/.test(text)) continue;
      values[name] = canonicalInteger(BigInt(text));
    }
    return { id, values, commit: revision };
  }

  /** The id at the end of a key. @throws IncompatibleError if it is missing or out of range */
  #idOf(key: string): Integer {
    const id = canonicalInteger(BigInt(/\/(\d{19})$/.exec(key)?.[1] ?? -1));
    const { from, to } = this.#schema.id.identity;
    if (id >= from && id <= to) return id;
    throw new IncompatibleError(`${key} does not end with the 19 digits of an id`);
  }
}
