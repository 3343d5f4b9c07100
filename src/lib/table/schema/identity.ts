import { ColumnError, IdsExhaustedError } from '../errors.ts';
import { CHUNK_SLOTS } from '../slots.ts';
import type { Column } from './column.ts';
import { canonicalInteger, type Integer, integerIn } from './integer.ts';

/**
 * Maps the ids of a table, which are assigned in order and never reused, to slots: the first id has
 * slot 0. Slots are exact for all ids of 64 bits. A chunk has consecutive slots.
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

  /** Returns the number of the chunk of an id: negative before the first id, NaN for a non-id. */
  chunkOf(id: unknown): number {
    const slot = this.#slotOf(id);
    if (typeof slot === 'number') return Math.floor(slot / CHUNK_SLOTS);
    return slot < 0n ? -1 : Number(slot / BigInt(CHUNK_SLOTS));
  }

  /** Returns the offset in its chunk of an id that is not before the first one. */
  offsetOf(id: unknown): number {
    const slot = this.#slotOf(id);
    return typeof slot === 'number' ? slot % CHUNK_SLOTS : Number(slot % BigInt(CHUNK_SLOTS));
  }

  /** Returns the offset in a chunk of the first id that is not before `id`. */
  offsetIn(chunk: number, id: unknown): number {
    const number = this.chunkOf(id);
    if (number < chunk) return 0;
    return number > chunk ? CHUNK_SLOTS : this.offsetOf(id);
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

  /** Returns an id, checked to be valid and not below `next`. @throws ColumnError */
  skipTo(value: unknown, next: Integer): Integer {
    const id = integerIn(value);
    if (id !== undefined && id >= next && id <= this.#last) return id;
    throw new ColumnError(this.column, `must be an id from ${next} to ${this.#last}, not ${value}`);
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

  /** Returns how many ids come before an id, negative before the first id; NaN for a non-id. */
  #slotOf(value: unknown): Integer {
    const id = integerIn(value);
    if (id === undefined) return Number.NaN;
    const { first } = this;
    if (typeof id === 'number' && typeof first === 'number') {
      const slot = id - first;
      if (Number.isSafeInteger(slot)) return slot;
    }
    return canonicalInteger(BigInt(id) - BigInt(first));
  }
}
