import { hasBit, type Mask, onesIn, positionsIn, wordAt } from '../bits.ts';
import { bytesOfRow, growthOf, WORD } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import type { IndexedColumn, ResolvedSchema } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import { FIRST_MASK, maskOf, type ValueMasks } from './value-masks.ts';
import { Zone } from './zone.ts';

/** Bytes of a leaf without rows: measured with V8. A row takes two words, one of the masks one. */
const HEADER_BYTES = 420;

/**
 * The rows of 512 consecutive slots, without gaps and in the order of their slots, and masks: of all
 * rows, then one for each value of a bitmap column.
 */
export class Leaf {
  /** The epoch in which it was made. If a snapshot sees that, a write first copies the leaf. */
  epoch: number;
  readonly rows: StoredRow[];
  /** The numbers of the commits that wrote the rows. */
  readonly revisions: number[];
  /** The words of all masks, one mask after the other. Plain numbers, because copying is fast. */
  readonly bits: number[];
  /** Whether the row of each slot has the index of its slot. */
  isDense = true;
  /** Memory held by the rows with their values. */
  rowBytes = 0;
  /** By ordered column. */
  readonly zones: readonly Zone[];

  constructor(epoch: number, masks: number, ordered: readonly IndexedColumn[], from?: Leaf) {
    this.epoch = epoch;
    this.rows = from ? from.rows.slice() : [];
    this.revisions = from ? from.revisions.slice() : [];
    this.bits = from ? from.bits.slice() : new Array(masks * LEAF_WORDS).fill(0);
    this.zones = from
      ? from.zones.map((zone) => zone.copy())
      : ordered.map((each) => new Zone(each));
    if (!from) return;
    this.isDense = from.isDense;
    this.rowBytes = from.rowBytes;
  }

  copy(epoch: number): Leaf {
    return new Leaf(epoch, 0, [], this);
  }

  get size(): number {
    return this.rows.length;
  }

  get bytes(): number {
    return this.structureBytes + this.rowBytes;
  }

  /** Memory held besides the rows with their values. */
  get structureBytes(): number {
    const { bits, rows } = this;
    return HEADER_BYTES + bits.length * WORD + rows.length * 2 * WORD;
  }

  /** Memory held by the masks of values. */
  get maskBytes(): number {
    return (this.bits.length - FIRST_MASK * LEAF_WORDS) * WORD;
  }

  /** Returns the index of the row of a slot of the leaf; -1 if it has none. */
  indexOf(at: number): number {
    if (this.isDense) return at < this.rows.length ? at : -1;
    return hasBit(this.bits, at) ? this.#rankOf(at) : -1;
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
    const { bits, rows } = this;
    const word = at >>> 5;
    const bit = 1 << at;
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
      bits[word] = wordAt(bits, word) | bit;
    }
    for (const zone of this.zones) zone.put(rows, index, before);
    this.#grow(values.count);
    for (const each of values.columns) {
      const value = row[each.column] ?? null;
      if (before) {
        const old = before[each.column] ?? null;
        if (old === value) continue;
        const at = maskOf(each, old) * LEAF_WORDS + word;
        if (at >= 0) bits[at] = wordAt(bits, at) & ~bit;
      }
      const at = maskOf(each, value) * LEAF_WORDS + word;
      if (at >= 0) bits[at] = wordAt(bits, at) | bit;
    }
  }

  /** Records which commit wrote the rows of a mask. */
  setRevisions(mask: Mask, revision: number): void {
    for (const at of positionsIn(mask, 0, LEAF_WORDS)) this.revisions[this.indexOf(at)] = revision;
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
    const { bits } = this;
    for (let w = at >>> 5; w < bits.length; w += LEAF_WORDS) bits[w] = wordAt(bits, w) & ~(1 << at);
    for (const zone of this.zones) zone.remove(this.rows, index, row);
  }

  /** Summarizes the rows again, because a write that was undone may have failed halfway. */
  recompute(schema: ResolvedSchema): void {
    this.rowBytes = this.rows.reduce((sum, row) => sum + bytesOfRow(schema, row), 0);
    for (const zone of this.zones) zone.recompute(this.rows);
  }

  /** Lists the slots that have a row. */
  slots(): number[] {
    return positionsIn(this.bits, 0, LEAF_WORDS);
  }

  /** Returns the number of rows in lower slots. */
  #rankOf(at: number): number {
    const word = at >>> 5;
    let rank = onesIn(wordAt(this.bits, word) & ~(-1 << at));
    for (let w = 0; w < word; w++) rank += onesIn(wordAt(this.bits, w));
    return rank;
  }

  #grow(masks: number): void {
    while (this.bits.length < masks * LEAF_WORDS) this.bits.push(0);
  }
}
