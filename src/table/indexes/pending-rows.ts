import { slotsOf } from './bitmap.ts';
import { MAX_BATCH } from './compaction.ts';
import { type AscendingSlots, inBlocks } from './slot-blocks.ts';
import { SlotSet } from './slot-set.ts';
import { KEY_COUNT } from './trigrams.ts';

/*
 * The bytes that a text takes in a segment, as measured: each row takes a slot, and its terms take
 * little more than a byte for each of its characters. Each key that is new to a segment takes a few
 * more.
 */
const BYTES_PER_ROW = 12;
const BYTES_PER_UNIT = 1.75;
const BYTES_PER_KEY = 6;

/**
 * The rows whose current text is in no segment. A row is pending from the time its text changes
 * until a segment with that text is in place. Pending rows are either queued, or in a batch that
 * is being indexed.
 */
export class PendingRows {
  /**
   * All rows from this slot up to `#end` are new and queued, so they need no entries of their own.
   */
  #unindexedFrom = 0;
  #end = 0;
  /** The queued rows below `#unindexedFrom`, whose text has changed. */
  readonly #changed = new SlotSet();
  /** Batches of rows that are being indexed, with the UTF-16 units of their texts. */
  readonly #batches = new Map<readonly number[], number>();
  /** The UTF-16 units of the texts of queued rows, and of those that are being indexed. */
  #units = 0;
  #unitsInBatches = 0;
  #inBatches = 0;

  /** The approximate number of pending rows, which every search looks through. */
  get size(): number {
    return this.queued + this.#inBatches;
  }

  /** The number of pending rows that are not yet being indexed. */
  get queued(): number {
    return this.#end - this.#unindexedFrom + this.#changed.size;
  }

  /** All rows from this slot on are pending, if there are any; otherwise infinity. */
  get unindexedFrom(): number {
    return this.#unindexedFrom < this.#end ? this.#unindexedFrom : Number.POSITIVE_INFINITY;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#changed.bytes + this.#inBatches * 8;
  }

  /** The maximum bytes that the pending rows will take in segments. */
  get reservedBytes(): number {
    const units = this.#units + this.#unitsInBatches;
    const segments = Math.ceil(this.size / MAX_BATCH);
    const keys = Math.min(units, segments * KEY_COUNT);
    return this.size * BYTES_PER_ROW + units * BYTES_PER_UNIT + keys * BYTES_PER_KEY;
  }

  /** Whether a row is pending, and not yet being indexed. */
  isQueued(slot: number): boolean {
    return slot >= this.#unindexedFrom ? slot < this.#end : this.#changed.has(slot);
  }

  /** Whether the text of a row that was taken has changed since. */
  hasChanged(slot: number): boolean {
    return this.#changed.has(slot);
  }

  /**
   * Records that the text of a row has changed or gone. Idempotent, except that the reserved bytes
   * may be off for a while.
   *
   * @param before the UTF-16 units of the old text; 0 for none
   * @param after the UTF-16 units of the new text; undefined for none
   */
  note(slot: number, before: number, after: number | undefined): void {
    const isNew = slot >= this.#unindexedFrom;
    if (this.isQueued(slot)) this.#units -= before;
    if (isNew || after !== undefined) this.#units += after ?? 0;
    if (isNew) this.#end = Math.max(this.#end, slot + 1);
    else if (after !== undefined) this.#changed.add(slot);
    else this.#changed.delete(slot);
    this.#units = this.queued === 0 ? 0 : Math.max(0, this.#units);
  }

  /**
   * Takes a batch of slots, ascending, to be indexed. They stay pending until `indexed` or
   * `putBack` is called.
   *
   * @param max the maximum number of slots
   */
  take(max: number): readonly number[] {
    const { queued } = this;
    const batch: number[] = [];
    for (const block of slotsOf(this.#changed.snapshot())) {
      for (const slot of block) if (batch.length < max) batch.push(slot);
      if (batch.length === max) break;
    }
    const taken = batch.length;
    const newTo = Math.min(this.#end, this.#unindexedFrom + max - batch.length);
    for (let slot = this.#unindexedFrom; slot < newTo; slot++) batch.push(slot);
    // The batch gets its share of the queued units by number of rows, so that none are left when
    // no rows are.
    const units = queued > 0 ? (this.#units * batch.length) / queued : 0;
    // Rows are added to the batch before they leave the queue, so that no fault can lose them.
    this.#batches.set(batch, units);
    this.#inBatches += batch.length;
    this.#units -= units;
    this.#unitsInBatches += units;
    this.#unindexedFrom = newTo;
    for (let i = 0; i < taken; i++) this.#changed.delete(batch[i] ?? 0);
    return batch;
  }

  /** Removes a batch, which is in a segment now. */
  indexed(batch: readonly number[]): void {
    this.#unitsInBatches -= this.#batches.get(batch) ?? 0;
    if (this.#batches.delete(batch)) this.#inBatches -= batch.length;
  }

  /** Queues the rows of a batch again, because it could not be indexed. */
  putBack(batch: readonly number[]): void {
    for (const slot of batch) this.#changed.add(slot);
    this.#units += this.#batches.get(batch) ?? 0;
    this.indexed(batch);
  }

  /** Lists the pending slots below `unindexedFrom`. Later changes do not show. */
  slots(): AscendingSlots[] {
    const batches = [...this.#batches.keys()].map((batch) => ({
      from: batch[0] ?? 0,
      blocks: inBlocks(batch),
    }));
    if (this.#changed.size === 0) return batches;
    return [...batches, { from: 0, blocks: slotsOf(this.#changed.snapshot()) }];
  }
}
