import { jsonObjectIn } from '../json/index.ts';
import {
  type Change,
  type Column,
  ColumnError,
  canonicalInteger,
  type Id,
  type Integer,
  integerIn,
  type Row,
  type Schema,
  type Synchronous,
  type Value,
} from '../table/index.ts';
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

/** A row of a list. */
export type ListRow = Row<ListSchema>;

/** A row that a commit wrote; `row` is undefined if it was deleted. */
export interface WrittenRow {
  readonly id: Id<ListSchema>;
  readonly row: ListRow | undefined;
  /** The number of the commit: its revision in etcd. */
  readonly commit: number;
}

/** The part of the table engine's `Table` that replicas use. */
export interface ListTable {
  rowOf(id: Id<ListSchema>, values: object): ListRow;
  readonly idsAssigned: bigint;
  /** Replicas set it, and never read it. */
  maxRows: number;
  transaction<T extends Synchronous>(work: () => T): T;
  dryRun<T extends Synchronous>(
    work: (changesAfter: (count: number) => readonly Change<ListSchema>[]) => T,
  ): T;
  apply(rows: readonly WrittenRow[], idsAssigned: bigint, number: number): void;
  createEmpty(): ListTable;
  replaceRows(other: ListTable, number: number): void;
}

/** Stores rows as JSON of all columns but the id, which is in the key. */
export class RowCodec {
  readonly #table: ListTable;
  readonly #schema: ListSchema;
  /** The columns whose integers become strings, because `JSON.parse` rounds them. */
  readonly #bigints: readonly string[];

  constructor(table: ListTable, schema: ListSchema) {
    this.#table = table;
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
   * Reads a row that was written or deleted.
   * @param idsAssigned the last id that the head of the list has assigned
   * @throws IncompatibleError if it cannot be read, or if a later id has a row
   */
  decode({ key, value, revision: commit }: KeyValue, idsAssigned: bigint): WrittenRow {
    const id = this.#idOf(key);
    if (value === undefined) return { id, row: undefined, commit };
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
    try {
      return { id, row: this.#table.rowOf(id, values), commit };
    } catch (error) {
      if (!(error instanceof ColumnError)) throw error;
      throw new IncompatibleError(`${key} cannot be read: ${error.message}`);
    }
  }

  /** The id at the end of a key. @throws IncompatibleError if it is missing or out of range */
  #idOf(key: string): Integer {
    const id = canonicalInteger(BigInt(/\/(\d{19})$/.exec(key)?.[1] ?? -1));
    const { from, to } = this.#schema.id.identity;
    if (id >= from && id <= to) return id;
    throw new IncompatibleError(`${key} does not end with the 19 digits of an id`);
  }
}
