import type { Kind } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import {
  type Bound,
  type EntryBlock,
  type Key,
  keyComparator,
  OrderedEntries,
  type Span,
} from './ordered-entries.ts';
import { BLOCK_SIZE, concatenated, type SlotBlocks } from './slot-blocks.ts';

/**
 * The bytes of a block of values, or references to them, and slots. Arrays do not shrink, so a
 * block counts as full.
 */
const BLOCK_BYTES = 16 * BLOCK_SIZE + 1000;

/**
 * An ordered index: the values of a column in order, and rows of equal value in order of slot, in
 * blocks of bounded size. Blocks are copied on write, so slots can be read while others write.
 */
export class OrderedIndex {
  readonly kind = 'ordered';
  readonly #column: string;
  #entries: OrderedEntries;
  #epoch = 0;

  constructor(column: string, kind: Kind) {
    this.#column = column;
    this.#entries = new OrderedEntries(0, [], keyComparator(kind));
  }

  /** Replaces the row of a slot. Idempotent. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    const old = before?.[this.#column];
    const value = after?.[this.#column];
    if (old === value) return;
    if (old !== undefined) this.#remove(old, slot);
    if (value !== undefined) this.#add(value, slot);
  }

  /** Returns the entries between two bounds. The span must be used before the next write. */
  between(from: Bound, to?: Bound): Span {
    return this.#entries.between(from, to);
  }

  /** Counts the entries of a span. */
  count(span: Span): number {
    return this.#entries.count(span);
  }

  /**
   * Lists the slots of a span by value, in either direction; slots of equal values ascend. Later
   * writes do not change the result.
   */
  slots(span: Span, direction: 'asc' | 'desc' = 'asc'): SlotBlocks {
    const entries = this.#snapshot();
    return direction === 'asc' ? entries.ascending(span) : entries.descending(span);
  }

  /**
   * Lists all slots by value, in either direction; slots of equal values ascend. Later writes do
   * not change the result.
   */
  inOrder(direction: 'asc' | 'desc', nulls: 'first' | 'last'): SlotBlocks {
    const ofNull = this.between({ value: null, included: true }, { value: null, included: true });
    const ofValues = this.between({ value: null, included: false });
    const spans = nulls === 'first' ? [ofNull, ofValues] : [ofValues, ofNull];
    return concatenated(spans.map((span) => this.slots(span, direction)));
  }

  /** Memory held, in bytes, without the values themselves, which belong to the rows. */
  get bytes(): number {
    return this.#entries.blocks.length * BLOCK_BYTES;
  }

  #snapshot(): OrderedEntries {
    this.#epoch = this.#entries.epoch + 1;
    return this.#entries;
  }

  #blocksToWrite(): EntryBlock[] {
    if (this.#entries.epoch !== this.#epoch) {
      this.#entries = this.#entries.copy(this.#epoch);
    }
    return this.#entries.blocks;
  }

  #blockToWrite(blocks: EntryBlock[], index: number): EntryBlock | undefined {
    const block = blocks[index];
    if (!block || block.epoch === this.#epoch) return block;
    const copy = this.#block(block.values.slice(), block.slots.slice());
    blocks[index] = copy;
    return copy;
  }

  #block(values: Key[], slots: number[]): EntryBlock {
    return { epoch: this.#epoch, values, slots };
  }

  #add(value: Key, slot: number): void {
    const { block, at } = this.#entries.position(value, slot);
    const found = this.#entries.blocks[block];
    if (found?.values[at] === value && found.slots[at] === slot) return;
    const blocks = this.#blocksToWrite();
    // An entry that comes after all others goes into the last block, if that is not full.
    const last = blocks.length - 1;
    const isLast = block > last && (blocks[last]?.slots.length ?? BLOCK_SIZE) < BLOCK_SIZE;
    const target = this.#blockToWrite(blocks, isLast ? last : block);
    if (target) {
      if (isLast) {
        target.values.push(value);
        target.slots.push(slot);
      } else {
        target.values.splice(at, 0, value);
        target.slots.splice(at, 0, slot);
      }
      if (target.slots.length > BLOCK_SIZE) this.#split(blocks, block);
    } else {
      blocks.push(this.#block([value], [slot]));
    }
  }

  #remove(value: Key, slot: number): void {
    const { block, at } = this.#entries.position(value, slot);
    const found = this.#entries.blocks[block];
    if (found?.slots[at] !== slot || found.values[at] !== value) return;
    const blocks = this.#blocksToWrite();
    const target = this.#blockToWrite(blocks, block);
    if (!target) return;
    target.values.splice(at, 1);
    target.slots.splice(at, 1);
    this.#mergeIfSmall(blocks, block);
  }

  #split(blocks: EntryBlock[], index: number): void {
    const full = blocks[index];
    if (!full) return;
    const half = BLOCK_SIZE / 2;
    const { values, slots } = full;
    blocks.splice(index + 1, 0, this.#block(values.splice(half), slots.splice(half)));
  }

  /** Drops an empty block; merges a small block with the next one if both are small. */
  #mergeIfSmall(blocks: EntryBlock[], index: number): void {
    const target = blocks[index];
    const next = blocks[index + 1];
    if (!target) return;
    if (target.slots.length === 0) {
      blocks.splice(index, 1);
    } else if (next && target.slots.length + next.slots.length < BLOCK_SIZE / 2) {
      target.values.push(...next.values);
      target.slots.push(...next.slots);
      blocks.splice(index + 1, 1);
    }
  }
}
