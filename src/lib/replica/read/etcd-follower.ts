import { clock, nextTurn, sleep } from '../../clock.ts';
import { Waits } from '../../waits.ts';
import { GapError, IncompatibleError, StoreError } from '../errors.ts';
import { prefixEnd } from '../etcd/json.ts';
import { watch } from '../etcd/watch.ts';
import { isOlder, isSame, type StoredHead } from '../stored/commit-head.ts';
import type { WrittenRow } from '../stored/list-table.ts';
import type { Meta } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';
import { commitReader } from './commit-reader.ts';
import type { OpenList } from './open-list.ts';
import type { ReplicaTable } from './replica-table.ts';

/** The pause after a failure, in milliseconds. */
const RETRY_MS = 100;

/** The pause after an unreadable key, in milliseconds. Operators must repair it. */
const UNREADABLE_MS = 1_000;

/** The time without events after which a watch that lacks a revision ends, in milliseconds. */
const SILENCE_MS = 1_000;

/** The time that a load takes of one turn of the event loop, in milliseconds. */
const SLICE_MS = 0.5;

/** The functions of other parts of a replica that a follower calls. */
interface FollowerOptions {
  /** Reads `meta` and the head; creates the list if there is none. @throws StoreError */
  readonly open: () => Promise<OpenList>;
  /** Called with each head that the table has reached. */
  readonly onHead: (head: StoredHead) => void;
  /** Called when a load has found an earlier head than the one that the table had reached. */
  readonly onRestored: () => void;
}

/**
 * Makes the table follow etcd's history. It loads the list at one revision, then watches it from
 * the next one and applies whole transactions. When the watch breaks, it catches up by opening
 * another one; if a part of the history is missing, or another list is current, it loads again.
 */
export class EtcdFollower {
  readonly list: StoredList;
  readonly rows: ReplicaTable;
  /** Waits for revisions. */
  readonly #waits = new Waits();
  readonly #options: FollowerOptions;
  #phase: 'loading' | 'catching up' | 'following' = 'loading';
  /** Ends the current watch. */
  #abort = new AbortController();
  #isClosed = false;
  /** The `meta` of the list that the table shows; undefined until the list is loaded. */
  meta: Meta | undefined;
  /** The head that the table has reached; undefined until the list is loaded. */
  head: StoredHead | undefined;
  /** The last revision that etcd has reported. A restore of etcd may lower it. */
  #lastKnown = 0;
  /** When the watch last received something, or was found silent, by `clock.now()`. */
  #arrivedAt = 0;
  /** The number of loads of the list. */
  loads = 0;
  /** The last error of a watch or a load since the list was last loaded. */
  lastError: StoreError | undefined;

  constructor(list: StoredList, rows: ReplicaTable, options: FollowerOptions) {
    this.list = list;
    this.rows = rows;
    this.#options = options;
  }

  /** Follows until closed, or until the list proves incompatible at the start. */
  async follow(onIncompatible: (error: IncompatibleError) => void): Promise<void> {
    while (!this.#isClosed) {
      this.#abort = new AbortController();
      try {
        const start = this.#phase === 'loading' ? await this.#load() : await this.#catchUp();
        await this.#watch(start.head, start.revision + 1);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error instanceof IncompatibleError && !this.isLoaded) return onIncompatible(error);
        this.lastError = error;
        await this.#recover(error);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#abort.abort('closed');
    this.#waits.end();
  }

  /** Whether the list has ever been loaded. */
  get isLoaded(): boolean {
    return this.head !== undefined;
  }

  /** Whether the list is loaded and its changes arrive. */
  get isFollowing(): boolean {
    return this.#phase === 'following';
  }

  /** The revision of the table; 0 until it is loaded. */
  get revision(): number {
    return this.head?.revision ?? 0;
  }

  /** The number of known revisions that the table lacks. */
  get lag(): number {
    return Math.max(0, this.#lastKnown - this.revision);
  }

  /** Records that etcd has just reported this revision as its last. */
  noteRevision(revision: number): void {
    this.#lastKnown = revision;
  }

  /**
   * Waits until the table has reached a revision above 0. Ends a watch that is silent meanwhile, and
   * switches the endpoint, because the node may be paused or disconnected. @throws StoreError
   */
  async reach(revision: number, deadline: number): Promise<void> {
    const hasReached = () => this.#phase !== 'loading' && this.revision >= revision;
    // Not worth waiting for, because operators must repair it.
    const isUnreadable = () => this.lastError instanceof IncompatibleError;
    const start = clock.now();
    while (!hasReached()) {
      const now = clock.now();
      if (isUnreadable()) throw this.lastError;
      if (now >= deadline || this.#isClosed) throw new StoreError('the replica is behind');
      const silentAt = Math.max(start, this.#arrivedAt) + SILENCE_MS;
      if (now >= silentAt && this.isFollowing && this.lag > 0) {
        this.#arrivedAt = now;
        this.list.client.switchEndpoint();
        this.#abort.abort('the watch is silent');
      }
      const nextCheck = silentAt > now ? silentAt : now + SILENCE_MS;
      const waitMs = Math.min(deadline, nextCheck) - now;
      await this.#waits.until(() => hasReached() || isUnreadable(), waitMs);
    }
  }

  /** Waits until the table has reached a head, or until the deadline. */
  async tryToReach(head: StoredHead, deadline: number): Promise<void> {
    this.noteRevision(head.revision);
    try {
      await this.reach(head.revision, deadline);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Applies this replica's own transaction, after `base`, unless the watch already has. */
  commit(base: StoredHead, head: StoredHead, changes: readonly WrittenRow[]): void {
    // During a reload, the load or the watch will apply this transaction.
    if (this.head !== base || this.#phase === 'loading') return;
    this.#moveTo(head, () => this.rows.apply(changes, head));
  }

  /** Loads the list again, unless it is being loaded. */
  reload(): void {
    if (this.#phase === 'loading') return;
    this.#phase = 'loading';
    this.#abort.abort('the list is loaded again');
  }

  /** Loads the list at one revision. @returns its head and the revision @throws StoreError */
  async #load() {
    const { list, rows } = this;
    const { meta, head, revision } = await this.#options.open();
    this.loads++;
    const replacement = rows.beginReplacement(head);
    let end = clock.now() + SLICE_MS;
    const prefix = list.keys.rowsOf(head.generation);
    const at = { revision: String(revision) };
    for await (const page of list.pages(prefix, prefixEnd(prefix), at)) {
      for (const row of page) {
        replacement.put(row);
        if (clock.now() < end) continue;
        await nextTurn();
        end = clock.now() + SLICE_MS;
      }
    }
    // The pages may have come from another history, which has reached the same revision.
    const { head: after } = await list.headAt(revision);
    if (!isSame(after, head)) throw new GapError('etcd was restored during the load');
    const isRestored = this.head !== undefined && isOlder(head, this.head);
    this.#phase = 'catching up';
    this.lastError = undefined;
    this.meta = meta;
    rows.table.maxRows = meta.maxRows;
    this.#moveTo(head, replacement.commit);
    // A restore may have removed later revisions.
    this.noteRevision(head.revision);
    if (isRestored) this.#options.onRestored();
    return { head, revision };
  }

  /**
   * Finds the revision to watch from after the watch has broken.
   * @returns the head of the table, and a revision at which it was still the last head
   * @throws StoreError; GapError if etcd was restored to an earlier state, or compacted
   */
  async #catchUp() {
    const { list, head: tableHead } = this;
    if (tableHead === undefined) throw new TypeError('a list is loaded before its watch breaks');
    const { head, revision } = await list.head();
    if (isSame(head, tableHead)) return { head: tableHead, revision };
    const { head: before } = await list.headAt(tableHead.revision);
    if (isSame(before, tableHead)) return { head: tableHead, revision: tableHead.revision };
    throw new GapError('the current list is not part of the history');
  }

  /** Applies the transactions after a head. @throws StoreError when the watch ends */
  async #watch(head: StoredHead, from: number): Promise<void> {
    const { list } = this;
    const abort = this.#abort;
    if (abort.signal.aborted) throw new StoreError(String(abort.signal.reason));
    const readCommits = commitReader(list, head);
    try {
      for await (const events of watch(list.client, list.keys.prefix, from, abort)) {
        if (!abort.signal.aborted) this.#phase = 'following';
        this.#arrivedAt = clock.now();
        for (const { head, rows } of readCommits(events)) {
          // This replica may already have applied its own transaction.
          if (head.revision <= this.revision) continue;
          const changes = this.rows.read(rows);
          this.#moveTo(head, () => this.rows.apply(changes, head));
        }
      }
    } finally {
      if (this.#phase === 'following') this.#phase = 'catching up';
    }
  }

  async #recover(error: StoreError): Promise<void> {
    const isUnreadable = error instanceof IncompatibleError;
    const isGap = error instanceof GapError;
    if (isGap || isUnreadable) this.reload();
    this.#waits.check();
    if (!isGap) await sleep(isUnreadable ? UNREADABLE_MS : RETRY_MS);
  }

  /** Moves the table to a head. The head is set first, for listeners and waiters. */
  #moveTo(head: StoredHead, change: () => void): void {
    this.head = head;
    change();
    this.#options.onHead(head);
    this.#waits.check();
  }
}
