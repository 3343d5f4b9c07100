import type { JsonObject } from '../../json/index.ts';
import { type Change, ColumnError } from '../../table/index.ts';
import { UnreadableError } from '../errors.ts';
import type { KeyChange } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { ListSchema, ListTable, RowId, WrittenRow } from '../stored/list-table.ts';
import type { RowCodec } from '../stored/row-codec.ts';

/** The maximum number of unreadable rows to report. */
const MAX_REPORTED = 100;

/** A row that a transaction has put or deleted, and what only other versions know of it. */
export interface RowChange extends WrittenRow {
  readonly unknown: JsonObject | undefined;
}

/** A row to write; `text` is undefined if it is to be deleted. */
export type UnwrittenRow = RowChange & { readonly text: string | undefined };

/** What only other versions know of rows, by their ids. */
type UnknownMembers = Map<RowId, JsonObject>;

/** Rows that will replace all rows of the table. */
export type NextRows = ReturnType<ReplicaTable['next']>;

/**
 * The table, filled with stored rows. It remembers what only other versions know of a row, for when
 * the row is written here. A row that cannot be read is reported once, and left out.
 */
export class ReplicaTable {
  readonly table: ListTable;
  readonly codec: RowCodec;
  readonly #onUnreadable: (key: string, reason: string) => void;
  readonly #reported = new Set<string>();
  #unknown: UnknownMembers = new Map();

  constructor(
    table: ListTable,
    codec: RowCodec,
    onUnreadable: (key: string, reason: string) => void,
  ) {
    this.table = table;
    this.codec = codec;
    this.#onUnreadable = onUnreadable;
  }

  /** What to store of a change, with what only other versions know of the row. */
  toStore({ put, deleted }: Change<ListSchema>): UnwrittenRow {
    const { id } = put ?? deleted;
    if (put === undefined) return { id, row: undefined, unknown: undefined, text: undefined };
    const unknown = this.#unknown.get(id);
    return { id, row: put, unknown, text: this.codec.encode(put, unknown) };
  }

  read(changes: readonly KeyChange[]): readonly RowChange[] {
    const { table } = this;
    return changes.flatMap((change) => this.#read(change, table.rowOf.bind(table)) ?? []);
  }

  /** Shows what the transaction with a head has written. */
  apply(changes: readonly RowChange[], { idsAssigned, revision }: StoredHead): void {
    this.table.replay(changes, idsAssigned, revision);
    for (const change of changes) remember(this.#unknown, change);
  }

  next() {
    const replacement = this.table.replacement();
    const unknown: UnknownMembers = new Map();
    // The table takes ids in ascending order only.
    const rows = new Map<string, KeyChange>();
    return {
      put: (change: KeyChange): void => {
        rows.set(change.key, change);
      },
      commit: ({ idsAssigned, revision }: StoredHead): void => {
        for (const key of [...rows.keys()].sort()) {
          const change = rows.get(key);
          if (change?.value === undefined) continue;
          const read = this.#read(change, (id, values) => {
            replacement.put(id, values, change.modRevision);
            return values;
          });
          if (read !== undefined) remember(unknown, read);
        }
        this.#unknown = unknown;
        replacement.idsAssigned = idsAssigned;
        replacement.commit(revision);
      },
    };
  }

  /** Reads what has become of a row: deleted, if that cannot be read; undefined if it has no id. */
  #read<R>({ key, value }: KeyChange, rowOf: (id: RowId, values: JsonObject) => R) {
    let id: RowId | undefined;
    try {
      id = this.codec.idOf(key);
      if (value !== undefined) {
        const { values, unknown } = this.codec.decode(key, value);
        return { id, row: rowOf(id, values), unknown };
      }
    } catch (error) {
      if (error instanceof UnreadableError) this.#report(key, error.finding);
      else if (error instanceof ColumnError) this.#report(key, error.message);
      else throw error;
    }
    return id === undefined ? undefined : { id, row: undefined, unknown: undefined };
  }

  #report(key: string, reason: string): void {
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED) return;
    this.#reported.add(key);
    this.#onUnreadable(key, reason);
  }
}

function remember(all: UnknownMembers, { id, unknown }: Omit<RowChange, 'row'>): void {
  if (unknown === undefined) all.delete(id);
  else all.set(id, unknown);
}
