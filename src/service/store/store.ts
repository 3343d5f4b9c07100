import type { Problem, Request } from '../../lib/http/index.ts';
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
  /** Throws if the list was reset after the request arrived. Called in each commit. */
  readonly checkReset: () => void;
  /** Throws if a precondition does not hold. Called in the first commit. */
  readonly check: () => void;
  /** Returns the change, or throws. Called one time, after the preconditions. */
  readonly changeOf: () => ItemChange;
}

/** The storage of the items: in this process, or in etcd, where replicas share them. */
export interface Store {
  /** This process's copy of the items. Access it only within `read` and `write`. */
  readonly items: Items;
  /** Runs `work` when `items` has all acknowledged writes. @throws Problem of the store */
  read<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Runs work as a transaction, which writes nothing if it throws. The work may run more than once,
   * but takes effect at most once.
   * @param respond receives the result and the last commit's number when the result is stored
   * @throws the error of the work, or Problem: `store-full`, `store-unavailable` (nothing was
   * written) or `outcome-unknown` (it may have been written)
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
  ): R | Promise<R>;
  /**
   * Writes all items that match, in one commit if the store can, else in several.
   * @returns how many items match @throws Problem
   */
  writeMatching(matching: MatchingWrite): Promise<number>;
  /** Resets to the seed or to other items, in one commit. @throws Problem, TableFullError */
  reset(seed?: SeedItems): Promise<void>;
  /** A name that each reset changes; empty until the list is loaded. */
  generation(): string;
  /** Distinguishes this list's commits from other lists' commits with the same number. */
  listId(): string;
  /** Absent if no other process writes to the list. */
  readonly sharing?: Sharing;
}

/** The members of a store that several processes share. */
export interface Sharing {
  /** Identifies this version's JSON format of items. Entity tags contain it. */
  readonly representation: string;
  /** The number of the last commit that the items show. Writes may share the next one. */
  shownCommit(): number;
  /** The problem of a request to a store that cannot serve now; undefined if it can. */
  notReadyProblem(): Problem | undefined;
  /** The metrics of the store, in Prometheus's text format. */
  metrics(isReady: boolean): readonly string[];
  close(): void;
}

/** Opens a store, which fills the items. @throws TableFullError if the seed does not fit */
export type OpenStore = (items: Items, run: Run) => Store;
