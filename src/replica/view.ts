import { setTimeout as sleep } from 'node:timers/promises';
import type { Table } from '../table/table.ts';
import type { TodoFields } from '../todo/fields.ts';
import {
  CommitReader,
  GapError,
  type StoredCommit,
  type StoredRowChange,
} from './commit-reader.ts';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError } from './etcd/error.ts';
import { watch } from './etcd/watch.ts';
import type { StoredHead } from './head.ts';
import type { Keys } from './keys.ts';
import { type Meta, MisfitError } from './meta.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import type { RowCodec } from './row-codec.ts';
import type { ListState, StoredList } from './stored-list.ts';

/** How long nothing is tried again after a failure, in milliseconds. */
const RETRY_MS = 100;

/** How long the list is not loaded again after it could not be followed, in milliseconds. */
const LOAD_PAUSE_MS = 10;

/** How long a request may take that nobody waits for, in milliseconds. */
const REQUEST_MS = 3_000;

/** How long a watch may owe what is known to have happened, in milliseconds. */
const SILENCE_MS = 1_000;

/** Rows that are loaded before others have their turn. */
const ROWS_PER_TURN = 500;

/** What a view is made of. */
export interface ViewParts {
  readonly client: EtcdClient;
  readonly keys: Keys;
  readonly list: StoredList;
  readonly codec: RowCodec;
  readonly table: Table<TodoFields>;
  /** Reads and checks what all replicas must agree on. @throws MisfitError */
  readonly accept: (state: ListState) => Meta;
  /** Begins a list where there is none. */
  readonly begin: () => Promise<void>;
  readonly onMisfit: (error: MisfitError) => void;
  /** Is told when etcd goes away, with the reason, and when it is back. */
  readonly onAway: (reason: string | undefined) => void;
}

/**
 * The table as a view of etcd's history: loaded at one revision, and then brought forward by each
 * transaction, in order, whole.
 */
export class View {
  readonly #parts: ViewParts;
  readonly #waiters = new RevisionWaiters();
  readonly #closing = new AbortController();
  /** Ends the watch that is open. */
  #watching: AbortController | undefined;
  #mustLoad = true;
  #isWatching = false;
  /** What is shown has never happened, as far as etcd knows now. */
  #isVoid = false;
  #head: StoredHead | undefined;
  #meta: { readonly value: Meta; readonly revision: number } | undefined;
  /** The revision that is known to be there, whether the table shows it or not. */
  #expected = 0;
  #silence: NodeJS.Timeout | undefined;
  /** When each other writer was last seen to write. */
  readonly #seen = new Map<string, number>();
  loads = 0;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** Follows etcd until it is closed. */
  async follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#watch(this.#mustLoad ? await this.#load() : await this.#continuation());
      } catch (error) {
        if (error instanceof MisfitError) {
          this.#parts.onMisfit(error);
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
    clearTimeout(this.#silence);
    this.#closing.abort();
    this.#watching?.abort();
    this.#waiters.rejectAll(new Error('the replica is closed'));
  }

  /** Whether there is a list to show. */
  get isLoaded(): boolean {
    return this.#head !== undefined;
  }

  /** Whether it is loaded, and hears of what happens. */
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

  /** How many revisions of the cluster the table is known to be behind. */
  get lag(): number {
    return Math.max(0, this.#expected - (this.#head?.revision ?? 0));
  }

  /** Other writers that have written in so many milliseconds. */
  othersSince(ms: number, own: string): number {
    const since = performance.now() - ms;
    for (const [writer, time] of this.#seen) if (time < since) this.#seen.delete(writer);
    return this.#seen.size - (this.#seen.has(own) ? 1 : 0);
  }

  /**
   * Waits until the table shows a revision that is known to be there.
   * @returns a promise, unless it does so already, that is rejected at the deadline
   */
  reached(revision: number, deadline: number): Promise<void> | undefined {
    if (!this.#isVoid && (this.#head?.revision ?? -1) >= revision) return undefined;
    this.#expected = Math.max(this.#expected, revision);
    this.#silence ??= setTimeout(() => this.#onSilence(revision), SILENCE_MS).unref();
    return this.#waiters.wait(revision, deadline);
  }

  /** Shows a transaction that was made here on a head, unless the watch was faster. */
  commit(base: StoredHead, head: StoredHead, write: () => void): void {
    // What is being loaded may be older, and the watch that follows it brings this, too.
    if (this.#head !== base || this.#mustLoad) return;
    write();
    this.#moveTo(head);
  }

  /**
   * Loads the list anew.
   * @param isVoid etcd has gone back to an earlier state, so what is shown has never happened
   */
  reload(isVoid = false): void {
    this.#isVoid ||= isVoid;
    this.#mustLoad = true;
    this.#watching?.abort();
  }

  /** The rows of a transaction, as the table has them. */
  rowsOf(changes: readonly StoredRowChange[]) {
    const { codec, table } = this.#parts;
    return changes.map(({ key, text }) => {
      const id = codec.idOf(key);
      return { id, row: text === undefined ? undefined : table.rowOf(id, codec.decode(text)) };
    });
  }

  /** @returns the revision that the watch begins with */
  async #load(): Promise<number> {
    const { list, table, codec, accept, begin } = this.#parts;
    let state = await list.state(inTime());
    if (state === undefined) {
      await begin();
      state = await list.state(inTime());
      if (state === undefined) throw new EtcdError('unknown', 'the list is gone');
    }
    const meta = { value: accept(state), revision: state.meta.modRevision };
    table.maxRows = meta.value.limits.maxRows;
    const replacement = table.replacement();
    let count = 0;
    for await (const page of list.rows(state.head.generation, state.revision)) {
      for (const { key, value } of page) {
        replacement.put(codec.idOf(key), codec.decode(value));
        if (++count % ROWS_PER_TURN === 0) await new Promise(setImmediate);
      }
    }
    replacement.idsGiven = state.head.idsGiven;
    if (state.head.revision < (this.#head?.revision ?? 0)) {
      this.#expected = 0;
      this.#waiters.rejectAll(new Error('the store has gone back to an earlier state'));
    }
    this.loads++;
    this.#mustLoad = false;
    this.#meta = meta;
    this.#isVoid = false;
    this.#head = state.head;
    replacement.commit(state.head.revision);
    this.#moveTo(state.head);
    return state.revision + 1;
  }

  /**
   * Where the watch goes on, after it has been away: what is shown must still be what had happened,
   * which it is not after etcd was restored from a backup.
   */
  async #continuation(): Promise<number> {
    const { list } = this.#parts;
    const shown = this.#head;
    const now = await list.head(inTime());
    if (shown === undefined || now.head === undefined) throw new GapError('the list is gone');
    if (now.head.text === shown.text && now.head.revision === shown.revision) {
      return now.revision + 1;
    }
    const { head: then } = await list.head(inTime(), shown.revision);
    if (then?.text !== shown.text) {
      this.#isVoid = true;
      throw new GapError('the history is another one');
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
        if (!this.#isWatching) this.#parts.onAway(undefined);
        this.#isWatching = true;
        for (const commit of reader.read(events)) this.#apply(commit);
        if (this.#mustLoad) return;
      }
    } finally {
      this.#isWatching = false;
    }
  }

  #apply({ head, rows, isSwitch }: StoredCommit): void {
    if (head.revision <= (this.#head?.revision ?? 0)) return;
    if (isSwitch) throw new GapError('another generation counts');
    this.#parts.table.replay(this.rowsOf(rows), head.idsGiven, head.revision);
    this.#moveTo(head);
  }

  #moveTo(head: StoredHead): void {
    this.#head = head;
    const writer = Object.keys(head.writers).at(-1);
    if (writer !== undefined) this.#seen.set(writer, performance.now());
    this.#waiters.release(head.revision);
    if (head.revision >= this.#expected) {
      clearTimeout(this.#silence);
      this.#silence = undefined;
    }
  }

  /** A watch says nothing for ever when its node is paused or cut off. */
  #onSilence(revision: number): void {
    this.#silence = undefined;
    if ((this.#head?.revision ?? 0) >= revision || !this.#isWatching) return;
    this.#parts.client.moveOn();
    this.#watching?.abort();
  }

  async #pause(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#parts.onAway(error instanceof Error ? error.message : String(error));
    await sleep(RETRY_MS);
  }
}

function isCompacted(error: unknown): boolean {
  return error instanceof EtcdError && error.isOutOfRange;
}

function inTime(): number {
  return performance.now() + REQUEST_MS;
}
