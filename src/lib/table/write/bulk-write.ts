import { clearBit, countBits, positionsIn } from '../bits.ts';
import type { Condition } from '../condition/condition.ts';
import { CommitError } from '../errors.ts';
import { type Criteria, criteriaFor, newMask } from '../query/criteria.ts';
import { finish, Pace } from '../query/pace.ts';
import { Scan } from '../query/scan.ts';
import type { Chunk } from '../rows/chunk.ts';
import type { LeafWrite } from '../rows/chunk-list.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { ChunkSnapshot, Chunks } from '../rows/open-snapshots.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import type { Transactions } from './transactions.ts';

/** The rounds of re-examining leaves that were written meanwhile. The commit does the rest. */
const MAX_ROUNDS = 3;

type TransactionsOfAny = Pick<Transactions<Schema>, 'data' | 'depth' | 'writeLeaves'>;

/**
 * Deletes or changes the rows that match conditions, in one commit, without a long pause. Finds the
 * rows in steps, and prepares new leaves. The commit swaps them in. It repeats the work only for
 * leaves that were written meanwhile.
 */
export class BulkWrite {
  readonly #transactions: TransactionsOfAny;
  readonly #conditions: readonly Condition[];
  /** Compiled for each round, because values that are new since then have other masks. */
  #criteria: Criteria;
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  /** By examined leaf. */
  readonly #found = new Map<Leaf, LeafWrite>();
  /** Keeps examined leaves unchanged, because a write then copies them. */
  #snapshot: ChunkSnapshot | undefined;
  /** The bytes of the new leaves, and of their new rows, which share their values. */
  #bytes = 0;

  /** @param change makes the new row from a matching one; by default, rows are deleted */
  constructor(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    pace: Pace,
    change?: RowChange,
  ) {
    this.#transactions = transactions;
    this.#conditions = conditions;
    this.#criteria = criteriaFor(transactions.data.chunks, conditions);
    this.#pace = pace;
    this.#change = change;
  }

  /** Finds and writes the rows in one step, even within a transaction. Returns their number. */
  static now(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    change?: RowChange,
  ): number {
    return new BulkWrite(transactions, conditions, Pace.endless(), change).#write();
  }

  /** The memory that it holds besides the table, in bytes. */
  get bytes(): number {
    return this.#criteria.bytes + this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#pace.beginStep();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const snapshot = this.#transactions.data.chunks.snapshot();
      this.#snapshot?.close();
      this.#snapshot = snapshot;
      this.#criteria = criteriaFor(snapshot, this.#conditions);
      let hasChanged = false;
      for (const chunk of snapshot.chunks) {
        if (!this.#hasChanged(chunk)) continue;
        hasChanged = true;
        for (const _ of this.#findIn(snapshot, chunk)) {
          yield;
          this.#pace.beginStep();
        }
      }
      if (!hasChanged) return;
    }
  }

  /**
   * Deletes or changes the matching rows, including rows written meanwhile. Rows that do not differ
   * after the change are counted, but not written.
   * @returns the number of rows that match
   * @throws CommitError within a transaction
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(): number {
    if (this.#transactions.depth === 0) return this.#write();
    throw new CommitError('a bulk write cannot be committed within a transaction');
  }

  #write(): number {
    const { chunks } = this.#transactions.data;
    this.#criteria = criteriaFor(chunks, this.#conditions);
    const writes: LeafWrite[] = [];
    let matching = 0;
    for (const chunk of chunks.chunks) {
      if (this.#hasChanged(chunk)) finish(this.#findIn(chunks, chunk));
      for (const leaf of chunk.leaves) {
        const found = leaf && this.#found.get(leaf);
        if (!found) continue;
        if (found.count > 0) writes.push(found);
        matching += found.matching;
      }
    }
    // The snapshot is no longer needed.
    this.close();
    this.#transactions.writeLeaves(writes);
    return matching;
  }

  /** Frees the memory. Call it instead of `commit` to abandon the write. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#found.clear();
    this.#bytes = 0;
  }

  /** Whether a chunk has a leaf that has not been examined. */
  #hasChanged(chunk: Chunk): boolean {
    return chunk.leaves.some((leaf) => leaf && !this.#found.has(leaf));
  }

  /** Examines the leaves of a chunk that have not been examined. */
  *#findIn(chunks: Chunks, chunk: Chunk): Generator<undefined, void> {
    const scan = new Scan(chunks, this.#criteria, this.#pace, newMask());
    const found = scan.find(chunk);
    if (this.#pace.isOver()) yield;
    for (const [i, leaf] of chunk.leaves.entries()) {
      if (!leaf || this.#found.has(leaf)) continue;
      if (found === 'candidates') yield* scan.testLeaf(leaf, i);
      const first = i * LEAF_WORDS;
      const mask = scan.mask.slice(first, first + LEAF_WORDS);
      if (found === 'nothing') mask.fill(0);
      const write = yield* this.#writeTo(leaf, { number: chunk.number, leafIndex: i, mask });
      this.#found.set(leaf, write);
      this.#bytes += mask.byteLength + (write.newer?.structureBytes ?? 0);
      this.#bytes += write.after.length * this.#transactions.data.chunks.schema.rowBytes;
      if (this.#pace.isOver()) yield;
    }
  }

  /** Prepares the write of the rows of a mask of a leaf. */
  *#writeTo(
    leaf: Leaf,
    at: Pick<LeafWrite, 'number' | 'leafIndex' | 'mask'>,
  ): Generator<undefined, LeafWrite> {
    const { schema, values } = this.#transactions.data.chunks;
    const { mask } = at;
    const matching = countBits(mask);
    const after: StoredRow[] = [];
    let newer: Leaf | undefined;
    let hasNewTexts = false;
    if (!this.#change && matching === leaf.size) {
      return { ...at, leaf, newer, matching, count: matching, after, hasNewTexts };
    }
    for (const slot of positionsIn(mask, 0, LEAF_WORDS)) {
      const row = leaf.rowAt(slot);
      const changed = row && this.#change?.(row);
      if (row === undefined || changed === row) clearBit(mask, slot);
      else {
        newer ??= leaf.copy(leaf.epoch);
        if (changed) {
          values.number(changed);
          newer.put(slot, changed, 0, schema, values);
          after.push(changed);
          hasNewTexts ||= schema.substrings.some((column) => row[column] !== changed[column]);
        } else newer.remove(slot, schema);
      }
      if (this.#pace.note()) yield;
    }
    return { ...at, leaf, newer, matching, count: countBits(mask), after, hasNewTexts };
  }
}
