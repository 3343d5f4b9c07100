import { type Mask, popCount, WORD_BITS } from '../bits.ts';
import { bytesOfRow, growthOf, WORD } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import type { IndexedColumn, ResolvedSchema } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import type { Signature } from '../texts/signature.ts';
import { ALL_ROWS, type ColumnMasks, type ValueMasks } from './value-masks.ts';
import { Zone } from './zone.ts';

/** Measured with V8: a leaf, its zones, and arrays with space for some rows. */
const HEADER_BYTES = 800;

/**
 * The rows of 512 consecutive slots, without gaps and in the order of their slots, with masks: of all
 * rows, then one for each value of a bitmap column. A signature finds their texts.
 */
export class Leaf {
  /** The index of its first slot, divided by 512. */
  readonly number: Integer;
  /** The epoch in which it was made. If a snapshot sees this epoch, a write first copies the leaf. */
  epoch: number;
  readonly rows: StoredRow[];
  /** By row: the number of the commit that wrote it; 0 for the commit that installed the leaf. */
  readonly revisions: number[];
  /** The number of the commit that installed the leaf as a whole, if one did. */
  revision = 0;
  /** The words of all masks, one mask after the other. Plain numbers, because copying is fast. */
  masks: number[];
  /** Whether the row of each slot has the index of its slot. */
  isDense = true;
  /** Memory held by the rows with their values. */
  rowBytes = 0;
  /** By ordered column. */
  readonly zones: readonly Zone[];
  /** Versions of a leaf share it. Absent if there are few rows. */
  signature: Signature | undefined;
  /** A bit for each word of a mask. The signature may lack the rows of words whose bit is set. */
  unsigned = 0;

  /** @param masks the number of masks */
  constructor(
    number: Integer,
    epoch: number,
    masks: number,
    ordered: readonly IndexedColumn[],
    from?: Leaf,
  ) {
    this.number = number;
    this.epoch = epoch;
    this.rows = from ? from.rows.slice() : [];
    this.revisions = from ? from.revisions.slice() : [];
    this.masks = from ? from.masks.slice() : new Array(masks * LEAF_WORDS).fill(0);
    this.zones = from
      ? from.zones.map((zone) => zone.copy())
      : ordered.map((each) => new Zone(each));
    this.signature = from?.signature;
    if (!from) return;
    this.revision = from.revision;
    this.isDense = from.isDense;
    this.rowBytes = from.rowBytes;
    this.unsigned = from.unsigned;
    if (from.signature) from.signature.isShared = true;
  }

  /** Makes the next version, for writes from an epoch on. */
  copy(epoch: number): Leaf {
    return new Leaf(this.number, epoch, 0, [], this);
  }

  /** Makes the next version, which a commit will install as a whole. */
  copyToInstall(): Leaf {
    const copy = this.copy(this.epoch);
    for (let i = 0; i < copy.revisions.length; i++) copy.revisions[i] = this.revisionOf(i);
    return copy;
  }

  /** The number of slots up to the last one that has a row. */
  get slots(): number {
    if (this.isDense) return this.rows.length;
    for (let w = LEAF_WORDS - 1; w >= 0; w--) {
      const word = this.word(ALL_ROWS, w);
      if (word !== 0) return w * WORD_BITS + 32 - Math.clz32(word);
    }
    return 0;
  }

  get size(): number {
    return this.rows.length;
  }

  get bytes(): number {
    return this.structureBytes + this.rowBytes + (this.signature?.bytes ?? 0);
  }

  /** Memory held besides the rows with their values and the signature. */
  get structureBytes(): number {
    return HEADER_BYTES + (this.masks.length + 2 * this.rows.length) * WORD;
  }

  /** Memory held by the masks of values and the signature. */
  get indexBytes(): number {
    return (this.masks.length - LEAF_WORDS) * WORD + (this.signature?.bytes ?? 0);
  }

  /** Returns the number of the commit that wrote the row of an index. */
  revisionOf(index: number): number {
    return this.revisions[index] || this.revision;
  }

  /** Returns a word of one of its masks. */
  word(maskNumber: number, index: number): number {
    return this.masks[maskNumber * LEAF_WORDS + index] ?? 0;
  }

  /** Copies the words of its mask of all rows to a mask, from the word `base` on. */
  copyRowsTo(mask: Mask, base: number): void {
    const { masks } = this;
    for (let w = 0; w < LEAF_WORDS; w++) mask[base + w] = masks[w] ?? 0;
  }

  /** Returns the index of the row of a slot of the leaf; -1 if it has none. */
  indexOf(at: number): number {
    if (this.isDense) return at < this.rows.length ? at : -1;
    return (this.word(ALL_ROWS, at >>> 5) >>> at) & 1 ? this.#rankOf(at) : -1;
  }

  rowAt(at: number): StoredRow | undefined {
    const index = this.indexOf(at);
    return index < 0 ? undefined : this.rows[index];
  }

  /** Puts a row into a slot, replacing the row there. Idempotent. */
  put(
    at: number,
    row: StoredRow,
    revision: number,
    schema: ResolvedSchema,
    values: ValueMasks,
  ): void {
    const { rows, zones } = this;
    let index = this.indexOf(at);
    const before = rows[index];
    if (before) {
      this.rowBytes += growthOf(schema, before, row);
      rows[index] = row;
      this.revisions[index] = revision;
    } else {
      this.rowBytes += bytesOfRow(schema, row);
      index = this.isDense && at >= rows.length ? rows.length : this.#rankOf(at);
      if (at !== rows.length) this.isDense = false;
      if (index === rows.length) {
        rows.push(row);
        this.revisions.push(revision);
      } else {
        rows.splice(index, 0, row);
        this.revisions.splice(index, 0, revision);
      }
      this.#setBit(ALL_ROWS, at);
    }
    for (let i = 0; i < zones.length; i++) zones[i]?.put(rows, index, before);
    for (let i = 0; i < values.columns.length; i++) {
      const masks = values.columns[i] as ColumnMasks;
      const value = row[masks.column] ?? null;
      if (before) {
        const old = before[masks.column] ?? null;
        if (old === value) continue;
        const maskNumber = values.numberOf(masks, old);
        if (maskNumber !== ALL_ROWS) this.#clearBit(maskNumber, at);
      }
      const maskNumber = values.numberOf(masks, value);
      if (maskNumber !== ALL_ROWS) this.#setBit(maskNumber, at);
    }
  }

  /** Removes the row of a slot, if there is one. */
  remove(at: number, schema: ResolvedSchema): void {
    const index = this.indexOf(at);
    const row = this.rows[index];
    if (row === undefined) return;
    this.rowBytes -= bytesOfRow(schema, row);
    if (index < this.rows.length - 1) this.isDense = false;
    this.rows.splice(index, 1);
    this.revisions.splice(index, 1);
    const masks = this.masks.length / LEAF_WORDS;
    for (let i = 0; i < masks; i++) this.#clearBit(i, at);
  }

  /** Summarizes the rows again, because a write that was undone may have failed halfway. */
  recompute(schema: ResolvedSchema): void {
    this.rowBytes = this.rows.reduce((sum, row) => sum + bytesOfRow(schema, row), 0);
    for (const zone of this.zones) zone.recompute(this.rows);
  }

  /** Returns the number of rows in lower slots. */
  #rankOf(at: number): number {
    const word = at >>> 5;
    let rank = popCount(this.word(ALL_ROWS, word) & ~(-1 << at));
    for (let w = 0; w < word; w++) rank += popCount(this.word(ALL_ROWS, w));
    return rank;
  }

  #setBit(maskNumber: number, at: number): void {
    const index = maskNumber * LEAF_WORDS + (at >>> 5);
    if (index >= this.masks.length) {
      const missing = (maskNumber + 1) * LEAF_WORDS - this.masks.length;
      // Not pushed, because arrays that grow are larger than needed.
      this.masks = this.masks.concat(new Array(missing).fill(0));
    }
    this.masks[index] = (this.masks[index] ?? 0) | (1 << at);
  }

  #clearBit(maskNumber: number, at: number): void {
    const { masks } = this;
    const index = maskNumber * LEAF_WORDS + (at >>> 5);
    if (index < masks.length) masks[index] = (masks[index] ?? 0) & ~(1 << at);
  }
}
