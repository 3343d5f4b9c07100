import { clock, sleep } from '../../clock.ts';
import { StoreError } from '../errors.ts';
import type { KeyChange } from '../etcd/json.ts';
import type { StoredHead } from '../stored/commit-head.ts';
import type { RowsPart, StoredList } from '../stored/stored-list.ts';
import type { Transaction } from './commit-reader.ts';
import type { NextRows } from './replica-table.ts';

/** How long to wait after a failure before trying again, in milliseconds. */
export const RETRY_MS = 100;

/** After how long without another row a generation counts as abandoned, in milliseconds. */
const ABANDONED_MS = 10_000;

/** A key after those of all rows. */
const END = '\uffff';

/**
 * The rows of a generation, on their way into the table. Their pages are read while the watch goes
 * on: so they need not be of one revision, and no compaction comes in between. What the watch has
 * brought of a row counts, not the page: if that is newer, the watch brings it, too. Of a
 * generation that is only being written, all rows come from the watch.
 */
export class ListCopy {
  readonly generation: string;
  readonly rows: NextRows;
  /** Where the watch is; undefined if the generation is not current yet. */
  head: StoredHead | undefined;
  /** How many rows of a generation that is being written have come. */
  #size = 0;
  /** The rows below this key have been put into the table. */
  #putTo: string;
  /** The watch's rows from that key on. They wait: the table takes ascending ids faster. */
  readonly #waiting = new Map<string, KeyChange>();
  #lastKey = '';
  #lastRowAt = clock.now();
  /** Where the watch must be before the rows are those of one revision. */
  #wholeAt = Number.POSITIVE_INFINITY;
  /** The last revision of etcd that it has been read from. */
  readAt = 0;

  constructor(generation: string, rows: NextRows, head?: StoredHead) {
    this.generation = generation;
    this.rows = rows;
    this.head = head;
    this.#putTo = head === undefined ? END : '';
  }

  /** Whether it can be shown. */
  get isWhole(): boolean {
    return (this.head?.revision ?? 0) >= this.#wholeAt;
  }

  /** Whether its writer seems to have given up. */
  get isAbandoned(): boolean {
    return clock.now() - this.#lastRowAt > ABANDONED_MS;
  }

  /** Takes a row from the watch. */
  takeRow(row: KeyChange): void {
    this.#lastRowAt = clock.now();
    // Rows of a generation that is being written come by ascending key; some may come again.
    if (row.key > this.#lastKey) {
      this.#lastKey = row.key;
      this.#size++;
    }
    if (row.key < this.#putTo) this.rows.put(row);
    else this.#waiting.set(row.key, row);
  }

  /** Whether all rows of a reset have come. Replicas of 1.1 do not say how many these are. */
  hasAllOf({ changes, idsAssigned }: StoredHead): boolean {
    return this.#size === (changes || Number(idsAssigned));
  }

  /** The generation is current from this head on. If all of its rows have come, it is whole. */
  begin(head: StoredHead): void {
    this.head = head;
    if (this.hasAllOf(head)) this.#wholeAt = head.revision;
  }

  take({ rows, head }: Transaction): void {
    for (const row of rows) this.takeRow(row);
    this.head = head;
  }

  /** Reads all pages, as long as that is wanted, and again those that fail. */
  async read(
    list: Pick<StoredList, 'page' | 'head'>,
    isWanted: () => boolean,
    onError: (error: StoreError) => void,
  ): Promise<void> {
    const { generation, head } = this;
    let part: RowsPart | undefined;
    while (isWanted()) {
      try {
        const { rows, revision, next } = await list.page(
          generation,
          Number(head?.idsAssigned ?? 0),
          part,
        );
        this.readAt = Math.max(this.readAt, revision);
        // If this fails, the page is read again: what the watch brings of it must wait until then.
        const end = next === undefined ? await list.head() : undefined;
        if (end && end.revision < this.readAt) throw new StoreError('etcd has gone back');
        for (const row of rows) {
          this.rows.put(this.#waiting.get(row.key) ?? row);
          this.#waiting.delete(row.key);
        }
        part = next;
        this.#putTo = next?.from ?? END;
        if (end === undefined) continue;
        for (const row of this.#waiting.values()) this.rows.put(row);
        this.#waiting.clear();
        this.readAt = end.revision;
        this.#wholeAt = end.head?.revision ?? 0;
        return;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        onError(error);
        await sleep(RETRY_MS);
      }
    }
  }
}
