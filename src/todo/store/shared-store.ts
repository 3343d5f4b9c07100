import type { Row } from '../../table/schema/column.ts';
import type { ReplayedRow, Table } from '../../table/table.ts';
import type { ItemFields } from '../item-api.ts';
import type { Store } from './store.ts';

/** A transaction of any replica: its number, and the rows that it has put or deleted. */
export interface SharedCommit {
  readonly number: number;
  readonly rows: readonly ReplayedRow<ItemFields>[];
}

/** Statistics of a shared store; counters begin with the process. */
export interface StoreStats {
  /** The revision that this replica shows. */
  readonly revision: number;
  /** How many known revisions it does not show yet. */
  readonly lag: number;
  /** Requests to the store that were retried. */
  readonly retries: number;
  /** Transactions that lost to another replica and were tried again. */
  readonly conflicts: number;
  /** Writes whose outcome is unknown. */
  readonly unknownOutcomes: number;
  /** How often the whole list was loaded. */
  readonly loads: number;
}

/** A store that several replicas share: each has the whole list in a table of its own. */
export interface SharedStore extends Store {
  /** Identifies the list among all lists. It has no meaning before the list is loaded. */
  readonly listId: string;
  /** Whether the list has been loaded. */
  readonly isLoaded: boolean;
  /** Waits until this replica shows everything acknowledged before this call. @throws Problem */
  catchUp(): Promise<void>;
  /**
   * The transactions with a number above `after` and up to `through`, from the store's own history:
   * as many as make a page, and at least one if there is one. Undefined if the history does not
   * reach back far enough.
   * @throws Problem if it cannot be read now
   */
  commits(after: number, through: number): Promise<readonly SharedCommit[] | undefined>;
  /** Resets the list to the seed, for all replicas; ids start again. @throws Problem */
  reset(): Promise<void>;
  /** Why this replica is not ready to serve; undefined if it is ready. */
  readonly notReadyReason: string | undefined;
  readonly stats: StoreStats;
  close(): void;
}

/** Opens a shared store, which fills and updates the table. */
export type OpenStore = (
  table: Table<ItemFields>,
  seedRows: () => readonly Row<ItemFields>[],
) => SharedStore;
