import { clearBit, countBits, type Mask, positionsIn } from '../bits.ts';
import type { Condition } from '../condition/condition.ts';
import { CommitError } from '../errors.ts';
import { type Criteria, criteriaFor } from '../query/criteria.ts';
import { findMatches, maskFor } from '../query/matches.ts';
import { ENDLESS, type Pace, runToEnd } from '../query/pace.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { LeafWrite } from '../rows/leaves.ts';
import type { Snapshot } from '../rows/open-snapshots.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import type { Transactions } from './transactions.ts';

type TransactionsOfAny = Pick<Transactions<Schema>, 'data' | 'depth' | 'writeLeaves'>;

/**
 * Deletes or changes the rows that match conditions, in one commit, without a long pause. Finds the
 * rows of a snapshot in steps, and prepares new leaves. The commit installs them. Only leaves that
 * were written meanwhile are examined again.
 */
export class BulkWrite {
  readonly #transactions: TransactionsOfAny;
  readonly #conditions: readonly Condition[];
  readonly #conditionBytes: number;
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  /** By examined leaf. */
  readonly #prepared = new Map<Leaf, LeafWrite>();
  /** Keeps examined leaves unchanged, because a write then copies them. */
  #snapshot: Snapshot | undefined;
  /** The bytes of the prepared writes. */
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
    this.#conditionBytes = this.#criteria().bytes;
    this.#pace = pace;
    this.#change = change;
  }

  /** Finds and writes the rows in one step, even within a transaction. Returns their number. */
  static now(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    change?: RowChange,
  ): number {
    return new BulkWrite(transactions, conditions, ENDLESS, change).#write();
  }

  /** The memory that it holds besides the table, in bytes. */
  get bytes(): number {
    return this.#conditionBytes + this.#bytes;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#snapshot ??= this.#transactions.data.leaves.snapshot();
    this.#pace.beginStep();
    for (const _ of this.#prepare(this.#snapshot.leaves)) {
      yield;
      this.#pace.beginStep();
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
    const { leaves } = this.#transactions.data.leaves;
    runToEnd(this.#prepare(leaves.filter((leaf) => !this.#prepared.has(leaf))));
    const writes: LeafWrite[] = [];
    let matched = 0;
    for (const leaf of leaves) {
      const write = this.#prepared.get(leaf);
      if (!write) continue;
      if (write.written > 0) writes.push(write);
      matched += write.matched;
    }
    // The snapshot is no longer needed.
    this.close();
    this.#transactions.writeLeaves(writes);
    return matched;
  }

  /** Frees the memory. Call it instead of `commit` to abandon the write. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#prepared.clear();
    this.#bytes = 0;
  }

  /** Compiles the conditions. Not kept, because it lacks the masks of values written later. */
  #criteria(): Criteria {
    return criteriaFor(this.#transactions.data.leaves, this.#conditions);
  }

  /** Examines leaves, and prepares their writes. */
  *#prepare(leaves: readonly Leaf[]): Generator<undefined, void> {
    const { schema } = this.#transactions.data.leaves;
    const mask = maskFor(leaves);
    yield* findMatches(leaves, this.#criteria(), this.#pace, mask);
    for (const [i, leaf] of leaves.entries()) {
      const write = yield* this.#writeTo(leaf, mask.slice(i * LEAF_WORDS, (i + 1) * LEAF_WORDS));
      this.#prepared.set(leaf, write);
      this.#bytes += bytesOf(write, schema.rowBytes);
      if (this.#pace.count()) yield;
    }
  }

  /** Prepares the write of a leaf. @param mask its matching rows */
  *#writeTo(leaf: Leaf, mask: Mask): Generator<undefined, LeafWrite> {
    const { schema, values, signer } = this.#transactions.data.leaves;
    const matched = countBits(mask);
    const after: StoredRow[] = [];
    let newer: Leaf | undefined;
    if (!this.#change && matched === leaf.size) {
      return { leaf, newer, matched, mask, written: matched, after };
    }
    for (const at of positionsIn(mask, 0, LEAF_WORDS)) {
      const row = leaf.rowAt(at);
      const changed = row && this.#change?.(row);
      if (row === undefined || changed === row) clearBit(mask, at);
      else {
        newer ??= leaf.copyToInstall();
        if (changed) {
          newer.put(at, changed, 0, schema, values);
          signer.put(newer, at, changed, row);
          after.push(changed);
        } else newer.remove(at, schema);
      }
      if (this.#pace.count()) yield;
    }
    if (newer) signer.dropIfSparse(newer);
    return { leaf, newer, matched, mask, written: countBits(mask), after };
  }
}

/** Returns the bytes of a prepared write. New rows share their values. */
function bytesOf({ leaf, newer, mask, after }: LeafWrite, rowBytes: number): number {
  const isSigned = newer && newer.signature !== leaf.signature;
  const signature = isSigned ? (newer.signature?.bytes ?? 0) : 0;
  return mask.byteLength + (newer?.structureBytes ?? 0) + after.length * rowBytes + signature;
}
