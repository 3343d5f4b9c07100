import { ColumnError, IdsExhaustedError } from '../errors.ts';
import type { Column } from './column.ts';
import { canonicalInteger, type Integer, integerIn } from './integer.ts';

/** The ids of a table, which are assigned in order and never reused. Exact for ids of 64 bits. */
export class Identity {
  readonly column: string;
  readonly first: Integer;
  readonly #last: Integer;

  constructor(column: string, { from, to }: NonNullable<Column['identity']>) {
    this.column = column;
    this.first = canonicalInteger(from);
    this.#last = canonicalInteger(to);
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

  /** Returns an id, checked to be from `least` to `greatest`. @throws ColumnError */
  check(value: unknown, least = this.first, greatest = this.#last): Integer {
    const id = integerIn(value);
    if (id !== undefined && id >= least && id <= greatest) return id;
    throw new ColumnError(this.column, `must be an id from ${least} to ${greatest}, not ${value}`);
  }

  /** Returns how many ids come before an id. */
  countBefore(id: Integer): bigint {
    return BigInt(id) - BigInt(this.first);
  }

  /** Returns the last of the first `count` ids. @throws ColumnError if the range is shorter */
  lastOf(count: bigint): Integer {
    const last = BigInt(this.first) + count - 1n;
    if (last > this.#last) throw new ColumnError(this.column, `cannot be ${last}`);
    return canonicalInteger(last);
  }
}
