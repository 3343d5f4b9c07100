import type { Request, Response } from '../../lib/http/index.ts';
import type { Awaitable } from '../../lib/steps.ts';
import type { NonEmpty } from '../../lib/table/index.ts';
import type { FieldValues } from '../resource/field.ts';
import type { ComputeValues, Items } from './items.ts';

/** New values of some fields, of all items or of each, or a deletion. */
export type ItemChange = FieldValues | ComputeValues | 'deletion';

/** A write to all items that match conditions (api.md: "Several items at once"). */
export interface MatchingWrite {
  readonly where: NonEmpty;
  /** Runs the search on behalf of a request. */
  readonly run: Request['run'];
  /** Waits on behalf of the request. */
  readonly wait: Request['wait'];
  /** Throws if a precondition does not hold for the items. Called in the first commit. */
  readonly check: (items: Items) => void;
  /** Returns the change, or throws. Called once, after the preconditions. */
  readonly changeOf: () => ItemChange;
}

/** Keeps the items of a list. */
export interface Store {
  /** Distinguishes the commits of this list, and its JSON of items, from those of other lists. */
  readonly id: string;
  /** The items, to read. */
  readonly items: Items;
  /**
   * Runs work as a transaction, which writes nothing if it throws. The work may run several times,
   * but takes effect at most once.
   * @param work writes to the items that it is given, and returns the response
   * @throws the error of the work, such as a TableFullError; Problem
   */
  write(work: (items: Items) => Response): Awaitable<Response>;
  /**
   * Writes all items that match, in one commit if the store can, else in several. One such write runs
   * after the other, in their order, beside writes to single items.
   * @returns how many items match @throws Problem, TableFullError
   */
  writeMatching(matching: MatchingWrite): Promise<number>;
  /**
   * Keeps the items of a reset.
   * @param hasWaited whether it has waited behind other resets. If the store is away, it fails at once then
   * @returns the store that has them @throws Problem
   */
  replace(items: Items, hasWaited: boolean): Awaitable<Store>;
}
