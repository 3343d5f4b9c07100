import { clock, nextTurn, sleep } from '../../clock.ts';
import type { KeyChange } from '../etcd/answers.ts';
import { EtcdError } from '../etcd/error.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { StoredList } from '../stored/stored-list.ts';
import type { StoredCommit } from './commit-reader.ts';
import type { NextRows } from './replica-table.ts';

/** How many rows to put into the table before yielding to other work. */
const ROWS_PER_TURN = 500;

/** How long to wait after a failure before trying again, in milliseconds. */
const RETRY_MS = 100;

/** After how long without another row a generation counts as abandoned, in milliseconds. */
const ABANDONED_MS = 10_000;

/**
 * The stored rows of a generation, on their way into the table. Their pages are read while the
 * watch goes on, and of each row the newest version counts: so the pages need not be of the same
 * revision, and no compaction can come in between. Of a generation that is only being written, all
 * rows come from the watch.
 */
export class ListCopy {
  readonly generation: string;
  /** The newest version of each row, also if it is deleted. */
  readonly #rows = new Map<string, KeyChange>();
  #lastRowAt = clock.now();
  /** Where the watch is, and where it must be before the rows are those of one revision. */
  #head: StoredHead | undefined;
  #wholeAt = Number.POSITIVE_INFINITY;
  /** What comes while the rows are put into the table. */
  #later: StoredCommit[] | undefined;

  /** @param head where the watch is; undefined if the generation is not current yet */
  constructor(generation: string, head?: StoredHead) {
    this.generation = generation;
    this.#head = head;
  }

  /** Where the watch is; undefined if the generation is not current yet. */
  get head(): StoredHead | undefined {
    return this.#later?.at(-1)?.head ?? this.#head;
  }

  /** Whether it can be shown, and is not on its way yet. */
  get isWhole(): boolean {
    return this.#later === undefined && (this.#head?.revision ?? 0) >= this.#wholeAt;
  }

  /** Whether nobody seems to write the generation any more. */
  get isAbandoned(): boolean {
    return clock.now() - this.#lastRowAt > ABANDONED_MS;
  }

  /** Takes a row, unless a newer version of it has come. */
  takeRow(row: KeyChange): void {
    this.#lastRowAt = clock.now();
    const before = this.#rows.get(row.key);
    if (before === undefined || before.modRevision < row.modRevision) this.#rows.set(row.key, row);
  }

  /** The generation is current from this head on. Some of its rows may not have come. */
  begin(head: StoredHead): void {
    this.#head = head;
    if (this.#rows.size === head.idsAssigned) this.#wholeAt = head.revision;
  }

  /** Takes a transaction. */
  take(commit: StoredCommit): void {
    if (this.#later !== undefined) {
      this.#later.push(commit);
      return;
    }
    for (const row of commit.rows) this.takeRow(row);
    this.#head = commit.head;
  }

  /**
   * Reads all pages, as long as that is wanted.
   * @param onError called whenever that fails, before it is tried again
   * @returns the revision that the watch must reach; undefined if it is no longer wanted
   */
  async read(
    list: StoredList,
    isWanted: () => boolean,
    onError: (error: EtcdError) => void,
  ): Promise<number | undefined> {
    let from: string | undefined;
    while (isWanted()) {
      try {
        const { rows, next } = await list.page(this.generation, from);
        for (const row of rows) this.takeRow(row);
        from = next;
        if (next !== undefined) continue;
        this.#wholeAt = await list.headRevision();
        return this.#wholeAt;
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        onError(error);
        await sleep(RETRY_MS);
      }
    }
    return undefined;
  }

  /**
   * Puts all rows into the table that is to be.
   * @returns the transactions that have come since, to be put on top
   */
  async build(next: NextRows): Promise<readonly StoredCommit[]> {
    const later: StoredCommit[] = [];
    this.#later = later;
    let count = 0;
    for (const { key, value, modRevision } of this.#rows.values()) {
      if (value !== undefined) next.put(key, value, modRevision);
      if (++count % ROWS_PER_TURN === 0) await nextTurn();
    }
    return later;
  }
}
