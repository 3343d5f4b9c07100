import { clock, sleep } from '../../clock.ts';
import { Waits } from '../../waits.ts';
import { GapError, IncompatibleError, StoreError } from '../errors.ts';
import { watch } from '../etcd/watch.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { Meta } from '../stored/meta.ts';
import type { StoredList } from '../stored/stored-list.ts';
import { commitReader } from './commit-reader.ts';
import { KnownRevision } from './known-revision.ts';
import type { OpenList } from './open-list.ts';
import type { ReplicaTable, RowChange } from './replica-table.ts';

/** How long to wait after a failure before trying again, in milliseconds. */
const RETRY_MS = 100;

/** The pause after an unreadable key, in milliseconds. Operators must repair it. */
const UNREADABLE_MS = 1_000;

/** How often to check whether the watch is silent, in milliseconds. */
const CHECK_MS = 250;

/** The functions of other parts of a replica that a follower calls. */
interface FollowerOptions {
  /** Reads `meta` and the head; creates the list if there is none. @throws StoreError */
  readonly open: () => Promise<OpenList>;
  /** Called with each head that the table has reached. */
  readonly onHead: (head: StoredHead) => void;
}

/**
 * Makes the table follow etcd's history. It loads the list at one revision, then watches it from
 * the next one and applies whole transactions. When the watch breaks, it catches up by opening
 * another one; if a part of the history is missing, or another list is current, it loads again.
 */
export class EtcdFollower {
  readonly list: StoredList;
  readonly rows: ReplicaTable;
  readonly #known = new KnownRevision();
  /** Waits for revisions. */
  readonly #waits = new Waits();
  readonly #options: FollowerOptions;
  readonly #checking = clock.setInterval(() => this.#check(), CHECK_MS).unref();
  #phase: 'loading' | 'catching up' | 'following' = 'loading';
  /** Ends the current watch. */
  #abort = new AbortController();
  #isClosed = false;
  /** The `meta` of the list that the table shows; undefined until the list is loaded. */
  meta: Meta | undefined;
  /** The head that the table has reached; undefined until the list is loaded. */
  head: StoredHead | undefined;
  /** The error of a key that cannot be read, until the list can be loaded again. */
  #unreadable: IncompatibleError | undefined;
  /** The revision of the table when the watch was last found silent. */
  #silentAt = 0;
  /** The number of loads of the list. */
  loads = 0;
  /** The last error of a watch or a load. */
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
        const shown = this.#phase === 'loading' ? await this.#load() : await this.#catchUp();
        await this.#watch(shown.head, shown.revision + 1);
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
    clock.clear(this.#checking);
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
    return this.#known.lag(this.revision);
  }

  /** Records that etcd has just reported this revision as its last. */
  noteRevision(revision: number): void {
    this.#known.note(revision, this.revision);
  }

  /** Waits until the table has reached a revision above 0. @throws StoreError */
  async reach(revision: number, deadline: number): Promise<void> {
    const isShown = () => this.#phase !== 'loading' && this.revision >= revision;
    const isOver = () => isShown() || this.#unreadable !== undefined;
    await this.#waits.until(isOver, Math.max(0, deadline - clock.now()));
    if (this.#unreadable !== undefined) throw this.#unreadable;
    if (!isShown()) throw new StoreError('the replica is behind');
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
  commit(base: StoredHead, head: StoredHead, changes: readonly RowChange[]): void {
    // During a reload, the load or the watch will apply this transaction.
    if (this.head !== base || this.#phase === 'loading') return;
    this.#show(head, () => this.rows.apply(changes, head));
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
    const next = rows.next(head);
    for await (const page of list.pages(head.generation, revision)) next.put(page);
    this.#phase = 'catching up';
    this.#unreadable = undefined;
    this.meta = meta;
    rows.table.maxRows = meta.maxRows;
    this.#show(head, next.commit);
    // A restore may have removed later revisions.
    this.noteRevision(head.revision);
    return { head, revision };
  }

  /**
   * Finds the revision to watch from after the watch has broken.
   * @returns the head of the table, and a revision at which it was still the last head
   * @throws StoreError; GapError if etcd was restored to an earlier state, or compacted
   */
  async #catchUp() {
    const { list, head: shown } = this;
    if (shown === undefined) throw new TypeError('a list is loaded before its watch breaks');
    const { head, revision } = await list.head();
    if (isSame(head, shown)) return { head: shown, revision };
    const { head: before } = await list.head(undefined, shown.revision);
    if (isSame(before, shown)) return { head: shown, revision: shown.revision };
    throw new GapError('the current list is not part of the history');
  }

  /** Applies the transactions after a head. @throws StoreError when the watch ends */
  async #watch(head: StoredHead, from: number): Promise<void> {
    const { client, keys } = this.list;
    const abort = this.#abort;
    if (abort.signal.aborted) throw new StoreError(String(abort.signal.reason));
    const completed = commitReader(keys, head);
    try {
      for await (const events of watch(client, keys.prefix, from, abort)) {
        if (!abort.signal.aborted) this.#phase = 'following';
        this.#known.arrive();
        for (const { head, rows } of completed(events)) {
          // This replica may already have applied its own transaction.
          if (head.revision <= this.revision) continue;
          const changes = this.rows.read(rows);
          this.#show(head, () => this.rows.apply(changes, head));
        }
      }
    } finally {
      if (this.#phase === 'following') this.#phase = 'catching up';
    }
  }

  async #recover(error: StoreError): Promise<void> {
    const isUnreadable = error instanceof IncompatibleError;
    if (isUnreadable) {
      // Lets requests fail now, because the key stays unreadable until it is repaired.
      this.#unreadable = error;
      this.#waits.check();
    }
    const isGap = error instanceof GapError;
    if (isGap || isUnreadable) this.reload();
    if (!isGap) await sleep(isUnreadable ? UNREADABLE_MS : RETRY_MS);
  }

  /** Changes the table to a head. The head is set first, for listeners and waiters. */
  #show(head: StoredHead, change: () => void): void {
    this.head = head;
    change();
    this.#options.onHead(head);
    this.#waits.check();
  }

  /**
   * Ends a silent watch and switches the endpoint, because the node may be paused or disconnected.
   * After a second silence at one revision, loads the list again, because events may be lost.
   */
  #check(): void {
    const { revision } = this;
    if (!this.isFollowing || !this.#known.isSilent(revision)) return;
    this.#known.arrive();
    this.list.client.switchEndpoint();
    if (revision === this.#silentAt) this.reload();
    else this.#abort.abort('the watch is silent');
    this.#silentAt = revision;
  }
}

/** Whether two heads are one commit. If sent again after a restore, its revision differs. */
function isSame(head: StoredHead | undefined, other: StoredHead): boolean {
  return head?.text === other.text && head.revision === other.revision;
}
