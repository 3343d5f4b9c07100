import { clock } from '../../lib/clock.ts';
import type { Problem, ProblemType } from '../../lib/http/index.ts';
import type { PastCommit, Replica } from '../../lib/replica/index.ts';
import type { Synchronous } from '../../lib/table/index.ts';
import type { Items, Run, SeedItems } from './items.ts';
import { fullProblem } from './problems.ts';

/** Where the items are kept: in this process or, with all members, where replicas share them. */
export interface Store {
  /** As this process shows them. To read and to change them takes `read` and `write`. */
  readonly items: Items;
  /** Runs work that reads, after all writes acknowledged before. @throws also a store's Problem */
  read<T>(work: () => T | Promise<T>): T | Promise<T>;
  /**
   * Runs work as a transaction, which leaves no trace if it throws. It may run more than once, but
   * its effect shows once.
   * @param respond gets the result once it is stored, and the number of the last commit by then
   * @param told turns an error into what to throw, for one of several writes of a request
   * @throws what the work throws, as a Problem if there is no room; or a Problem of the store: the
   * write has not happened with `store-unavailable`, and may have with `outcome-unknown`
   */
  write<T extends Synchronous, R>(
    work: () => T,
    respond: (result: T, number: number) => R,
    told?: (error: unknown) => unknown,
  ): R | Promise<R>;
  /** The maximum rows of one write. Others may write between it and the next. */
  readonly maxRowsPerWrite: number;
  /**
   * Goes back to the seed, or to other items, in one commit. @throws Problem, TableFullError
   * @param settle makes the commit, if this process alone decides when that is
   */
  reset(seed?: SeedItems, settle?: Settle): Promise<void>;
  /** Names the items that are shown, once loaded: another name after each reset, by whomever. */
  generation(): string;
  /** Refuses what has waited longest, of a certain outcome first. @returns false if none waits */
  refuseWaiting?(): boolean;
  /** The history of a commit, once loaded: with its number unique, even after a restore. */
  historyOf(number: number): string;
  /** Distinguishes how this version shows items. */
  readonly representation: string;
  isLoaded?(): boolean;
  /** Waits until everything acknowledged before this call can be read. @throws Problem */
  catchUp?(): Promise<void>;
  /** The next commits after one, as `HistoryReader` of lib/replica says. @throws Problem */
  commits?(after: number, through: number): Promise<readonly PastCommit[] | undefined>;
  /** The problem of what is asked of a store that cannot serve now; undefined if it can. */
  unreadiness?(): Problem | undefined;
  /** What its metrics describe. */
  stats?(): Replica['stats'] & { readonly unknownOutcomes: number };
  /** The problems of the store itself that any read, and any write, can have. */
  readonly problems: {
    readonly ofReads: readonly ProblemType[];
    readonly ofWrites: readonly ProblemType[];
  };
  close?(): void;
}

/** Calls back once no write is under way, and holds others back meanwhile. */
export type Settle = (commit: () => void) => Promise<void>;

/** Opens a store, which fills the items. @throws TableFullError if the seed does not fit */
export type OpenStore = (items: Items, run: Run) => Store;

/** The items of this process: nothing has to wait. */
export const memoryStore: OpenStore = (items, run) => {
  const { table } = items;
  const history = runId();
  let resets = 0;
  items.fill();
  return {
    items,
    read: (work) => work(),
    write(work, respond) {
      try {
        return respond(table.transaction(work), table.version);
      } catch (error) {
        throw fullProblem(error) ?? error;
      }
    },
    maxRowsPerWrite: Number.POSITIVE_INFINITY,
    async reset(seed, settle = async (commit) => commit()) {
      const { replacement } = await run(items.replacement(seed));
      await settle(() => {
        resets++;
        replacement.commit();
      });
    },
    generation: () => String(resets),
    historyOf: () => history,
    representation: '',
    problems: { ofReads: [], ofWrites: [] },
  };
};

/** An id with the random bits of a UUID, without loading `node:crypto`: a tenth of the start. */
function runId(): string {
  const random = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const numbers = [clock.time(), random(), random(), random()];
  return numbers.map((number) => number.toString(36)).join('-');
}
