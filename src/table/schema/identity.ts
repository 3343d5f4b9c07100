import { IdsExhaustedError, SchemaError } from '../errors.ts';

/**
 * Maps the ids of a table to slots and back. Ids are assigned in order and never reused, so the
 * distance of an id from the first one is a dense index. A slot is exact for 64-bit ids too.
 */
export class Identity {
  readonly column: string;
  readonly #first: number | bigint;
  readonly #last: number | bigint;

  /** @throws SchemaError if the first id is not in the range */
  constructor(
    column: string,
    range: { readonly from: number | bigint; readonly to: number | bigint },
    first: number | bigint = range.from,
  ) {
    if (typeof first !== typeof range.from || first < range.from || first > range.to) {
      throw new SchemaError(`the first id, ${first}, is not in ${range.from} to ${range.to}`);
    }
    this.column = column;
    this.#first = first;
    this.#last = range.to;
  }

  /**
   * Returns the slot of an id: an integer, negative if the id precedes the first one; NaN if the
   * value cannot be an id.
   */
  slotOf(id: unknown): number {
    if (typeof id === 'number' && typeof this.#first === 'number') {
      return Number.isInteger(id) ? id - this.#first : Number.NaN;
    }
    if (typeof id === 'bigint' && typeof this.#first === 'bigint') return Number(id - this.#first);
    return Number.NaN;
  }

  /**
   * Returns the id of a slot.
   *
   * @throws IdsExhaustedError if the slot is beyond the range
   */
  idAt(slot: number): number | bigint {
    const id = typeof this.#first === 'bigint' ? this.#first + BigInt(slot) : this.#first + slot;
    if (id > this.#last) throw new IdsExhaustedError(this.#last);
    return id;
  }
}
