import type { Row } from '../table/schema/column.ts';
import type { ReplayedRow, Table } from '../table/table.ts';
import type { TodoFields } from './fields.ts';
import type { Store } from './store.ts';

/** A transaction of some replica: its number, and the rows that it has put or deleted. */
export interface SharedCommit {
  readonly number: number;
  readonly rows: readonly ReplayedRow<TodoFields>[];
}

/** What a shared store tells of itself, since the process began. */
export interface StoreFigures {
  /** The revision that this replica shows. */
  readonly revision: number;
  /** Revisions that are known, and not shown yet. */
  readonly lag: number;
  /** Requests to the store that were sent again. */
  readonly retries: number;
  /** Transactions that another replica came before. */
  readonly conflicts: number;
  /** Writes of which nobody knows whether they have happened. */
  readonly unknownOutcomes: number;
  /** How often the whole list was loaded. */
  readonly loads: number;
}

/** A store that several replicas share: each has the whole list in a table of its own. */
export interface SharedStore extends Store {
  /** Tells the list apart from every other one; what it is before it was loaded says nothing. */
  readonly listId: string;
  /** Whether there is a list to show. */
  readonly isLoaded: boolean;
  /** Waits until this replica shows all that had been acknowledged. @throws Problem */
  catchUp(): Promise<void>;
  /**
   * The transactions after one up to another, from the store's own history; undefined where it does
   * not reach back so far.
   */
  commits(after: number, through: number): Promise<readonly SharedCommit[] | undefined>;
  /** Puts everything back to the seed, for all replicas; ids start anew. @throws Problem */
  reset(): Promise<void>;
  /** Why no new work is wanted now; undefined where it is. */
  readonly unready: string | undefined;
  readonly figures: StoreFigures;
  close(): void;
}

/** Opens a shared store on a table, which it fills. */
export type OpenStore = (
  table: Table<TodoFields>,
  seedRows: () => readonly Row<TodoFields>[],
) => SharedStore;
