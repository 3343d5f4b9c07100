import { clearBit, countBits, positionsIn } from '../bits.ts';
import { CommitError } from '../errors.ts';
import { type Criteria, newMask } from '../query/criteria.ts';
import { finish, Pace } from '../query/pace.ts';
import { Scan } from '../query/scan.ts';
import type { Chunk } from '../rows/chunk.ts';
import type { LeafWrite } from '../rows/chunk-list.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { ChunkSnapshot, Chunks } from '../rows/open-snapshots.ts';
import { bytesOfRow } from '../schema/byte-size.ts';
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
  readonly #criteria: Criteria;
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  /** By number of the chunk and index of the leaf. */
  readonly #found = new Map<number, (LeafWrite | undefined)[]>();
  /** Keeps examined leaves unchanged, because a write then copies them. */
  #snapshot: ChunkSnapshot | undefined;
  #bytes: number;

  /** @param change makes the new row from a matching one; by default, rows are deleted */
  constructor(transactions: TransactionsOfAny, criteria: Criteria, pace: Pace, change?: RowChange) {
    this.#transactions = transactions;
    this.#criteria = criteria;
    this.#pace = pace;
    this.#change = change;
    this.#bytes = criteria.bytes;
  }

  /** Finds and writes the rows in one step, even within a transaction. Returns their number. */
  static now(transactions: TransactionsOfAny, criteria: Criteria, change?: RowChange): number {
    return new BulkWrite(transactions, criteria, Pace.endless(), change).#write();
  }

  /** The memory that it holds, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#pace.beginStep();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const snapshot = this.#transactions.data.chunks.snapshot();
      this.#snapshot?.close();
      this.#snapshot = snapshot;
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
   * @param number the number of the commit; by default, the next one of the table
   * @returns the number of rows that match
   * @throws CommitError within a transaction
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(number?: number): number {
    if (this.#transactions.depth === 0) return this.#write(number);
    throw new CommitError('a bulk write cannot be committed within a transaction');
  }

  #write(number?: number): number {
    const { chunks } = this.#transactions.data;
    const writes: LeafWrite[] = [];
    let matching = 0;
    for (const chunk of chunks.chunks) {
      if (this.#hasChanged(chunk)) finish(this.#findIn(chunks, chunk));
      for (const found of this.#found.get(chunk.number) ?? []) {
        if (!found || found.leaf !== chunk.leaves[found.leafIndex]) continue;
        writes.push(found);
        matching += found.matching;
      }
    }
    // The snapshot is no longer needed.
    this.close();
    this.#transactions.writeLeaves(writes, number);
    return matching;
  }

  /** Frees the memory. Call it instead of `commit` to abandon the write. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#found.clear();
  }

  /** Whether a chunk has a leaf that has not been examined. */
  #hasChanged(chunk: Chunk): boolean {
    const found = this.#found.get(chunk.number);
    return chunk.leaves.some((leaf, i) => leaf !== undefined && leaf !== found?.[i]?.leaf);
  }

  /** Examines the leaves of a chunk that have not been examined. */
  *#findIn(chunks: Chunks, chunk: Chunk): Generator<undefined, void> {
    const scan = new Scan(chunks, this.#criteria, this.#pace, newMask());
    const known = this.#found.get(chunk.number) ?? [];
    this.#found.set(chunk.number, known);
    const found = scan.find(chunk);
    if (this.#pace.isOver()) yield;
    for (const [i, leaf] of chunk.leaves.entries()) {
      if (!leaf || known[i]?.leaf === leaf) continue;
      if (found === 'candidates') yield* scan.testLeaf(leaf, i);
      const first = i * LEAF_WORDS;
      const mask = scan.mask.slice(first, first + LEAF_WORDS);
      if (found === 'nothing') mask.fill(0);
      const write = yield* this.#writeTo(leaf, { number: chunk.number, leafIndex: i, mask });
      known[i] = write;
      this.#bytes += mask.byteLength + (write.newer?.structureBytes ?? 0);
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
    let dropped = 0;
    let hasNewTexts = false;
    if (!this.#change && matching === leaf.size) {
      dropped = leaf.rowBytes;
      return { ...at, leaf, newer, dropped, matching, count: matching, after, hasNewTexts };
    }
    for (const slot of positionsIn(mask, 0, LEAF_WORDS)) {
      const row = leaf.rowAt(slot);
      const changed = row && this.#change?.(row);
      if (row === undefined || changed === row) clearBit(mask, slot);
      else {
        newer ??= leaf.copy(leaf.epoch);
        dropped += bytesOfRow(schema, row);
        if (changed) {
          values.number(changed);
          newer.put(slot, changed, 0, schema, values);
          after.push(changed);
          hasNewTexts ||= schema.substrings.some((column) => row[column] !== changed[column]);
        } else newer.remove(slot, schema);
      }
      if (this.#pace.note()) yield;
    }
    return { ...at, leaf, newer, dropped, matching, count: countBits(mask), after, hasNewTexts };
  }
}
