import { comparatorOf } from '../condition/value-predicate.ts';
import type { Kind, Value } from '../schema/column.ts';
import { partitionPoint } from './binary-search.ts';
import { BLOCK_SIZE, type SlotBlocks } from './slot-blocks.ts';

/** The value of a row in the index. Nulls are the smallest values. */
export type Key = Value | null;

/** Consecutive entries, as two parallel arrays: the value and the slot of each row. */
export interface EntryBlock {
  /** The epoch in which the block was made. A write in a later epoch copies it first. */
  readonly epoch: number;
  readonly values: Key[];
  readonly slots: number[];
}

/** The position of an entry: the index of a block, and an index in that block. */
export interface Position {
  readonly block: number;
  readonly at: number;
}

/** The entries of a range; `to` is exclusive. */
export interface Span {
  readonly from: Position;
  readonly to: Position;
}

/** An end of a range of values. Null is below all values. */
export interface Bound {
  readonly value: Key;
  readonly included: boolean;
}

/** Returns a comparator of values of a kind. Null is below all values. */
export function keyComparator(kind: Kind): (a: Key, b: Key) => number {
  const compare = comparatorOf(kind);
  return (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
    return compare(a, b);
  };
}

/** The entries of an ordered index, sorted by value and then by slot, in blocks. */
export class OrderedEntries {
  readonly epoch: number;
  readonly blocks: EntryBlock[];
  readonly #compare: (a: Key, b: Key) => number;

  constructor(epoch: number, blocks: EntryBlock[], compare: (a: Key, b: Key) => number) {
    this.epoch = epoch;
    this.blocks = blocks;
    this.#compare = compare;
  }

  copy(epoch: number): OrderedEntries {
    return new OrderedEntries(epoch, this.blocks.slice(), this.#compare);
  }

  /** Returns the position of the first entry that is not before (value, slot). */
  position(value: Key, slot: number): Position {
    const end = this.blocks.length;
    // A new row often has the greatest value, such as the time of its creation.
    if (this.#endsBefore(end - 1, value, slot)) return { block: end, at: 0 };
    const block = partitionPoint(end, (i) => this.#endsBefore(i, value, slot));
    const { values, slots } = this.blocks[block] ?? NO_ENTRIES;
    const at = partitionPoint(slots.length, (i) =>
      this.#isBefore(values[i] ?? null, slots[i] ?? 0, value, slot),
    );
    return { block, at };
  }

  /** Returns the entries between two bounds; without `to`, all from the first bound on. */
  between(from: Bound, to?: Bound): Span {
    const end = { block: this.blocks.length, at: 0 };
    return {
      from: this.position(from.value, from.included ? -1 : Number.POSITIVE_INFINITY),
      to: to ? this.position(to.value, to.included ? Number.POSITIVE_INFINITY : -1) : end,
    };
  }

  /** Counts the entries of a span. Takes time proportional to its number of blocks. */
  count({ from, to }: Span): number {
    if (isBefore(to, from)) return 0;
    let count = to.at - from.at;
    for (let block = from.block; block < to.block; block++) {
      count += this.blocks[block]?.slots.length ?? 0;
    }
    return count;
  }

  /** Lists the slots of a span by ascending value; slots of equal values ascend. */
  *ascending({ from, to }: Span): SlotBlocks {
    for (let block = from.block; block <= to.block; block++) {
      const slots = this.blocks[block]?.slots ?? [];
      const end = block === to.block ? to.at : slots.length;
      yield slots.slice(block === from.block ? from.at : 0, end);
    }
  }

  /** Lists the slots of a span by descending value; slots of equal values ascend here too. */
  *descending({ from, to }: Span): SlotBlocks {
    let slots: number[] = [];
    let end = to;
    for (let last = this.#before(end); last && !isBefore(last, from); last = this.#before(end)) {
      const value = this.blocks[last.block]?.values[last.at] ?? null;
      const first = this.position(value, -1);
      const start = isBefore(first, from) ? from : first;
      for (const block of this.ascending({ from: start, to: end })) {
        if (slots.length + block.length > BLOCK_SIZE) {
          yield slots;
          slots = [];
        }
        for (const slot of block) slots.push(slot);
      }
      end = start;
    }
    yield slots;
  }

  /** Returns the previous position; undefined at the start. */
  #before({ block, at }: Position): Position | undefined {
    if (at > 0) return { block, at: at - 1 };
    const previous = this.blocks[block - 1];
    return previous && { block: block - 1, at: previous.slots.length - 1 };
  }

  /** Whether the last entry of a block is before another. */
  #endsBefore(block: number, value: Key, slot: number): boolean {
    const { values, slots } = this.blocks[block] ?? NO_ENTRIES;
    return this.#isBefore(values.at(-1) ?? null, slots.at(-1) ?? 0, value, slot);
  }

  #isBefore(value: Key, slot: number, otherValue: Key, otherSlot: number): boolean {
    const order = this.#compare(value, otherValue);
    return order === 0 ? slot < otherSlot : order < 0;
  }
}

const NO_ENTRIES: Pick<EntryBlock, 'values' | 'slots'> = { values: [], slots: [] };

function isBefore(a: Position, b: Position): boolean {
  return a.block < b.block || (a.block === b.block && a.at < b.at);
}
