import { slotsOf } from './bitmap.ts';
import { type AscendingSlots, inBlocks } from './slot-blocks.ts';
import { SlotSet } from './slot-set.ts';

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
  /** Rows that are being indexed. */
  readonly #batches = new Set<readonly number[]>();
  #inBatches = 0;

  /** How many rows a search has to look through, about. */
  get size(): number {
    return this.waiting + this.#inBatches;
  }

  /** How many of them are not being indexed already. */
  get waiting(): number {
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

  /** Whether a row that was taken before has changed since. */
  hasChanged(slot: number): boolean {
    return this.#changed.has(slot);
  }

  /** Notes that a row has another text, or none any more. Doing so again changes nothing. */
  note(slot: number, hasText: boolean): void {
    if (slot >= this.#unindexedFrom) this.#end = Math.max(this.#end, slot + 1);
    else if (hasText) this.#changed.add(slot);
    else this.#changed.delete(slot);
  }

  /** Takes slots, ascending, to be indexed. Until they are `indexed` or put back, they are pending. */
  take(most: number): readonly number[] {
    const batch: number[] = [];
    for (const block of slotsOf(this.#changed.snapshot())) {
      for (const slot of block) if (batch.length < most) batch.push(slot);
      if (batch.length === most) break;
    }
    const taken = batch.length;
    const newTo = Math.min(this.#end, this.#unindexedFrom + most - batch.length);
    for (let slot = this.#unindexedFrom; slot < newTo; slot++) batch.push(slot);
    // A row is noted in its new place before it leaves the old one, so that no fault can lose it.
    this.#batches.add(batch);
    this.#inBatches += batch.length;
    this.#unindexedFrom = newTo;
    for (let i = 0; i < taken; i++) this.#changed.delete(batch[i] ?? 0);
    return batch;
  }

  /** A batch is in a segment now. */
  indexed(batch: readonly number[]): void {
    if (this.#batches.delete(batch)) this.#inBatches -= batch.length;
  }

  /** A batch could not be indexed, so its rows wait again. */
  putBack(batch: readonly number[]): void {
    for (const slot of batch) this.#changed.add(slot);
    this.indexed(batch);
  }

  /** The slots below `unindexedFrom`, as of now. */
  slots(): AscendingSlots[] {
    const batches = [...this.#batches].map((batch) => ({
      from: batch[0] ?? 0,
      blocks: inBlocks(batch),
    }));
    return [...batches, { from: 0, blocks: slotsOf(this.#changed.snapshot()) }];
  }
}
