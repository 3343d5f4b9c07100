import type { Id, Row } from '../../table/schema/column.ts';
import type { ReplayedRow, Table } from '../../table/table.ts';
import type { ItemFields } from '../../todo/store/items.ts';
import type { KeyChange } from '../etcd/answers.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { Members, RowCodec } from '../stored/row-codec.ts';

/** The maximum number of unreadable rows to report. */
const MAX_REPORTED = 100;

/** A row that a transaction has put or deleted, and what only other versions know of it. */
export interface RowChange extends ReplayedRow<ItemFields> {
  readonly unknown: Members | undefined;
}

/** Rows that will replace all rows of the table. */
export type NextRows = ReturnType<ReplicaTable['next']>;

/**
 * The table, filled with stored rows. It remembers what only other versions know of a row, for when
 * the row is written here. A row that cannot be read is reported once, and left out.
 */
export class ReplicaTable {
  readonly table: Table<ItemFields>;
  readonly codec: RowCodec;
  readonly #onUnreadable: (key: string, reason: string) => void;
  readonly #reported = new Set<string>();
  #unknown = new Map<Id<ItemFields>, Members>();

  constructor(
    table: Table<ItemFields>,
    codec: RowCodec,
    onUnreadable: (key: string, reason: string) => void,
  ) {
    this.table = table;
    this.codec = codec;
    this.#onUnreadable = onUnreadable;
  }

  /** A row as it is to be stored, and what only other versions know of it. */
  stored(row: Row<ItemFields>): { readonly text: string; readonly unknown: Members | undefined } {
    const unknown = this.#unknown.get(row.id);
    return { text: this.codec.encode(row, unknown), unknown };
  }

  /** Reads what a transaction has written. */
  read(changes: readonly KeyChange[]): readonly RowChange[] {
    return changes.flatMap(({ key, value }) => {
      const id = this.#readable(key, () => this.codec.idOf(key));
      if (id === undefined) return [];
      if (value === undefined) return { id, row: undefined, unknown: undefined };
      const put = this.#readable(key, () => {
        const { values, unknown } = this.codec.decode(value);
        return { row: this.table.rowOf(id, values), unknown };
      });
      return { id, row: put?.row, unknown: put?.unknown };
    });
  }

  /** Shows what the transaction with a head has written. */
  apply(changes: readonly RowChange[], { idsAssigned, revision }: StoredHead): void {
    // A page of the list may have been read after the row was deleted.
    const isThere = ({ id, row }: RowChange) =>
      row !== undefined || this.table.get(id) !== undefined;
    this.table.replay(changes.filter(isThere), idsAssigned, revision);
    for (const { id, unknown } of changes) {
      if (unknown === undefined) this.#unknown.delete(id);
      else this.#unknown.set(id, unknown);
    }
  }

  /** Begins to replace all rows. */
  next() {
    const replacement = this.table.replacement();
    const unknown = new Map<Id<ItemFields>, Members>();
    return {
      /** @param revision that of the row's last write */
      put: (key: string, text: string, revision: number): void => {
        this.#readable(key, () => {
          const id = this.codec.idOf(key);
          const row = this.codec.decode(text);
          replacement.put(id, row.values, revision);
          if (row.unknown !== undefined) unknown.set(id, row.unknown);
        });
      },
      commit: ({ idsAssigned, revision }: StoredHead): void => {
        this.#unknown = unknown;
        replacement.idsAssigned = idsAssigned;
        replacement.commit(revision);
      },
    };
  }

  #readable<T>(key: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!this.#reported.has(key) && this.#reported.size < MAX_REPORTED) {
        this.#reported.add(key);
        this.#onUnreadable(key, error instanceof Error ? error.message : String(error));
      }
      return undefined;
    }
  }
}
