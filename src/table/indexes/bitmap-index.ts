import type { ColumnCondition } from '../condition/condition.ts';
import { comparatorOf, valuePredicate } from '../condition/value-predicate.ts';
import type { Kind, Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { type Bitmap, union } from './bitmap.ts';
import type { SparseWords } from './bits.ts';
import { SlotSet } from './slot-set.ts';

type Key = Value | null;

/**
 * A bitmap index: a bitmap of slots for each value of a column, for columns with few distinct
 * values. It is exact: it knows for which rows a condition on the column is true. A write clears
 * one bit and sets another.
 */
export class BitmapIndex {
  readonly kind = 'bitmap';
  readonly #column: string;
  readonly #kind: Kind;
  readonly #slots = new Map<Key, SlotSet>();
  #bytes = 0;

  constructor(column: string, kind: Kind) {
    this.#column = column;
    this.#kind = kind;
  }

  /** Replaces the row of a slot. Idempotent. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    const old = before?.[this.#column];
    const value = after?.[this.#column];
    if (old === value) return;
    if (old !== undefined) this.#remove(old, slot);
    if (value !== undefined) this.#add(value, slot);
  }

  /** Deletes the rows of some slots. Idempotent. */
  deleteAll(slots: SparseWords): void {
    for (const [key, held] of this.#slots) {
      this.#bytes -= held.bytes;
      held.deleteAll(slots);
      this.#bytes += held.bytes;
      if (held.size === 0) this.#slots.delete(key);
    }
  }

  /**
   * Returns the slots of the rows for which a condition is true. Later writes do not change them.
   */
  where(leaf: ColumnCondition): Bitmap {
    const holds = truthOf(this.#kind, leaf);
    const sets = [...this.#slots].filter(([key]) => holds(key));
    return union(sets.map(([, slots]) => slots.snapshot()));
  }

  /** Returns the slots of each value, in order of the values. Later writes do not change them. */
  inOrder(direction: 'asc' | 'desc', nulls: 'first' | 'last'): readonly Bitmap[] {
    const compare = comparatorOf(this.#kind);
    const sign = direction === 'asc' ? 1 : -1;
    const nullRank = nulls === 'first' ? -1 : 1;
    return [...this.#slots]
      .sort(([a], [b]) => {
        if (a === null || b === null) return a === b ? 0 : a === null ? nullRank : -nullRank;
        return sign * compare(a, b);
      })
      .map(([, slots]) => slots.snapshot());
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  #add(key: Key, slot: number): void {
    let slots = this.#slots.get(key);
    if (!slots) {
      slots = new SlotSet();
      this.#slots.set(key, slots);
    }
    this.#bytes -= slots.bytes;
    slots.add(slot);
    this.#bytes += slots.bytes;
  }

  #remove(key: Key, slot: number): void {
    const slots = this.#slots.get(key);
    if (!slots) return;
    this.#bytes -= slots.bytes;
    slots.delete(slot);
    this.#bytes += slots.bytes;
    if (slots.size === 0) this.#slots.delete(key);
  }
}

/** Compiles a condition into a test of values, null included. */
function truthOf(kind: Kind, leaf: ColumnCondition): (value: Key) => boolean {
  switch (leaf.op) {
    case 'isNull':
      return (value) => value === null;
    case 'isNotNull':
      return (value) => value !== null;
    default: {
      const holds = valuePredicate(kind, leaf);
      const ofNull = leaf.op === 'notIn' && leaf.values.length === 0;
      return (value) => (value === null ? ofNull : holds(value));
    }
  }
}
