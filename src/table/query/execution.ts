import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import { WORK_PER_CLOCK_READ } from './pace.ts';
import type { Access, Plan } from './plan.ts';
import { rowComparator } from './row-order.ts';
import { type Scan, scanRange, scanSlots, skipWholePages } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import { type Batches, Sorter } from './sort.ts';

/** A planned query, with the rows to run over. */
export interface Query extends Scan {
  readonly layout: Layout;
  readonly options: CheckedOptions;
  /** What gives the order of the rows. */
  readonly order: Plan['order'];
  readonly access: Access;
  /** The number of matching rows, if it is known before they are found. */
  readonly count: number | undefined;
}

const BYTES_PER_REFERENCE = 8;

/** Runs a query, step by step. */
export class Execution {
  readonly #query: Query;
  /** Whether all matching rows must be found, because the total is wanted and not known. */
  readonly #counts: boolean;
  #found = 0;
  #sorter: Sorter<StoredRow> | undefined;

  constructor(query: Query) {
    this.#query = query;
    this.#counts = query.options.total && query.count === undefined;
  }

  /**
   * The number of matching rows, regardless of limit and offset: known at the end, if asked for.
   */
  get total(): number | undefined {
    return this.#counts ? this.#found : this.#query.count;
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return (this.#sorter?.kept ?? 0) * BYTES_PER_REFERENCE;
  }

  /** Finds all matching rows, in the order of the access. */
  *matches(): Batches<StoredRow> {
    for (const batch of this.#batches()) {
      this.#found += batch.length;
      yield batch;
    }
  }

  *#batches(): Batches<StoredRow> {
    const { access, rows, pace } = this.#query;
    if (access.kind === 'range') {
      yield* scanRange(this.#query, access);
      return;
    }
    const { slots, unindexedFrom: from, isExact } = access;
    const listed =
      isExact && this.#query.test ? { ...this.#query, test: undefined, cost: 1 } : this.#query;
    for (const block of slots) {
      if (block.length === 0) {
        if (pace.note(WORK_PER_CLOCK_READ)) yield [];
        continue;
      }
      const isBelow = (block.at(-1) ?? -1) < from;
      yield* scanSlots(listed, isBelow ? block : block.filter((slot) => slot < from));
      // If there is an end, slots are ascending.
      if (!isBelow) break;
    }
    const rest = { from, to: Number.POSITIVE_INFINITY };
    if (from < rows.end) yield* scanRange(this.#query, rest);
  }

  /** Finds the matching rows in the order of the query, from the offset up to the limit. */
  *results(): Batches<StoredRow> {
    const { limit } = this.#query.options;
    let { batches, offset } = this.#ordered();
    let left = limit;
    if (left === 0 && !this.#counts) return;
    for (const batch of batches) {
      const isWhole = offset === 0 && batch.length <= left;
      const given = isWhole ? batch : batch.slice(offset, offset + left);
      offset = Math.max(0, offset - batch.length);
      left -= given.length;
      yield given;
      if (left === 0 && !this.#counts) return;
    }
  }

  /**
   * Finds the matching rows in the order of the query. `offset` is the number of rows that the
   * caller still has to skip.
   */
  #ordered(): { batches: Batches<StoredRow>; offset: number } {
    const { order, access, test, rows, options } = this.#query;
    const { offset } = options;
    if (order === 'sort') return { batches: this.#sorted(this.matches()), offset };
    if (access.kind === 'index' || test) return { batches: this.matches(), offset };
    const rest = skipWholePages(rows, access, offset);
    return { batches: scanRange(this.#query, rest.range), offset: rest.offset };
  }

  #sorted(batches: Batches<StoredRow>): Batches<StoredRow> {
    const { layout, options, pace } = this.#query;
    const { orderBy, offset, limit } = options;
    this.#sorter = new Sorter(rowComparator(layout, orderBy), offset + limit, pace);
    return this.#sorter.sorted(batches);
  }
}
