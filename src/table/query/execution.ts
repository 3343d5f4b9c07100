import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { IndexAccess, Plan, RangeAccess } from './plan.ts';
import { rowComparator } from './row-order.ts';
import { afterWholePages, type Scan, scanRange, scanSlots } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import type { SlotReader } from './slot-reader.ts';
import { type Batches, Sorter } from './sort.ts';

/** A query that is ready to run over the rows of a moment. */
export interface Query extends Scan {
  readonly layout: Layout;
  readonly options: CheckedOptions;
  /** Where the wanted order comes from. */
  readonly order: Plan['order'];
  readonly access: RangeAccess | (Omit<IndexAccess, 'slots'> & { readonly slots: SlotReader });
}

const EVERYWHERE = { from: 0, to: Number.POSITIVE_INFINITY };

const BYTES_PER_REFERENCE = 8;

/** A query that is being run, step by step. */
export class Execution {
  readonly #query: Query;
  /** Whether rows have to be found to be counted. */
  readonly #counts: boolean;
  #found = 0;
  #sorter: Sorter<StoredRow> | undefined;

  constructor(query: Query) {
    this.#query = query;
    this.#counts = query.options.total && query.test !== undefined;
  }

  /** How many rows match, whatever limit and offset: known at the end, if it was asked for. */
  get total(): number | undefined {
    const { options, rows } = this.#query;
    if (!options.total) return undefined;
    return this.#counts ? this.#found : rows.size;
  }

  /** The memory that it takes beside the rows, in bytes. */
  get bytes(): number {
    const { access } = this.#query;
    const slots = access.kind === 'index' ? access.slots.bytes : 0;
    return slots + (this.#sorter?.kept ?? 0) * BYTES_PER_REFERENCE;
  }

  /** All rows that match, in the order of the access. */
  *matches(): Batches<StoredRow> {
    const { access } = this.#query;
    if (access.kind === 'range') {
      yield* this.#counted(scanRange(this.#query, access));
      return;
    }
    const { slots: reader, unindexedFrom } = access;
    let last = -1;
    for (let slots = reader.next(); slots; slots = reader.next()) {
      yield* this.#counted(scanSlots(this.#query, slots));
      last = slots.at(-1) ?? last;
    }
    // What the index has not told is looked for row by row.
    const from = reader.isCutOff ? last + 1 : unindexedFrom;
    yield* this.#counted(scanRange(this.#query, { ...EVERYWHERE, from }));
  }

  /** The rows that match, in the wanted order, from the offset up to the limit. */
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

  /** The rows that match, in the wanted order, and how many of them are to be left out. */
  #ordered(): { batches: Batches<StoredRow>; offset: number } {
    const { order, access, test, rows, options } = this.#query;
    const { offset } = options;
    if (order === 'sort') return { batches: this.#sorted(this.matches()), offset };
    if (access.kind === 'index') {
      const batches = order === 'index' ? this.#inIndexOrder(access.slots) : this.matches();
      return { batches, offset };
    }
    if (test) return { batches: this.matches(), offset };
    const rest = afterWholePages(rows, access, offset);
    return { batches: scanRange(this.#query, rest.access), offset: rest.offset };
  }

  /** An index that has gone on to describe other rows is no help any more: the rest is sorted. */
  *#inIndexOrder(reader: SlotReader): Batches<StoredRow> {
    const { test, layout, options } = this.#query;
    let last: StoredRow | undefined;
    for (let slots = reader.next(); slots; slots = reader.next()) {
      for (const batch of this.#counted(scanSlots(this.#query, slots))) {
        last = batch.at(-1) ?? last;
        yield batch;
      }
    }
    if (!reader.isCutOff) return;
    const compare = rowComparator(layout, options.orderBy);
    const isLeft: Scan['test'] = (row, page, at) =>
      (last === undefined || compare(row, last) > 0) && (!test || test(row, page, at));
    const rest = scanRange({ ...this.#query, test: isLeft }, EVERYWHERE);
    yield* this.#sorted(this.#counted(rest));
  }

  #sorted(batches: Batches<StoredRow>): Batches<StoredRow> {
    const { layout, options, pace } = this.#query;
    const { orderBy, offset, limit } = options;
    this.#sorter = new Sorter(rowComparator(layout, orderBy), offset + limit, pace);
    return this.#sorter.sorted(batches);
  }

  *#counted(batches: Batches<StoredRow>): Batches<StoredRow> {
    for (const batch of batches) {
      this.#found += batch.length;
      yield batch;
    }
  }
}
