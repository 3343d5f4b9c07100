import { clock, nextTurn, sleep } from '../../lib/clock.ts';
import { PendingWaits } from '../../lib/pending-waits.ts';
import { withDeadline } from './deadline.ts';
import { GapError, IncompatibleError, StoreError } from './errors.ts';
import { encode, type KeyValue } from './etcd/gateway.ts';
import { Head } from './head.ts';
import type { ReplicatedList } from './list.ts';
import { loadItems } from './load.ts';

/** The pause after a failure, in milliseconds. */
const RETRY_MS = 100;

/** The pause after an unreadable key, in milliseconds. Operators must repair it. */
const UNREADABLE_MS = 1_000;

/** The time without events after which a watch that lacks a revision ends, in milliseconds. */
const SILENCE_MS = 1_000;

const TOO_FEW_ENDPOINTS =
  'there is no list, and it is created only while more than half of the endpoints answer';

/** The functions of other parts of a replica that a follower calls. */
interface FollowerOptions {
  /** Creates the list, unless another replica is faster. @throws StoreError */
  readonly create: () => Promise<void>;
  /** Called when the list has other items, because it was loaded. */
  readonly onLoad: () => void;
  /** Called with each head that the table shows. */
  readonly onHead: (head: Head) => void;
  /** Called when a load has found an earlier head than the one that the table had shown. */
  readonly onRestored: () => void;
}

/**
 * Makes the table follow etcd's history. It loads the list at one revision, then watches it from the
 * next one and applies whole commits, its own ones too. When the watch breaks, it opens another
 * one. If a head does not follow the previous one, it loads the list again.
 */
export class Follower {
  readonly list: ReplicatedList;
  readonly #options: FollowerOptions;
  /** Waits for the table to show a revision. */
  readonly #waits = new PendingWaits();
  /** The head that the table shows; undefined until the list is loaded. */
  head: Head | undefined;
  #mustLoad = true;
  /** Whether the list is loaded and its changes arrive. */
  isFollowing = false;
  /** Ends the current watch. */
  #abort = new AbortController();
  /** When the watch last received something, or was found silent, by `clock.now()`. */
  #arrivedAt = 0;
  /** The revision of the last head that etcd has reported. A restore of etcd may lower it. */
  #lastKnown = 0;
  /** The number of times that it began to open the list. */
  #opens = 0;
  /** The value of `#opens` when the load that the table shows began. */
  #loadedIn = 0;
  /** The number of loads of the list. */
  loads = 0;
  /** The last error of a watch or a load since the list was last loaded. */
  lastError: StoreError | undefined;
  /** The read of the head that is in flight. */
  #reading: Promise<unknown> = Promise.resolve();
  /** The read that begins when `#reading` has ended. All callers since then share it. */
  #nextRead: Promise<void> | undefined;

  constructor(list: ReplicatedList, options: FollowerOptions) {
    this.list = list;
    this.#options = options;
  }

  /** Follows until closed, or until the list proves incompatible at the start. */
  async follow(onIncompatible: (error: IncompatibleError) => void): Promise<void> {
    while (!this.#waits.hasEnded) {
      this.#abort = new AbortController();
      try {
        await this.#watch(await this.#open());
      } catch (error) {
        this.isFollowing = false;
        if (!(error instanceof StoreError)) throw error;
        const isUnreadable = error instanceof IncompatibleError;
        if (isUnreadable && this.head === undefined) return onIncompatible(error);
        this.lastError = error;
        if (isUnreadable || error instanceof GapError) this.#reload();
        this.#waits.check();
        if (!(error instanceof GapError)) await sleep(isUnreadable ? UNREADABLE_MS : RETRY_MS);
      }
    }
  }

  close(): void {
    this.#abort.abort('closed');
    this.#waits.end();
  }

  /** The number of known revisions that the table lacks. */
  get lag(): number {
    return Math.max(0, this.#lastKnown - (this.head?.revision ?? 0));
  }

  /** When a request that begins now gives up, by `clock.now()`. */
  deadline(): number {
    return clock.now() + this.list.timeoutMs;
  }

  /**
   * Waits until the table has all writes acknowledged before the call (a read index, section 6.4 of
   * Ongaro's "Consensus: Bridging Theory and Practice"). One linearizable read of the head serves all
   * callers that came before it began. At most one is in flight.
   * @param deadline by `clock.now()`; by default, as for any request that begins now
   * @throws StoreError
   */
  catchUp(deadline?: number): Promise<void> {
    this.#nextRead ??= this.#readHead(this.deadline());
    return deadline === undefined ? this.#nextRead : withDeadline(this.#nextRead, deadline);
  }

  async #readHead(deadline: number): Promise<void> {
    await Promise.all([nextTurn(), this.#reading]);
    this.#nextRead = undefined;
    const { head: before } = this;
    const opens = this.#opens;
    const request = this.#fetchHead(deadline);
    this.#reading = request.catch(() => {});
    const { head } = await request;
    // A later load shows more, unless etcd was restored, and then this head is gone.
    if (this.#loadedIn > opens) return;
    if (Head.isRestored(before, head)) this.#reload();
    // Without a head there is no list, but it is about to be created.
    this.#lastKnown = head?.revision ?? 1;
    if (await this.reach(this.#lastKnown, deadline)) return;
    throw this.#watchError ?? new StoreError('the replica is behind');
  }

  /**
   * Waits until the table shows a revision, or the list as loaded after this call: a restore of etcd
   * may have removed the revision. Ends a watch that is silent meanwhile, and switches the endpoint,
   * because the node may be paused or disconnected.
   * @returns whether it does before the deadline
   */
  async reach(revision: number, deadline: number): Promise<boolean> {
    const opens = this.#opens;
    const hasReached = () =>
      !this.#mustLoad && ((this.head?.revision ?? 0) >= revision || this.#loadedIn > opens);
    const start = clock.now();
    while (!hasReached()) {
      const now = clock.now();
      // A key that cannot be read is not worth waiting for, because operators must repair it.
      if (now >= deadline || this.#waits.hasEnded || this.#unreadable) return false;
      if (this.isFollowing && now >= Math.max(start, this.#arrivedAt) + SILENCE_MS) {
        this.#arrivedAt = now;
        this.list.etcd.switchEndpoint();
        this.#abort.abort('the watch is silent');
      }
      const waitMs = Math.min(deadline - now, SILENCE_MS);
      await this.#waits.until(() => hasReached() || this.#unreadable !== undefined, waitMs);
    }
    return true;
  }

  /** Why the list is not followed, or cannot be; undefined if it is followed. */
  get #watchError(): StoreError | undefined {
    return this.#unreadable ?? (this.isFollowing ? undefined : this.lastError);
  }

  get #unreadable(): IncompatibleError | undefined {
    return this.lastError instanceof IncompatibleError ? this.lastError : undefined;
  }

  /** Loads the list again, unless it is being loaded. */
  #reload(): void {
    if (this.#mustLoad) return;
    this.#mustLoad = true;
    this.#abort.abort('the list is loaded again');
  }

  /** Fetches the head at a revision, or the current one, and etcd's revision. @throws StoreError */
  async #fetchHead(deadline?: number, at = 0) {
    const { etcd, keys, identity } = this.list;
    const body = { key: encode(keys.head), revision: String(at) };
    const { found, revision } = await etcd.range(body, { deadline });
    return { head: found[0] && Head.read(found[0], identity), revision };
  }

  /** Makes the table show a head of etcd. @returns the revision after which to watch */
  async #open(): Promise<number> {
    const { etcd, keys } = this.list;
    const { head: before } = this;
    const opens = ++this.#opens;
    if (before === undefined) etcd.forgetCluster();
    const { head, revision } = await this.#fetchHead();
    // At the start, and before a list is created, all endpoints must be of one cluster.
    const mustAskAll = before === undefined || head === undefined;
    const hasMajority = mustAskAll && (await etcd.hasMajority(keys.head));
    if (head === undefined) {
      const body = { key: encode(keys.generation), revision: String(revision) };
      const { found } = await etcd.range(body);
      if (found.length > 0) throw new IncompatibleError(`${keys.head} is missing`);
      if (!hasMajority) throw new StoreError(TOO_FEW_ENDPOINTS);
      await this.#options.create();
      return this.#open();
    }
    // `sendCommit` may wait for this link, which tells the outcome of its commit.
    if (before !== undefined && head.follows(before)) before.next = head;
    const isOther = before?.members.generation !== head.members.generation;
    if (this.#mustLoad || isOther || Head.isRestored(before, head)) {
      await this.#load(head, revision);
      this.#loadedIn = opens;
      this.#waits.check();
    }
    const { head: shown } = this;
    return shown !== undefined && !shown.isSame(head) ? shown.revision : revision;
  }

  /** Loads the list of a head at a revision. @throws StoreError */
  async #load(head: Head, revision: number): Promise<void> {
    const { list } = this;
    this.#mustLoad = true;
    this.loads++;
    const loaded = await loadItems(list, head, revision);
    // The rows may have come from another history, which has reached the same revision.
    const { head: after } = await this.#fetchHead(undefined, revision);
    if (!after?.isSame(head)) throw new GapError('etcd was restored during the load');
    const isRestored = Head.isRestored(this.head, head);
    this.#mustLoad = false;
    this.lastError = undefined;
    this.#moveTo(head, () => {
      list.items = loaded;
      this.#options.onLoad();
    });
    // A restore may have removed later revisions.
    this.#lastKnown = head.revision;
    if (isRestored) this.#options.onRestored();
  }

  /** Applies the commits after a revision. @throws StoreError when the watch ends */
  async #watch(revision: number): Promise<void> {
    const { etcd, keys, identity, codec } = this.list;
    const abort = this.#abort;
    const check = () => {
      if (abort.signal.aborted) throw new StoreError(String(abort.signal.reason));
    };
    check();
    const rows = new Map<string, KeyValue>();
    for await (const events of etcd.watch(keys.prefix, revision + 1, abort)) {
      check();
      this.isFollowing = true;
      this.#arrivedAt = clock.now();
      for (const event of events) {
        const { head: before } = this;
        // etcd 3.4 has repeated events.
        if (before === undefined || event.revision <= before.revision) continue;
        const { key } = event;
        if (key.startsWith(keys.rowsOf(before.members.generation))) rows.set(key, event);
        if (key !== keys.head) continue;
        const head = Head.read(event, identity);
        if (!head.follows(before)) throw new GapError('a commit is missing');
        before.next = head;
        const { generation, changes } = head.members;
        const idsAssigned = BigInt(head.members.idsAssigned);
        if (generation !== before.members.generation) throw new GapError('the list was reset');
        if (rows.size !== changes) throw new GapError('a row is missing');
        const written = [...rows.values()];
        rows.clear();
        this.#moveTo(head, () => {
          codec.replay(this.list.items.table, written, idsAssigned, head.revision);
        });
      }
    }
  }

  /** Moves the table to a head. The head is set first, for listeners and waiters. */
  #moveTo(head: Head, change: () => void): void {
    this.head = head;
    change();
    this.#options.onHead(head);
    this.#waits.check();
  }
}
