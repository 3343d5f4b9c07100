import { ColumnError, IdsExhaustedError } from '../errors.ts';
import { CHUNK_SLOTS } from '../slots.ts';
import type { Column } from './column.ts';

const CHUNK_SLOTS_AS_BIGINT = BigInt(CHUNK_SLOTS);

/**
 * Maps the ids of a table, which are assigned in order and never reused, to chunks of consecutive
 * ids and offsets within them. Both are exact for all ids of 64 bits.
 */
export class Identity {
  readonly column: string;
  readonly first: number | bigint;
  readonly #last: number | bigint;

  constructor(column: string, { from, to }: NonNullable<Column['identity']>) {
    this.column = column;
    this.first = from;
    this.#last = to;
  }

  /** Returns the number of the chunk of an id: negative before the first id, NaN for a non-id. */
  chunkOf(id: unknown): number {
    const { first } = this;
    if (typeof id === 'number' && typeof first === 'number') {
      return Number.isInteger(id) ? Math.floor((id - first) / CHUNK_SLOTS) : Number.NaN;
    }
    if (typeof id !== 'bigint' || typeof first !== 'bigint') return Number.NaN;
    const distance = id - first;
    const isNegative = distance < 0n;
    return isNegative ? -1 : Number(distance / CHUNK_SLOTS_AS_BIGINT);
  }

  /** Returns the offset in its chunk of an id that is not before the first one. */
  offsetOf(id: unknown): number {
    const { first } = this;
    if (typeof id === 'number' && typeof first === 'number') return (id - first) % CHUNK_SLOTS;
    if (typeof id !== 'bigint' || typeof first !== 'bigint') return Number.NaN;
    return Number((id - first) % CHUNK_SLOTS_AS_BIGINT);
  }

  /** Returns the offset in a chunk of the first id that is not before `id`. */
  offsetIn(chunk: number, id: unknown): number {
    const number = this.chunkOf(id);
    if (number < chunk) return 0;
    return number > chunk ? CHUNK_SLOTS : this.offsetOf(id);
  }

  /** Returns the id after an id. */
  after(id: number | bigint): number | bigint {
    return typeof id === 'bigint' ? id + 1n : id + 1;
  }

  /** Checks that there is a next id. @throws IdsExhaustedError */
  checkNext(next: number | bigint): void {
    if (next > this.#last) throw new IdsExhaustedError(this.#last);
  }

  /** Returns `id`, checked to be valid and not below `next`. @throws ColumnError */
  skipTo(id: unknown, next: number | bigint): number | bigint {
    if (isId(id) && typeof id === typeof next && id >= next && id <= this.#last) return id;
    throw new ColumnError(this.column, `must be an id from ${next} to ${this.#last}, not ${id}`);
  }

  /** Returns how many ids come before an id. */
  countBefore(id: number | bigint): bigint {
    return BigInt(id) - BigInt(this.first);
  }

  /** Returns the next id after `count` ids. @throws ColumnError if the range is shorter */
  afterCount(count: bigint): number | bigint {
    const next = BigInt(this.first) + count;
    if (next - 1n > this.#last) throw new ColumnError(this.column, `cannot be ${next - 1n}`);
    return typeof this.first === 'bigint' ? next : Number(next);
  }
}

function isId(id: unknown): id is number | bigint {
  return typeof id === 'bigint' || Number.isInteger(id);
}
