import { IdsExhaustedError, SchemaError } from '../errors.ts';

/**
 * The ids of a table and their slots. Ids are given in order and never twice, so an id's distance
 * from the first one is a dense index; it stays exact for 64-bit ids, whatever the first one is.
 */
export class Identity {
  readonly column: string;
  readonly #first: number | bigint;
  readonly #last: number | bigint;

  /** @throws SchemaError when the first id is not in the range */
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

  /** The slot of an id, as an integer that may be negative; NaN for what cannot be an id. */
  slotOf(id: unknown): number {
    if (typeof id === 'number' && typeof this.#first === 'number') {
      return Number.isInteger(id) ? id - this.#first : Number.NaN;
    }
    if (typeof id === 'bigint' && typeof this.#first === 'bigint') return Number(id - this.#first);
    return Number.NaN;
  }

  /**
   * The id of a slot.
   *
   * @throws IdsExhaustedError when the range ends before it
   */
  idAt(slot: number): number | bigint {
    const id = typeof this.#first === 'bigint' ? this.#first + BigInt(slot) : this.#first + slot;
    if (id > this.#last) throw new IdsExhaustedError(this.#last);
    return id;
  }
}
