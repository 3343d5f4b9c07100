import { slotsOf } from './bitmap.ts';
import { MAX_BATCH } from './compaction.ts';
import { type AscendingSlots, inBlocks } from './slot-blocks.ts';
import { SlotSet } from './slot-set.ts';
import { KEY_COUNT } from './trigrams.ts';

/*
 * What a text takes in a segment, in bytes. Measured: a row takes a slot and, for each of its
 * trigrams, little more than a byte; each key that is new to a segment takes a few more.
 */
const BYTES_PER_ROW = 12;
const BYTES_PER_UNIT = 1.25;
const BYTES_PER_KEY = 6;

/**
 * The rows whose text no segment has. A row is pending from the moment its text changes until a
 * segment with that text is in place.
 */
export class PendingRows {
  /** From here to the end, no row was ever indexed: new rows need no note of each. */
  #unindexedFrom = 0;
  #end = 0;
  /** Those of other rows whose text has changed. */
  readonly #changed = new SlotSet();
  /** Rows that are being indexed, with the units of their texts. */
  readonly #batches = new Map<readonly number[], number>();
  /** The units of text of rows that wait, and those of rows that are being indexed. */
  #units = 0;
  #unitsInBatches = 0;
  #inBatches = 0;

  /** How many rows a search has to look through, about. */
  get size(): number {
    return this.queued + this.#inBatches;
  }

  /** How many of them are not being indexed already. */
  get queued(): number {
    return this.#end - this.#unindexedFrom + this.#changed.size;
  }

  /** From this slot on, all rows are pending. */
  get unindexedFrom(): number {
    return this.#unindexedFrom;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#changed.bytes + this.#inBatches * 8;
  }

  /** What they will take in a segment, at most, in bytes. */
  get reservedBytes(): number {
    const units = this.#units + this.#unitsInBatches;
    const segments = Math.ceil(this.size / MAX_BATCH);
    const keys = Math.min(units, segments * KEY_COUNT);
    return this.size * BYTES_PER_ROW + units * BYTES_PER_UNIT + keys * BYTES_PER_KEY;
  }

  /** Whether a row that was taken before has changed since. */
  hasChanged(slot: number): boolean {
    return this.#changed.has(slot);
  }

  /**
   * Notes that a row has another text, or none any more. Doing so again changes nothing but what is
   * reserved, for a while.
   *
   * @param before the units of the text that it had
   * @param after the units of the text that it has; undefined for none
   */
  note(slot: number, before: number, after: number | undefined): void {
    const isNew = slot >= this.#unindexedFrom;
    if (isNew ? slot < this.#end : this.#changed.has(slot)) this.#units -= before;
    if (isNew || after !== undefined) this.#units += after ?? 0;
    if (isNew) this.#end = Math.max(this.#end, slot + 1);
    else if (after !== undefined) this.#changed.add(slot);
    else this.#changed.delete(slot);
    this.#units = this.queued === 0 ? 0 : Math.max(0, this.#units);
  }

  /**
   * Takes slots, ascending, to be indexed. Until they are `indexed` or put back, they are pending.
   */
  take(most: number): readonly number[] {
    const { queued } = this;
    const batch: number[] = [];
    for (const block of slotsOf(this.#changed.snapshot())) {
      for (const slot of block) if (batch.length < most) batch.push(slot);
      if (batch.length === most) break;
    }
    const taken = batch.length;
    const newTo = Math.min(this.#end, this.#unindexedFrom + most - batch.length);
    for (let slot = this.#unindexedFrom; slot < newTo; slot++) batch.push(slot);
    // Of the texts that wait, an equal share, so that all are gone when all rows are.
    const units = queued > 0 ? (this.#units * batch.length) / queued : 0;
    // A row is noted in its new place before it leaves the old one, so that no fault can lose it.
    this.#batches.set(batch, units);
    this.#inBatches += batch.length;
    this.#units -= units;
    this.#unitsInBatches += units;
    this.#unindexedFrom = newTo;
    for (let i = 0; i < taken; i++) this.#changed.delete(batch[i] ?? 0);
    return batch;
  }

  /** A batch is in a segment now. */
  indexed(batch: readonly number[]): void {
    this.#unitsInBatches -= this.#batches.get(batch) ?? 0;
    if (this.#batches.delete(batch)) this.#inBatches -= batch.length;
  }

  /** A batch could not be indexed, so its rows wait again. */
  putBack(batch: readonly number[]): void {
    for (const slot of batch) this.#changed.add(slot);
    this.#units += this.#batches.get(batch) ?? 0;
    this.indexed(batch);
  }

  /** The slots below `unindexedFrom`, as of now. */
  slots(): AscendingSlots[] {
    const batches = [...this.#batches.keys()].map((batch) => ({
      from: batch[0] ?? 0,
      blocks: inBlocks(batch),
    }));
    if (this.#changed.size === 0) return batches;
    return [...batches, { from: 0, blocks: slotsOf(this.#changed.snapshot()) }];
  }
}
