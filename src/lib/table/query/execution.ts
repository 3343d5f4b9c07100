import type { Mask } from '../bits.ts';
import type { ChunkSnapshot, Chunks } from '../rows/chunk-list.ts';
import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows } from '../schema/resolved-schema.ts';
import type { Criteria } from './criteria.ts';
import { ColumnOrder, rowComparator } from './order.ts';
import { type Pace, WORK_PER_CLOCK_READ } from './pace.ts';
import { Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import { type Batches, Sorter } from './sort.ts';
import { followsIds, sortByZones, type ZonedOrder } from './zone-order.ts';

/** A search: its chunks, criteria and order. */
export interface SearchPlan {
  readonly criteria: Criteria;
  readonly chunks: Chunks;
  readonly options: CheckedOptions;
  readonly pace: Pace;
  /** A mask to use, so that none has to be made. */
  readonly mask: Mask;
}

const BYTES_PER_REFERENCE = 8;

/** Runs a query, step by step. */
export class Execution {
  readonly #plan: SearchPlan;
  readonly #scan: Scan;
  /** Whether all matching rows must be found, because the total is wanted. */
  readonly #counts: boolean;
  #found = 0;
  #sorter: Sorter<StoredRow> | undefined;

  constructor(plan: SearchPlan) {
    this.#plan = plan;
    this.#scan = new Scan(plan.chunks, plan.criteria, plan.pace, plan.mask);
    this.#counts = plan.options.total && plan.criteria.filter !== undefined;
  }

  /** The number of matching rows, whatever limit and offset are: at the end, if asked for. */
  get total(): number | undefined {
    const { criteria, options, chunks } = this.#plan;
    if (!options.total) return undefined;
    return criteria.filter ? this.#found : chunks.size;
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return this.#plan.criteria.bytes + (this.#sorter?.size ?? 0) * BYTES_PER_REFERENCE;
  }

  /** Finds the matching rows in the order of the query, from the offset up to the limit. */
  *results(): Batches<StoredRow> {
    const { options, chunks } = this.#plan;
    const { schema, values } = chunks;
    const [first, ...others] = options.orderBy;
    if (options.limit === 0 && !this.#counts) return;
    if (!first || first.column === schema.identity.column) {
      yield* this.#byId(first !== undefined);
      return;
    }
    if (others.length > 0 || first.ignoreCase) {
      yield* this.#sorted();
      return;
    }
    const order = new ColumnOrder(schema, first);
    const masks = values.of(first.column);
    const index = schema.ordered.findIndex(({ column }) => column === first.column);
    const column = schema.ordered[index];
    if (masks?.isExact) yield* this.#byValue(order.masksOf(masks));
    else if (!column) yield* this.#sorted();
    else if (followsIds(chunks, { order, column, index })) yield* this.#byId(order.isReversed);
    else yield* this.#sorted({ order, column, index });
  }

  *count(): Generator<undefined, number> {
    let count = 0;
    for (const chunk of this.#plan.chunks.chunks) count += yield* this.#scan.countMatches(chunk);
    return count;
  }

  /** Counts the rows that the query would have to test. */
  countTests(): number {
    let tests = 0;
    for (const chunk of this.#plan.chunks.chunks) {
      if (this.#scan.find(chunk) === 'candidates') tests += this.#scan.count(chunk);
    }
    return tests;
  }

  *#byId(descending: boolean): Batches<StoredRow> {
    const scan = this.#scan;
    const { chunks } = this.#plan.chunks;
    let { offset, limit: left } = this.#plan.options;
    for (let i = 0; i < chunks.length && (left > 0 || this.#counts); i++) {
      const chunk = chunks[descending ? chunks.length - 1 - i : i];
      if (!chunk) continue;
      const found = scan.find(chunk);
      const isExact = found !== 'candidates';
      const count = found === 'nothing' ? 0 : Number.NaN;
      if (isExact && (this.#counts || offset > 0 || count === 0)) {
        const matches = count === 0 ? 0 : scan.count(chunk);
        this.#found += matches;
        if (left === 0 || matches <= offset) {
          offset = Math.max(0, offset - matches);
          if (this.#plan.pace.note(this.#plan.criteria.cost)) yield;
          continue;
        }
      }
      if (isExact) offset = scan.skip(chunk, offset, descending);
      const most = left > 0 ? offset + left : Number.POSITIVE_INFINITY;
      for (const batch of scan.rows(chunk, isExact, { most, descending })) {
        if (!batch) {
          yield;
          continue;
        }
        if (!isExact) this.#found += batch.length;
        const isWhole = offset === 0 && batch.length <= left;
        const given = isWhole ? batch : batch.slice(offset, offset + left);
        offset = Math.max(0, offset - batch.length);
        left -= given.length;
        yield given;
        if (left === 0 && (isExact || !this.#counts)) break;
      }
    }
  }

  /** Finds the rows value by value of a column with bitmaps. */
  *#byValue(masks: readonly number[]): Batches<StoredRow> {
    const { chunks, options, pace } = this.#plan;
    if (this.#counts) this.#found = yield* this.count();
    let { offset, limit: left } = options;
    for (const mask of masks) {
      for (const chunk of chunks.chunks) {
        if (left === 0) return;
        const found = this.#scan.find(chunk);
        const isExact = found !== 'candidates';
        if (pace.note(this.#plan.criteria.cost)) yield;
        if (found === 'nothing') continue;
        this.#scan.keepValue(chunk, mask);
        if (isExact) offset = this.#scan.skip(chunk, offset);
        for (const batch of this.#scan.rows(chunk, isExact, { most: offset + left })) {
          const given = batch?.slice(offset, offset + left);
          offset = Math.max(0, offset - (batch?.length ?? 0));
          left -= given?.length ?? 0;
          yield given;
          if (left === 0) return;
        }
      }
    }
  }

  *#sorted(zoned?: ZonedOrder): Batches<StoredRow> {
    const { options, pace, chunks } = this.#plan;
    const { orderBy, offset, limit } = options;
    // To fold long texts takes some microseconds.
    const cost = orderBy.some(({ ignoreCase }) => ignoreCase) ? WORK_PER_CLOCK_READ : 1;
    const compare = rowComparator(chunks.schema, orderBy);
    const sorter = new Sorter(compare, offset + limit, pace, cost);
    this.#sorter = sorter;
    if (zoned) {
      if (this.#counts) this.#found = yield* this.count();
      yield* sortByZones(this.#scan, zoned, sorter, pace);
    } else {
      for (const chunk of chunks.chunks) {
        const found = this.#scan.find(chunk);
        if (pace.note(this.#plan.criteria.cost)) yield;
        if (found === 'nothing') continue;
        for (const batch of this.#scan.rows(chunk, found === 'matches')) {
          if (batch) this.#found += batch.length;
          if (batch) yield* sorter.add(batch);
          // The step may have ended with the batch.
          if (pace.note(WORK_PER_CLOCK_READ)) yield;
        }
      }
    }
    let left = offset;
    for (const batch of sorter.sorted()) {
      yield batch?.slice(left);
      if (batch) left = Math.max(0, left - batch.length);
    }
  }
}

/**
 * Finds the rows of a search in steps, or one after the other if iterated. Until its end, it
 * retains the rows as they were when it was opened.
 */
export class Cursor<S extends Schema> implements Iterable<Row<S>> {
  readonly #pace: Pace;
  readonly #snapshot: ChunkSnapshot;
  readonly #onClose: () => void;
  /** Undefined after the end of the cursor, which then keeps no rows. */
  #running: { readonly execution: Execution; readonly batches: Batches<StoredRow> } | undefined;
  #total: number | undefined;

  /** @param snapshot is read by the execution and closed by the cursor */
  constructor(execution: Execution, pace: Pace, snapshot: ChunkSnapshot, onClose: () => void) {
    this.#running = { execution, batches: execution.results() };
    this.#pace = pace;
    this.#snapshot = snapshot;
    this.#onClose = onClose;
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return this.#running?.execution.bytes ?? 0;
  }

  /** The number of matching rows, regardless of limit and offset: at the end, if asked for. */
  get total(): number | undefined {
    return this.#total;
  }

  /**
   * Searches for a fraction of a millisecond, and returns the rows; undefined if none yet.
   */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (!this.#running) return { done: true, value: undefined };
    this.#snapshot.read();
    const { execution, batches } = this.#running;
    this.#pace.beginStep();
    const { done, value: rows } = batches.next();
    if (!done) return { done: false, value: rows?.length ? asRows<S>(rows) : undefined };
    this.#total = execution.total;
    this.close();
    return { done: true, value: undefined };
  }

  /** Finds the rows one after the other, however long that takes, and closes the cursor. */
  *[Symbol.iterator](): Generator<Row<S>, void> {
    try {
      for (let step = this.next(); !step.done; step = this.next()) yield* step.value ?? [];
    } finally {
      this.close();
    }
  }

  /** Ends the cursor and frees its memory. Idempotent. */
  close(): void {
    if (!this.#running) return;
    this.#running = undefined;
    this.#snapshot.close();
    this.#onClose();
  }
}
