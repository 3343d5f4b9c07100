import { WORD_BITS } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { LEAF_WORDS } from '../slots.ts';
import { fold } from '../text/case-folding.ts';
import { Signature } from '../texts/signature.ts';
import type { Leaf } from './leaf.ts';
import { ALL_ROWS } from './value-masks.ts';

/** A leaf with fewer rows gets no signature, as testing is as fast. */
const MIN_ROWS = 64;

/**
 * A leaf with fewer rows, as a share of its slots, drops its signature, which would take about as
 * much memory as the rows. So a leaf that has lost half of its rows two times has none.
 */
const MIN_SHARE = 1 / 3;

/** The UTF-16 units that one write signs, in at most half a millisecond: a leaf of usual rows. */
const UNITS_PER_WRITE = 65_536;

/** Keeps the signatures of leaves up to date, at each write. */
export class Signer {
  readonly #columns: readonly string[];
  readonly #freeBytes: () => number;

  /** @param freeBytes returns the bytes that may still be allocated */
  constructor(columns: readonly string[], freeBytes: () => number) {
    this.#columns = columns;
    this.#freeBytes = freeBytes;
  }

  /**
   * Adds the new texts of a row that was put into a leaf, in place of the row `before`.
   * @returns the growth of the signature, in bytes
   */
  put(leaf: Leaf, at: number, row: StoredRow, before: StoredRow | undefined): number {
    const columns = this.#columns;
    let changed = 0;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] ?? '';
      if (row[column] !== before?.[column]) changed++;
    }
    if (changed === 0) return 0;
    const { signature } = leaf;
    const isUsable = signature !== undefined && !signature.isDegraded(leaf.size);
    const growth = isUsable ? 0 : this.#renew(leaf);
    // A new signature lacks all rows. `sign` adds them.
    if (signature && signature === leaf.signature) {
      const isReplaced = before !== undefined && changed === columns.length;
      // Not if a snapshot needs the marks of the previous row.
      if (isReplaced && !signature.isShared) signature.clear(at);
      this.#mark(signature, at, row, before);
    }
    if (leaf.unsigned !== 0) this.sign(leaf);
    return growth;
  }

  /** Drops the signature of a leaf that has lost most rows. Returns its bytes. */
  dropIfSparse(leaf: Leaf): number {
    const { signature } = leaf;
    if (!signature || leaf.size >= MIN_SHARE * leaf.slots) return 0;
    leaf.signature = undefined;
    return signature.bytes;
  }

  /** Signs rows that the signature of a leaf lacks. */
  sign(leaf: Leaf): void {
    const { signature } = leaf;
    let units = 0;
    for (let word = 0; signature && word < LEAF_WORDS && units < UNITS_PER_WRITE; word++) {
      if (((leaf.unsigned >>> word) & 1) === 0) continue;
      for (let left = leaf.word(ALL_ROWS, word); left !== 0; left &= left - 1) {
        const at = word * WORD_BITS + 31 - Math.clz32(left & -left);
        const row = leaf.rowAt(at);
        if (row) units += this.#mark(signature, at, row);
      }
      leaf.unsigned &= ~(1 << word);
    }
  }

  /**
   * Gives a leaf a new signature, whose rows are not signed yet, if it has enough rows and there is
   * memory for it. Returns the growth in bytes.
   */
  #renew(leaf: Leaf): number {
    const isSparse = leaf.size < Math.max(MIN_ROWS, MIN_SHARE * leaf.slots);
    if (isSparse || this.#columns.length === 0) return 0;
    let units = 0;
    for (const row of leaf.rows) units += this.#unitsOf(row);
    const mean = units / leaf.size;
    const growth = Signature.bytesFor(mean) - (leaf.signature?.bytes ?? 0);
    if (growth > this.#freeBytes()) return 0;
    leaf.signature = new Signature(mean);
    leaf.unsigned = 0;
    for (let w = 0; w < LEAF_WORDS; w++) if (leaf.word(ALL_ROWS, w) !== 0) leaf.unsigned |= 1 << w;
    return growth;
  }

  /** Marks the texts of a row that differ from the row `before`. Returns their UTF-16 units. */
  #mark(signature: Signature, at: number, row: StoredRow, before?: StoredRow): number {
    let units = 0;
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i] ?? '';
      const text = row[column];
      if (typeof text !== 'string' || text === before?.[column]) continue;
      signature.mark(at, fold(text));
      units += text.length;
    }
    return units;
  }

  #unitsOf(row: StoredRow): number {
    let units = 0;
    for (let i = 0; i < this.#columns.length; i++) {
      const text = row[this.#columns[i] ?? ''];
      if (typeof text === 'string') units += text.length;
    }
    return units;
  }
}
