import type { JsonObject } from '../../json/index.ts';
import { type Change, ColumnError } from '../../table/index.ts';
import { IncompatibleError } from '../errors.ts';
import type { KeyChange, KeyValue } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { ListSchema, ListTable, RowId, WrittenRow } from '../stored/list-table.ts';
import type { RowCodec } from '../stored/row-codec.ts';

/** A row that a transaction has put or deleted, with members unknown to this version. */
export interface RowChange extends WrittenRow {
  readonly unknown: JsonObject | undefined;
}

/** A row to write; `text` is undefined if it is to be deleted. */
export type UnwrittenRow = RowChange & { readonly text: string | undefined };

/** Members of rows that are unknown to this version, by the ids of the rows. */
type UnknownMembers = Map<RowId, JsonObject>;

/** The table, filled with stored rows, and the members of rows unknown to this version. */
export class ReplicaTable {
  readonly table: ListTable;
  readonly codec: RowCodec;
  #unknown: UnknownMembers = new Map();

  constructor(table: ListTable, codec: RowCodec) {
    this.table = table;
    this.codec = codec;
  }

  /** The row to store for a change. */
  toStore({ put, deleted }: Change<ListSchema>): UnwrittenRow {
    const { id } = put ?? deleted;
    if (put === undefined) return { id, row: undefined, unknown: undefined, text: undefined };
    const unknown = this.#unknown.get(id);
    return { id, row: put, unknown, text: this.codec.encode(put, unknown) };
  }

  /** @throws IncompatibleError if a row cannot be read */
  read(changes: readonly KeyChange[]): readonly RowChange[] {
    return changes.map(({ key, value }) => {
      const id = this.codec.idOf(key);
      if (value === undefined) return { id, row: undefined, unknown: undefined };
      const { values, unknown } = this.codec.decode(key, value);
      return { id, row: checked(key, () => this.table.rowOf(id, values)), unknown };
    });
  }

  /** Applies the rows of a transaction. */
  apply(changes: readonly RowChange[], { idsAssigned, revision }: StoredHead): void {
    this.table.replay(changes, idsAssigned, revision);
    for (const { id, unknown } of changes) remember(this.#unknown, id, unknown);
  }

  /**
   * Begins to replace all rows of the table by the rows of the list with this head.
   * `put` takes them by ascending id, and throws an IncompatibleError if one cannot be read.
   */
  next({ idsAssigned, revision }: StoredHead) {
    const replacement = this.table.replacement();
    const all: UnknownMembers = new Map();
    return {
      put: (rows: readonly KeyValue[]): void => {
        for (const { key, value, modRevision } of rows) {
          const id = this.codec.idOf(key);
          const { values, unknown } = this.codec.decode(key, value);
          checked(key, () => replacement.put(id, values, modRevision));
          remember(all, id, unknown);
        }
        if (replacement.idsAssigned > idsAssigned) {
          const { key = '' } = rows.at(-1) ?? {};
          throw new IncompatibleError(key, 'has an id that was never assigned');
        }
      },
      commit: (): void => {
        this.#unknown = all;
        replacement.idsAssigned = idsAssigned;
        replacement.commit(revision);
      },
    };
  }
}

/** @throws IncompatibleError if a value does not fit its column */
function checked<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ColumnError
      ? new IncompatibleError(key, `has a ${error.message}`)
      : error;
  }
}

function remember(all: UnknownMembers, id: RowId, unknown: JsonObject | undefined): void {
  if (unknown === undefined) all.delete(id);
  else all.set(id, unknown);
}
