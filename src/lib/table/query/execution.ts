import type { Mask } from '../bits.ts';
import type { Chunks } from '../rows/open-snapshots.ts';
import { WORD } from '../schema/byte-size.ts';
import type { Row, Schema, StoredRow } from '../schema/column.ts';
import { asRows } from '../schema/resolved-schema.ts';
import type { Criteria } from './criteria.ts';
import { ColumnOrder, followsIds, rowComparator } from './order.ts';
import type { Pace } from './pace.ts';
import { Scan } from './scan.ts';
import type { CheckedOptions } from './search-options.ts';
import { type Batches, Sorter } from './sort.ts';

/** A search: its chunks, criteria and order. */
export interface SearchPlan {
  readonly criteria: Criteria;
  readonly chunks: Chunks;
  readonly options: CheckedOptions;
  readonly pace: Pace;
  /** A mask to reuse. */
  readonly mask: Mask;
}

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

  /** At the end, if requested: the number of matching rows, regardless of limit and offset. */
  get total(): number | undefined {
    const { criteria, options, chunks } = this.#plan;
    if (!options.total) return undefined;
    return criteria.filter ? this.#found : chunks.size;
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return this.#plan.criteria.bytes + (this.#sorter?.size ?? 0) * WORD;
  }

  /** Finds the matching rows in the order of the query, from the offset up to the limit. */
  *results(): Batches<StoredRow> {
    const { options, chunks } = this.#plan;
    const { schema, values } = chunks;
    const [first, ...others] = options.orderBy;
    if (options.limit === 0 && !this.#counts) return;
    if (!first || first.column === schema.identity.column) yield* this.#byId(first !== undefined);
    else if (others.length > 0 || first.ignoreCase) yield* this.#sorted();
    else {
      const order = new ColumnOrder(schema, first);
      const masks = values.of(first.column);
      if (masks?.isExact) yield* this.#byId(false, order.masksOf(masks));
      else if (!followsIds(order, chunks)) yield* this.#sorted();
      else if (order.isReversed) yield* this.#byDescendingValue(first.column);
      else yield* this.#byId(false);
    }
  }

  /** Finds the rows in the order of ids; value by value, if there are masks of values. */
  *#byId(
    descending: boolean,
    masks: readonly (number | undefined)[] = [undefined],
  ): Batches<StoredRow> {
    const { chunks, options, pace, criteria } = this.#plan;
    const ordered = descending ? chunks.chunks.toReversed() : chunks.chunks;
    let { offset, limit: left } = options;
    for (const mask of masks) {
      for (const chunk of ordered) {
        if (left === 0 && !this.#counts) return;
        const found = this.#scan.find(chunk, mask);
        if (pace.note(criteria.cost)) yield;
        if (found === 'nothing') continue;
        const isTested = found === 'candidates';
        if (!isTested && (this.#counts || offset > 0)) {
          const matches = this.#scan.count(chunk);
          this.#found += matches;
          if (left === 0 || matches <= offset) {
            offset = Math.max(0, offset - matches);
            continue;
          }
        }
        const most = left > 0 ? offset + left : Number.POSITIVE_INFINITY;
        for (const batch of this.#scan.rows(chunk, { isTested, most, descending })) {
          if (batch && isTested) this.#found += batch.length;
          const given = batch?.slice(offset, offset + left);
          offset = Math.max(0, offset - (batch?.length ?? 0));
          left -= given?.length ?? 0;
          yield given;
          if (left === 0 && !(isTested && this.#counts)) break;
        }
      }
    }
  }

  /**
   * Finds the rows by descending values of a column whose values ascend with the ids. Rows of one
   * value are in ascending order of id.
   */
  *#byDescendingValue(column: string): Batches<StoredRow> {
    const { chunks, options, pace, criteria } = this.#plan;
    let { offset, limit: left } = options;
    /** The rows of one value so far, the highest id first. */
    const run: StoredRow[] = [];
    for (const chunk of chunks.chunks.toReversed()) {
      const found = this.#scan.find(chunk);
      if (pace.note(criteria.cost)) yield;
      if (found === 'nothing') continue;
      const isTested = found === 'candidates';
      if (left === 0 && !isTested) {
        this.#found += this.#scan.count(chunk);
        continue;
      }
      for (const batch of this.#scan.rows(chunk, { isTested, descending: true })) {
        const part: StoredRow[] = [];
        for (const row of batch ?? []) {
          if (run[0] && run[0][column] !== row[column]) endRun(part);
          run.push(row);
        }
        this.#found += batch?.length ?? 0;
        yield part;
        if (left === 0 && !this.#counts) return;
      }
    }
    const part: StoredRow[] = [];
    endRun(part);
    yield part;

    function endRun(part: StoredRow[]): void {
      for (let row = run.pop(); row !== undefined; row = run.pop()) {
        if (offset > 0) offset--;
        else if (left > 0) {
          part.push(row);
          left--;
        }
      }
    }
  }

  *#sorted(): Batches<StoredRow> {
    const { options, pace, chunks, criteria } = this.#plan;
    const { orderBy, offset, limit } = options;
    const sorter = new Sorter(rowComparator(chunks.schema, orderBy), offset + limit, pace);
    this.#sorter = sorter;
    for (const chunk of chunks.chunks) {
      const found = this.#scan.find(chunk);
      if (pace.note(criteria.cost)) yield;
      if (found === 'nothing') continue;
      for (const batch of this.#scan.rows(chunk, { isTested: found === 'candidates' })) {
        if (batch) this.#found += batch.length;
        if (batch) yield* sorter.add(batch);
        // The step may have ended with the batch.
        if (pace.isOver()) yield;
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
  /** Undefined after the end of the cursor, which then keeps no rows. */
  #running: { execution: Execution; batches: Batches<StoredRow>; close: () => void } | undefined;
  #total: number | undefined;

  constructor(execution: Execution, pace: Pace, close: () => void) {
    this.#running = { execution, batches: execution.results(), close };
    this.#pace = pace;
  }

  /** Memory held without the rows, in bytes. */
  get bytes(): number {
    return this.#running?.execution.bytes ?? 0;
  }

  /** At the end, if requested: the number of matching rows, regardless of limit and offset. */
  get total(): number | undefined {
    return this.#total;
  }

  /**
   * Searches for a fraction of a millisecond, and returns the rows; undefined if none yet.
   */
  next(): IteratorResult<readonly Row<S>[] | undefined, undefined> {
    if (!this.#running) return { done: true, value: undefined };
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
    this.#running?.close();
    this.#running = undefined;
  }
}
