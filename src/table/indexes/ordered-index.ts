import { comparatorOf } from '../condition/value-predicate.ts';
import type { Kind, Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { partitionPoint } from './ascending.ts';
import { BLOCK_SIZE, type SlotBlocks } from './slot-blocks.ts';

/** What an index holds of one row. Nulls are the smallest values. */
type Key = Value | null;

/** Neighbouring entries: a value and the slot of its row at each place. */
class Block {
  readonly values: Key[];
  readonly slots: number[];

  constructor(values: Key[], slots: number[]) {
    this.values = values;
    this.slots = slots;
  }
}

/** A place among the entries: an index into the blocks, and one into that block. */
interface Place {
  readonly block: number;
  readonly at: number;
}

/** Entries from one place up to, and without, another. */
export interface Span {
  readonly from: Place;
  readonly to: Place;
}

/** The values of a column in order, those that are equal by slot, in blocks of bounded size. */
export class OrderedIndex {
  readonly #column: string;
  readonly #compare: (a: Key, b: Key) => number;
  readonly #blocks: Block[] = [];

  constructor(column: string, kind: Kind) {
    const compare = comparatorOf(kind);
    this.#column = column;
    this.#compare = (a, b) => {
      if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
      return compare(a, b);
    };
  }

  /** Puts a slot's row in the place of another one. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    const old = before?.[this.#column];
    const value = after?.[this.#column];
    if (old === value) return;
    if (old !== undefined) this.#remove(old, slot);
    if (value !== undefined) this.#add(value, slot);
  }

  /** The entries between two values, either end included or not; null is below all values. */
  between(
    from: { readonly value: Key; readonly included: boolean },
    to?: { readonly value: Key; readonly included: boolean },
  ): Span {
    const end = { block: this.#blocks.length, at: 0 };
    return {
      from: this.#place(from.value, from.included ? -1 : Number.POSITIVE_INFINITY),
      to: to ? this.#place(to.value, to.included ? Number.POSITIVE_INFINITY : -1) : end,
    };
  }

  /** The number of entries in a span. */
  count({ from, to }: Span): number {
    if (isBefore(to, from)) return 0;
    let count = to.at - from.at;
    for (let block = from.block; block < to.block; block++) {
      count += this.#blocks[block]?.slots.length ?? 0;
    }
    return count;
  }

  /** The slots in a span: by value in either direction, where values are equal ascending. */
  *slots({ from, to }: Span, direction: 'asc' | 'desc' = 'asc'): SlotBlocks {
    if (direction === 'asc') {
      yield* this.#forward(from, to);
      return;
    }
    let end = to;
    for (let last = this.#before(end); last && !isBefore(last, from); last = this.#before(end)) {
      const value = this.#blocks[last.block]?.values[last.at] ?? null;
      const first = this.#place(value, -1);
      const start = isBefore(first, from) ? from : first;
      yield* this.#forward(start, end);
      end = start;
    }
  }

  /** Memory held, in bytes, without the values, which the rows hold. */
  get bytes(): number {
    const perEntry = 16;
    const perBlock = 160;
    return this.#blocks.reduce((sum, { slots }) => sum + perBlock + slots.length * perEntry, 0);
  }

  *#forward(from: Place, to: Place): SlotBlocks {
    for (let block = from.block; block <= to.block; block++) {
      const slots = this.#blocks[block]?.slots ?? [];
      const end = block === to.block ? to.at : slots.length;
      yield slots.slice(block === from.block ? from.at : 0, end);
    }
  }

  /** The place before another one, if there is any. */
  #before({ block, at }: Place): Place | undefined {
    if (at > 0) return { block, at: at - 1 };
    const previous = this.#blocks[block - 1];
    return previous && { block: block - 1, at: previous.slots.length - 1 };
  }

  #add(value: Key, slot: number): void {
    const { block, at } = this.#place(value, slot);
    const target = this.#blocks[block];
    const last = this.#blocks.at(-1);
    if (target) {
      if (target.values[at] === value && target.slots[at] === slot) return;
      target.values.splice(at, 0, value);
      target.slots.splice(at, 0, slot);
      if (target.slots.length > BLOCK_SIZE) this.#split(block);
    } else if (last && last.slots.length < BLOCK_SIZE) {
      last.values.push(value);
      last.slots.push(slot);
    } else {
      this.#blocks.push(new Block([value], [slot]));
    }
  }

  #remove(value: Key, slot: number): void {
    const { block, at } = this.#place(value, slot);
    const target = this.#blocks[block];
    if (!target || target.slots[at] !== slot || target.values[at] !== value) return;
    target.values.splice(at, 1);
    target.slots.splice(at, 1);
    this.#mergeIfSmall(block);
  }

  #split(block: number): void {
    const full = this.#blocks[block];
    if (!full) return;
    const half = BLOCK_SIZE / 2;
    this.#blocks.splice(block + 1, 0, new Block(full.values.splice(half), full.slots.splice(half)));
  }

  /** Keeps blocks from dwindling: a small one takes in its neighbour, if both are small. */
  #mergeIfSmall(block: number): void {
    const target = this.#blocks[block];
    const next = this.#blocks[block + 1];
    if (!target) return;
    if (target.slots.length === 0) {
      this.#blocks.splice(block, 1);
    } else if (next && target.slots.length + next.slots.length < BLOCK_SIZE / 2) {
      target.values.push(...next.values);
      target.slots.push(...next.slots);
      this.#blocks.splice(block + 1, 1);
    }
  }

  /** The place of the first entry that is not before (value, slot). */
  #place(value: Key, slot: number): Place {
    const block = partitionPoint(this.#blocks.length, (i) => {
      const { values, slots } = this.#blocks[i] ?? { values: [], slots: [] };
      return this.#isBefore(values.at(-1) ?? null, slots.at(-1) ?? 0, value, slot);
    });
    const { values, slots } = this.#blocks[block] ?? { values: [], slots: [] };
    const at = partitionPoint(slots.length, (i) =>
      this.#isBefore(values[i] ?? null, slots[i] ?? 0, value, slot),
    );
    return { block, at };
  }

  #isBefore(value: Key, slot: number, otherValue: Key, otherSlot: number): boolean {
    const order = this.#compare(value, otherValue);
    return order === 0 ? slot < otherSlot : order < 0;
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.block < b.block || (a.block === b.block && a.at < b.at);
}
