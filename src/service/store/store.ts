import type { Problem, Request } from '../../lib/http/index.ts';
import type { Awaitable } from '../../lib/steps.ts';
import type { NonEmpty, Synchronous } from '../../lib/table/index.ts';
import type { FieldValues } from '../resource/field.ts';
import type { Items, Run, SeedItems } from './items.ts';

/** New values of some fields, or a deletion. */
export type ItemChange = FieldValues | 'deletion';

/** A write to all items that match conditions (api.md: "Several items at once"). */
export interface MatchingWrite {
  readonly where: NonEmpty;
  /** Runs the search on behalf of a request. */
  readonly run: Request['run'];
  /** Waits on behalf of the request. */
  readonly wait: Request['wait'];
  /** Throws if a precondition does not hold. Called in the first commit. */
  readonly check: () => void;
  /** Returns the change, or throws. Called once, after the preconditions. */
  readonly changeOf: () => ItemChange;
}

/** The storage of the items of a list. */
export interface Store {
  /** This process's copy of the items. Access it only within `read` and `write`. */
  readonly items: Items;
  /** Runs `work` when `items` has all acknowledged writes. @throws Problem of the store */
  read<T>(work: () => Awaitable<T>): Awaitable<T>;
  /**
   * Runs work as a transaction, which writes nothing if it throws. The work may run more than once,
   * but takes effect at most once.
   * @param respond receives the result and the last commit's number when the result is stored
   * @throws the error of the work, such as a TableFullError; or Problem: `store-unavailable`
   * (nothing was written) or `outcome-unknown` (it may have been written)
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, commit: number) => R,
  ): Awaitable<R>;
  /**
   * Writes all items that match, in one commit if the store can, else in several. One such write runs
   * after the other, in their order, beside writes to single items.
   * @returns how many items match @throws Problem, TableFullError
   */
  writeMatching(matching: MatchingWrite): Promise<number>;
  /**
   * Distinguishes the commits of this list, and its JSON of items, from those of other lists. Empty
   * until the list is loaded.
   */
  listId(): string;
}

/** A store that several processes share. */
export interface SharedStore extends Store {
  /**
   * Resets the items for all processes, in one commit; by default, to those of the start.
   * @throws Problem, TableFullError
   */
  reset(seed?: SeedItems): Promise<void>;
  /** The problem of a request to a store that cannot serve now; undefined if it can. */
  notReadyProblem(): Problem | undefined;
  /** The metrics of the store, in Prometheus's text format. */
  metrics(isReady: boolean): readonly string[];
  close(): void;
}

/** Opens a shared store, which fills the items. @throws TableFullError if the seed does not fit */
export type OpenStore = (items: Items, run: Run) => SharedStore;
