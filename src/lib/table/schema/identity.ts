import { ColumnError, IdsExhaustedError } from '../errors.ts';
import { LEAF_SLOTS } from '../slots.ts';
import type { Column } from './column.ts';
import { canonicalInteger, type Integer, integerIn } from './integer.ts';

/**
 * Maps the ids of a table, which are assigned in order and never reused, to slots: the first id has
 * slot 0. A leaf has 512 consecutive slots. All of this is exact for ids of 64 bits.
 */
export class Identity {
  readonly column: string;
  readonly first: Integer;
  readonly #last: Integer;

  constructor(column: string, { from, to }: NonNullable<Column['identity']>) {
    this.column = column;
    this.first = canonicalInteger(from);
    this.#last = canonicalInteger(to);
  }

  /** Returns the slot of an id, negative before the first id; NaN for a non-id. */
  slotOf(value: unknown): Integer {
    const { first } = this;
    if (typeof value === 'number' && typeof first === 'number' && Number.isSafeInteger(value)) {
      const slot = value - first;
      if (Number.isSafeInteger(slot)) return slot;
    }
    const id = integerIn(value);
    return id === undefined ? Number.NaN : canonicalInteger(BigInt(id) - BigInt(first));
  }

  /** Returns the id after an id. */
  after(id: Integer): Integer {
    const isNextSafe = typeof id === 'number' && id < Number.MAX_SAFE_INTEGER;
    return isNextSafe ? id + 1 : canonicalInteger(BigInt(id) + 1n);
  }

  /** Checks that there is a next id. @throws IdsExhaustedError */
  checkNext(next: Integer): void {
    if (next > this.#last) throw new IdsExhaustedError(this.#last);
  }

  /** Returns an id, checked to be in the range, and not below `least`. @throws ColumnError */
  check(value: unknown, least = this.first): Integer {
    const id = integerIn(value);
    if (id !== undefined && id >= least && id <= this.#last) return id;
    throw new ColumnError(
      this.column,
      `must be an id from ${least} to ${this.#last}, not ${value}`,
    );
  }

  /** Returns how many ids come before an id. */
  countBefore(id: Integer): bigint {
    return BigInt(id) - BigInt(this.first);
  }

  /** Returns the next id after `count` ids. @throws ColumnError if the range is shorter */
  afterCount(count: bigint): Integer {
    const next = BigInt(this.first) + count;
    if (next - 1n > this.#last) throw new ColumnError(this.column, `cannot be ${next - 1n}`);
    return canonicalInteger(next);
  }
}

/** Returns the number of the leaf of a slot. */
export function leafOf(slot: Integer): Integer {
  if (typeof slot === 'number') return Math.floor(slot / LEAF_SLOTS);
  return canonicalInteger(slot >> BigInt(Math.log2(LEAF_SLOTS)));
}

/** Returns the offset of a slot in its leaf. */
export function offsetOf(slot: Integer): number {
  const mask = LEAF_SLOTS - 1;
  return typeof slot === 'number' ? slot & mask : Number(slot & BigInt(mask));
}
