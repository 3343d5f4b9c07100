import { clock, nextTurn, sleep, type Timer } from '../../clock.ts';
import type { Table } from '../../table/table.ts';
import type { ItemFields } from '../../todo/item-api.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { EtcdError } from '../etcd/error.ts';
import { watch } from '../etcd/watch.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { Keys } from '../stored/keys.ts';
import { IncompatibleError, type Meta } from '../stored/meta.ts';
import type { RowCodec } from '../stored/row-codec.ts';
import type { ListState, StoredList } from '../stored/stored-list.ts';
import {
  CommitReader,
  GapError,
  type StoredCommit,
  type StoredRowChange,
} from './commit-reader.ts';
import { RevisionWaiters } from './revision-waiters.ts';

/** How long to wait after a failure before trying again, in milliseconds. */
const RETRY_MS = 100;

/** How long to wait after a gap in the history before loading the list again, in milliseconds. */
const LOAD_PAUSE_MS = 10;

/** The time limit of a request that no client waits for, in milliseconds. */
const REQUEST_MS = 3_000;

/** How long a watch may fail to deliver a revision that is known to exist, in milliseconds. */
const SILENCE_MS = 1_000;

/** How many rows to load before yielding to other work. */
const ROWS_PER_TURN = 500;

/** What a view needs. */
export interface ViewParts {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly list: StoredList;
  readonly codec: RowCodec;
  readonly table: Table<ItemFields>;
  /** Parses and checks what all replicas must agree on. @throws IncompatibleError */
  readonly accept: (state: ListState) => Meta;
  /** Creates the list if there is none. */
  readonly begin: () => Promise<void>;
  readonly onIncompatible: (error: IncompatibleError) => void;
  /** Called with the reason when etcd cannot be followed, with undefined once it can again. */
  readonly onUnreachable: (reason: string | undefined) => void;
}

/**
 * The table as a view of etcd's history: loaded at one revision, then advanced by whole
 * transactions, in order.
 */
export class View {
  readonly #parts: ViewParts;
  readonly #waiters = new RevisionWaiters();
  readonly #closing = new AbortController();
  /** Aborts the open watch. */
  #watching: AbortController | undefined;
  #mustLoad = true;
  #isWatching = false;
  /** The state shown is not in etcd's history, because etcd was restored from a backup. */
  #hasDiverged = false;
  #head: StoredHead | undefined;
  #meta: { readonly value: Meta; readonly revision: number } | undefined;
  /** The highest revision known to exist, whether or not the table shows it. */
  #expected = 0;
  #silence: Timer | undefined;
  /** When each writer was last seen to write, by `clock.now()`. */
  readonly #seen = new Map<string, number>();
  /** How often the list was loaded. */
  loads = 0;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** Follows etcd until the view is closed, or the stored list turns out to be incompatible. */
  async follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#watch(this.#mustLoad ? await this.#load() : await this.#continuation());
      } catch (error) {
        if (error instanceof IncompatibleError) {
          this.#parts.onIncompatible(error);
          return;
        }
        if (error instanceof GapError || isCompacted(error)) {
          this.#mustLoad = true;
          await sleep(LOAD_PAUSE_MS);
        } else await this.#pause(error);
      }
    }
  }

  close(): void {
    clock.clear(this.#silence);
    this.#closing.abort();
    this.#watching?.abort();
    this.#waiters.rejectAll(new Error('the replica is closed'));
  }

  /** Whether the list has been loaded. */
  get isLoaded(): boolean {
    return this.#head !== undefined;
  }

  /** Whether the list is loaded and its changes arrive. */
  get isFollowing(): boolean {
    return this.#isWatching && !this.#mustLoad;
  }

  /** The head of the revision that the table shows; undefined until it is loaded. */
  get head(): StoredHead | undefined {
    return this.#head;
  }

  get meta(): { readonly value: Meta; readonly revision: number } | undefined {
    return this.#meta;
  }

  /** How many revisions of the cluster the table is known to lag behind. */
  get lag(): number {
    return Math.max(0, this.#expected - (this.#head?.revision ?? 0));
  }

  /**
   * How many other writers have written recently.
   * @param ms how far to look back, in milliseconds
   * @param own the name of this replica's writer
   */
  otherWritersSince(ms: number, own: string): number {
    const since = clock.now() - ms;
    for (const [writer, time] of this.#seen) if (time < since) this.#seen.delete(writer);
    return this.#seen.size - (this.#seen.has(own) ? 1 : 0);
  }

  /**
   * Waits until the table shows a revision that is known to exist.
   * @param deadline by `clock.now()`
   * @returns undefined if the table shows it already, else a promise, rejected at the deadline
   */
  reached(revision: number, deadline: number): Promise<void> | undefined {
    if (!this.#hasDiverged && (this.#head?.revision ?? -1) >= revision) return undefined;
    this.#expected = Math.max(this.#expected, revision);
    this.#silence ??= clock.setTimeout(() => this.#onSilence(revision), SILENCE_MS).unref();
    return this.#waiters.wait(revision, deadline);
  }

  /** Shows this replica's own transaction on the head `base`, unless the watch was faster. */
  commit(base: StoredHead, head: StoredHead, write: () => void): void {
    // A list that is being loaded may be older. The watch that follows delivers this, too.
    if (this.#head !== base || this.#mustLoad) return;
    write();
    this.#moveTo(head);
  }

  /**
   * Loads the list again.
   * @param hasDiverged whether etcd has gone back to an earlier state, so that its history lacks
   * what is shown
   */
  reload(hasDiverged = false): void {
    this.#hasDiverged ||= hasDiverged;
    this.#mustLoad = true;
    this.#watching?.abort();
  }

  /** Decodes the row changes of a transaction. */
  rowsOf(changes: readonly StoredRowChange[]) {
    const { codec, table } = this.#parts;
    return changes.map(({ key, text }) => {
      const id = codec.idOf(key);
      return { id, row: text === undefined ? undefined : table.rowOf(id, codec.decode(text)) };
    });
  }

  /**
   * Loads the list.
   * @returns the revision to start the watch from
   */
  async #load(): Promise<number> {
    const { list, table, codec, accept, begin } = this.#parts;
    let state = await list.state(requestDeadline());
    if (state === undefined) {
      await begin();
      state = await list.state(requestDeadline());
      if (state === undefined) throw new EtcdError('unknown', 'the list is gone');
    }
    const meta = { value: accept(state), revision: state.meta.modRevision };
    table.maxRows = meta.value.limits.maxRows;
    const replacement = table.replacement();
    let count = 0;
    for await (const page of list.rows(state.head.generation, state.revision)) {
      for (const { key, value } of page) {
        replacement.put(codec.idOf(key), codec.decode(value));
        if (++count % ROWS_PER_TURN === 0) await nextTurn();
      }
    }
    replacement.idsAssigned = state.head.idsAssigned;
    if (state.head.revision < (this.#head?.revision ?? 0)) {
      this.#expected = 0;
      this.#waiters.rejectAll(new Error('the store has gone back to an earlier state'));
    }
    this.loads++;
    this.#mustLoad = false;
    this.#meta = meta;
    this.#hasDiverged = false;
    this.#head = state.head;
    replacement.commit(state.head.revision);
    this.#moveTo(state.head);
    return state.revision + 1;
  }

  /**
   * Checks, before the watch resumes, that the state shown is still in etcd's history. It may not
   * be if etcd was restored from a backup.
   * @returns the revision to resume the watch from
   * @throws GapError if the list must be loaded again
   */
  async #continuation(): Promise<number> {
    const { list } = this.#parts;
    const shown = this.#head;
    const now = await list.head(requestDeadline());
    if (shown === undefined || now.head === undefined) throw new GapError('the list is gone');
    if (now.head.text === shown.text && now.head.revision === shown.revision) {
      return now.revision + 1;
    }
    const { head: then } = await list.head(requestDeadline(), shown.revision);
    if (then?.text !== shown.text) {
      this.#hasDiverged = true;
      throw new GapError('the history has changed');
    }
    return shown.revision + 1;
  }

  async #watch(from: number): Promise<void> {
    const { client, keys } = this.#parts;
    if (this.#head === undefined) return;
    const reader = new CommitReader(keys, this.#head);
    this.#watching = new AbortController();
    if (this.#closing.signal.aborted || this.#mustLoad) return;
    try {
      for await (const events of watch(client, keys.prefix, from, this.#watching.signal)) {
        if (!this.#isWatching) this.#parts.onUnreachable(undefined);
        this.#isWatching = true;
        for (const commit of reader.read(events)) this.#apply(commit);
        if (this.#mustLoad) return;
      }
    } finally {
      this.#isWatching = false;
    }
  }

  #apply({ head, rows, isReset }: StoredCommit): void {
    if (head.revision <= (this.#head?.revision ?? 0)) return;
    if (isReset) throw new GapError('another generation is current');
    this.#parts.table.replay(this.rowsOf(rows), head.idsAssigned, head.revision);
    this.#moveTo(head);
  }

  #moveTo(head: StoredHead): void {
    this.#head = head;
    const writer = Object.keys(head.writers).at(-1);
    if (writer !== undefined) this.#seen.set(writer, clock.now());
    this.#waiters.release(head.revision);
    if (head.revision >= this.#expected) {
      clock.clear(this.#silence);
      this.#silence = undefined;
    }
  }

  /** A watch stays silent for ever if its node is paused or cut off. */
  #onSilence(revision: number): void {
    this.#silence = undefined;
    if ((this.#head?.revision ?? 0) >= revision || !this.#isWatching) return;
    this.#parts.client.switchEndpoint();
    this.#watching?.abort();
  }

  async #pause(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#parts.onUnreachable(error instanceof Error ? error.message : String(error));
    await sleep(RETRY_MS);
  }
}

function isCompacted(error: unknown): boolean {
  return error instanceof EtcdError && error.isOutOfRange;
}

function requestDeadline(): number {
  return clock.now() + REQUEST_MS;
}
