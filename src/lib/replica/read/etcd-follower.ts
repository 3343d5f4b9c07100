import { clock, sleep } from '../../clock.ts';
import { GapError, IncompatibleError, StoreError, UnreadableError } from '../errors.ts';
import type { KeyChange } from '../etcd/json.ts';
import { watch } from '../etcd/watch.ts';
import { historyOf, type StoredHead } from '../stored/commit-head.ts';
import type { StoredList } from '../stored/stored-list.ts';
import type { AgreedMeta } from './agreed-meta.ts';
import { commitReader, type Transaction } from './commit-reader.ts';
import { ListCopy, RETRY_MS } from './list-copy.ts';
import type { ReplicaTable, RowChange } from './replica-table.ts';
import { RevisionWaiters } from './revision-waiters.ts';

/** How often to look whether the watch is silent, in milliseconds. */
const CHECK_MS = 250;

/** Called when the watch or a load has failed, and for each head whose list is shown. */
export interface FollowerEvents {
  onFailure(): void;
  onHead(head: StoredHead): void;
}

/** Keeps the table as etcd's history has it: loads it, then advances by whole transactions. */
export class EtcdFollower {
  readonly list: StoredList;
  readonly rows: ReplicaTable;
  readonly agreed: AgreedMeta;
  readonly waiters = new RevisionWaiters();
  readonly #events: FollowerEvents;
  readonly #checking = clock.setInterval(() => this.#check(), CHECK_MS).unref();
  #isClosed = false;
  /** Ends the open watch. */
  #watching: AbortController | undefined;
  #isWatching = false;
  /** Whether the list must be loaded before it is read. */
  #isStale = true;
  /** The head of what the table shows; undefined until it is loaded. */
  head: StoredHead | undefined;
  /** The last head known, shown or not: it names the histories of all commits before it. */
  #latest: StoredHead | undefined;
  #copy: ListCopy | undefined;
  /** The rows that each reset writes before it makes their generation the current one. */
  readonly #prepared = new Map<string, ListCopy>();
  /** Where the watch was last silent. */
  #silentAt = 0;
  /** How often the list was loaded. */
  loads = 0;
  /** What has ended the watch or a load last. */
  lastError: StoreError | undefined;

  constructor(list: StoredList, rows: ReplicaTable, agreed: AgreedMeta, events: FollowerEvents) {
    this.list = list;
    this.rows = rows;
    this.agreed = agreed;
    this.#events = events;
  }

  /** Follows until it is closed, or the list does not fit at the start. */
  async follow(onIncompatible: (error: IncompatibleError) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof IncompatibleError && !this.isLoaded) return onIncompatible(error);
        if (!(error instanceof StoreError)) throw error;
        this.#note(error);
        // What waits would wait in vain until somebody has repaired the list.
        if (error instanceof UnreadableError) this.waiters.rejectAll(error);
        // The watch would bring again what cannot be read.
        if (error instanceof GapError || error instanceof UnreadableError) this.#startAnew();
        if (!(error instanceof GapError)) await sleep(RETRY_MS);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    clock.clear(this.#checking);
    this.#watching?.abort('given up');
    this.waiters.rejectAll(new StoreError('the replica is closed'));
  }

  /** Whether the list has been loaded, be it long ago. */
  get isLoaded(): boolean {
    return this.head !== undefined;
  }

  /** Whether the list is loaded and its changes arrive. */
  get isFollowing(): boolean {
    return this.#isWatching && !this.#isStale;
  }

  /** The history that a commit up to the last one known is part of. */
  historyOf(number: number): string {
    const name = this.#latest && historyOf(this.#latest, number);
    return name ?? this.agreed.current?.id ?? '';
  }

  /** A revision was the last one a moment ago. */
  expect(revision: number): void {
    this.waiters.expect(revision, this.#reached);
  }

  /** Waits until the table shows a revision that is expected. @throws StoreError */
  async reach(revision: number, deadline: number): Promise<void> {
    const isShown = !this.#isStale && (this.head?.revision ?? -1) >= revision;
    if (!isShown) await this.waiters.wait(revision, deadline);
  }

  /** Waits for what a transaction on the head `base` has found, as long as it may. */
  async tryToReach(head: StoredHead, base: StoredHead, deadline: number): Promise<void> {
    // No other transaction came first: `meta` has changed.
    if (head.revision === base.revision) await this.checkMeta();
    this.expect(head.revision);
    try {
      await this.reach(head.revision, deadline);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Shows this replica's own transaction on the head `base`, unless the watch was faster. */
  commit(base: StoredHead, head: StoredHead, changes: readonly RowChange[]): void {
    this.#see(head);
    // A list that is being loaded may be older. The watch delivers this, too.
    if (this.head === base && !this.#isStale && !this.#copy) this.#advance(head, changes);
  }

  /** Loads the list again, unless that is being done. */
  reload(): void {
    if (!this.#isStale) this.#startAnew();
  }

  #startAnew(): void {
    this.#isStale = true;
    this.#copy = undefined;
    this.#watching?.abort('given up');
  }

  async #follow(): Promise<void> {
    const { client, keys } = this.list;
    const abort = new AbortController();
    this.#watching = abort;
    const isAnew = this.#isStale && this.#copy === undefined;
    const from = isAnew ? undefined : await this.#continuation();
    if (this.#isClosed) return;
    const pieces = watch(client, keys.prefix, from, abort);
    try {
      await pieces.next();
      // The watch has begun before the list is read: so nothing is missed between.
      if (isAnew) await this.#begin();
      // It may have changed while there was no watch.
      else if (this.isLoaded) await this.checkMeta();
      const completed = commitReader(keys, this.#position, {
        onOther: (row) => this.#prepare(row),
        onMeta: (meta) => this.isLoaded && this.agreed.take(meta),
      });
      this.#isWatching = true;
      for await (const events of pieces) {
        this.waiters.arrive();
        for (const commit of completed(events)) this.#take(commit);
      }
    } finally {
      this.#isWatching = false;
      // etcd may be restored from a backup without these rows before the watch resumes.
      this.#prepared.clear();
      await pieces.return();
    }
  }

  /** The head that the watch has reached. @throws GapError if there is none */
  get #position(): StoredHead {
    const head = this.#copy?.head ?? this.head;
    if (head === undefined) throw new GapError('nothing has been loaded');
    return head;
  }

  /** The revision of the position; 0 if there is none. */
  get #reached(): number {
    return (this.#copy?.head ?? this.head)?.revision ?? 0;
  }

  /** The revision to resume the watch from. @throws GapError if etcd has lost the position */
  async #continuation(): Promise<number> {
    const position = this.#position;
    const readAt = this.#copy?.readAt;
    const { head, revision } = await this.list.head();
    if (readAt === undefined || readAt <= revision) {
      if (head?.text === position.text && head.revision === position.revision) return revision + 1;
      if (head && (await this.list.hasHead(position, head))) return position.revision + 1;
    }
    throw new GapError('etcd has gone back to an earlier state');
  }

  async #begin(): Promise<void> {
    const { list, rows } = this;
    const { head, maxRows } = await this.agreed.open();
    if (this.#latest && !(await list.hasHead(this.#latest, head))) this.#latest = undefined;
    rows.table.maxRows = maxRows;
    // Nobody waits for it: any error but one of the store has to end the process.
    void this.#load(new ListCopy(head.generation, rows.next(), head));
  }

  async #load(copy: ListCopy): Promise<void> {
    this.#copy = copy;
    if (this.#showIfWhole(copy)) return;
    this.loads++;
    const isWanted = () => this.#copy === copy && !this.#isClosed;
    await copy.read(this.list, isWanted, (error) => this.#note(error));
    if (isWanted()) this.#showIfWhole(copy);
  }

  #note(error: StoreError): void {
    this.lastError = error;
    this.#events.onFailure();
  }

  /** Reads `meta` again: a transaction has found that it has changed. @throws EtcdError */
  async checkMeta(): Promise<void> {
    if (!(await this.agreed.check())) this.reload();
  }

  #take(commit: Transaction): void {
    const { head, rows, isReset } = commit;
    if (isReset) this.#switch(head);
    else if (this.#copy !== undefined) {
      this.#copy.take(commit);
      this.#showIfWhole(this.#copy);
    } else if (head.revision > this.#position.revision) {
      this.#advance(head, this.rows.read(rows));
    }
    for (const { generation, isAbandoned } of this.#prepared.values()) {
      if (isAbandoned) this.#prepared.delete(generation);
    }
  }

  /** Takes a row of a generation that is not current yet, or no longer. */
  #prepare(row: KeyChange): void {
    if (row.value === undefined) return;
    const generation = this.list.keys.generationOf(row.key);
    const copy = this.#prepared.get(generation) ?? new ListCopy(generation, this.rows.next());
    this.#prepared.set(generation, copy);
    copy.takeRow(row);
  }

  /** Another generation is current: loads it, unless all of its rows have come already. */
  #switch(head: StoredHead): void {
    const { generation } = head;
    const prepared = this.#prepared.get(generation);
    const isComplete = prepared?.hasAllOf(head) === true;
    const copy = isComplete ? prepared : new ListCopy(generation, this.rows.next(), head);
    // Other copies were to follow the former generation, so they are void.
    this.#prepared.clear();
    copy.begin(head);
    // Nobody waits for it: any error but one of the store has to end the process.
    void this.#load(copy);
  }

  #showIfWhole({ isWhole, head, rows }: ListCopy): boolean {
    if (head === undefined || !isWhole) return false;
    if (head.revision < (this.head?.revision ?? 0)) {
      this.waiters.rejectAll(new StoreError('the store has gone back to an earlier state'));
    }
    this.#copy = undefined;
    this.#isStale = false;
    this.#show(head, () => rows.commit(head));
    return true;
  }

  #advance(head: StoredHead, changes: readonly RowChange[]): void {
    this.#show(head, () => this.rows.apply(changes, head));
  }

  /** Shows what a head ends; listeners of the table and waiters find that head already set. */
  #show(head: StoredHead, change: () => void): void {
    this.#see(head);
    this.head = head;
    change();
    this.#events.onHead(head);
    this.waiters.release(head.revision);
  }

  #see(head: StoredHead): void {
    if (head.revision >= (this.#latest?.revision ?? 0)) this.#latest = head;
  }

  /** A watch stays silent if its node is paused or disconnected, or has lost a transaction. */
  #check(): void {
    const reached = this.#reached;
    if (!this.#isWatching || !this.waiters.isSilent(reached)) return;
    this.waiters.arrive();
    this.list.client.switchEndpoint();
    if (reached === this.#silentAt) this.#startAnew();
    else this.#watching?.abort('given up');
    this.#silentAt = reached;
  }
}
