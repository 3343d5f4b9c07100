import { type Change, ColumnError } from '../../table/index.ts';
import { IncompatibleError } from '../errors.ts';
import type { KeyChange, KeyValue } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { ListSchema, ListTable, WrittenRow } from '../stored/list-table.ts';
import type { RowCodec } from '../stored/row-codec.ts';

/** A row to store; `text` is undefined if it is to be deleted. */
export type RowToStore = WrittenRow & { readonly text: string | undefined };

/** The table, filled with stored rows. */
export class ReplicaTable {
  readonly table: ListTable;
  readonly codec: RowCodec;

  constructor(table: ListTable, codec: RowCodec) {
    this.table = table;
    this.codec = codec;
  }

  /** The row to store for a change. */
  toStore({ put, deleted }: Change<ListSchema>): RowToStore {
    return put === undefined
      ? { id: deleted.id, row: undefined, text: undefined }
      : { id: put.id, row: put, text: this.codec.encode(put) };
  }

  /** @throws IncompatibleError if a row cannot be read */
  read(changes: readonly KeyChange[]): readonly WrittenRow[] {
    return changes.map(({ key, value }) => {
      const id = this.codec.idOf(key);
      if (value === undefined) return { id, row: undefined };
      const values = this.codec.decode(key, value);
      return { id, row: mapColumnError(key, () => this.table.rowOf(id, values)) };
    });
  }

  /** Applies the rows of a transaction. */
  apply(changes: readonly WrittenRow[], { idsAssigned, revision }: StoredHead): void {
    this.table.apply(changes, idsAssigned, revision);
  }

  /**
   * Begins to replace all rows of the table by the rows of the list with this head.
   * `put` takes them by ascending id, and throws an IncompatibleError if one cannot be read.
   */
  beginReplacement({ idsAssigned, revision }: StoredHead) {
    const { table } = this;
    const loaded = table.empty();
    return {
      put: ({ key, value, modRevision }: KeyValue): void => {
        const id = this.codec.idOf(key);
        const values = this.codec.decode(key, value);
        const row = mapColumnError(key, () => loaded.rowOf(id, values));
        try {
          loaded.apply([{ id, row, revision: modRevision }], idsAssigned, revision);
        } catch (error) {
          if (!(error instanceof ColumnError)) throw error;
          throw new IncompatibleError(key, 'has an id that was never assigned');
        }
      },
      commit: (): void => table.become(loaded, revision),
    };
  }
}

/** @throws IncompatibleError if a value does not fit its column */
function mapColumnError<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ColumnError
      ? new IncompatibleError(key, `cannot be read: ${error.message}`)
      : error;
  }
}
