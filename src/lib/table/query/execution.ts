import { type Mask, popCount, WORD_BITS, wordAt } from '../bits.ts';
import type { Leaf } from '../rows/leaf.ts';
import type { LeafList } from '../rows/open-snapshots.ts';
import { ALL_ROWS } from '../rows/value-masks.ts';
import { WORD } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import type { Criteria } from './criteria.ts';
import { findMatches } from './matches.ts';
import { ColumnOrder, followsIds, rowComparator } from './order.ts';
import type { Pace } from './pace.ts';
import type { CheckedOptions } from './search-options.ts';
import { type Batches, Sorter } from './sort.ts';

/** A search: its leaves, criteria and order. */
export interface SearchPlan {
  readonly criteria: Criteria;
  readonly list: LeafList;
  readonly options: CheckedOptions;
  readonly pace: Pace;
  /** A mask of the leaves, to reuse. */
  readonly mask: Mask;
}

/** The number of rows still to skip, and then the maximum number of rows still to list. */
interface Part {
  offset: number;
  limit: number;
}

/** Runs a search in steps: finds all matching rows, and then lists some of them in order. */
export class Execution {
  readonly #plan: SearchPlan;
  /** Rows that are kept until their place in the order is known. */
  #sorter: Sorter<StoredRow> | undefined;
  /** The number of matching rows, regardless of limit and offset; undefined before it is known. */
  total: number | undefined;

  constructor(plan: SearchPlan) {
    this.#plan = plan;
  }

  /** Memory held besides the rows, in bytes. */
  get bytes(): number {
    const { criteria, mask, list } = this.#plan;
    const references = list.leaves.length + (this.#sorter?.size ?? 0);
    return criteria.bytes + mask.byteLength + references * WORD;
  }

  *results(): Batches<StoredRow> {
    const { list, criteria, pace, mask, options } = this.#plan;
    this.total = yield* findMatches(list.leaves, criteria, pace, mask);
    const { orderBy, offset, limit } = options;
    if (limit === 0 || this.total <= offset) return;
    const part = { offset, limit };
    const { schema, values } = list;
    const [first, ...others] = orderBy;
    if (!first || first.column === schema.identity.column) {
      yield* this.#byId(part, first !== undefined);
      return;
    }
    const masks = values.of(first.column);
    const order = new ColumnOrder(schema, first);
    const isSimple = others.length === 0 && !first.ignoreCase;
    if (isSimple && masks?.isExact) {
      for (const maskNumber of order.masksOf(masks)) yield* this.#byId(part, false, maskNumber);
    } else if (!isSimple || !followsIds(order, list)) yield* this.#sorted(part, orderBy);
    else if (order.isReversed) yield* this.#byDescendingValue(part, first.column);
    else yield* this.#byId(part, false);
  }

  /** Lists rows in the order of ids. @param maskNumber a mask of leaves, to list only its rows */
  *#byId(part: Part, descending: boolean, maskNumber = ALL_ROWS): Batches<StoredRow> {
    const { list, pace } = this.#plan;
    const { leaves } = list;
    let batch: StoredRow[] = [];
    for (let n = 0; n < leaves.length && part.limit > 0; n++) {
      const index = descending ? leaves.length - 1 - n : n;
      const leaf = leaves[index] as Leaf;
      const base = index * LEAF_WORDS;
      if (part.offset > 0) {
        const count = this.#count(leaf, base, maskNumber);
        if (count <= part.offset) {
          part.offset -= count;
          continue;
        }
      }
      this.#take(leaf, base, maskNumber, part, descending, batch);
      // A reader may hold a batch for long, such as the list of a slow client.
      if (batch.length < LEAF_SLOTS && !pace.count()) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** Adds the matching rows of a leaf to a batch. Not part of the generator, which is slower. */
  #take(
    leaf: Leaf,
    base: number,
    maskNumber: number,
    part: Part,
    descending: boolean,
    batch: StoredRow[],
  ): void {
    const { mask } = this.#plan;
    let { offset, limit } = part;
    for (let i = 0; i < LEAF_WORDS && limit > 0; i++) {
      const w = descending ? LEAF_WORDS - 1 - i : i;
      let left = wordAt(mask, base + w);
      if (left === 0) continue;
      if (maskNumber !== ALL_ROWS) left &= leaf.word(maskNumber, w);
      while (left !== 0 && limit > 0) {
        const bit = 31 - Math.clz32(descending ? left : left & -left);
        left ^= 1 << bit;
        if (offset > 0) {
          offset--;
          continue;
        }
        const row = leaf.rowAt(w * WORD_BITS + bit);
        if (row) batch.push(row);
        limit--;
      }
    }
    part.offset = offset;
    part.limit = limit;
  }

  /** Counts the matching rows of a leaf that are in one of its masks. */
  #count(leaf: Leaf, base: number, maskNumber: number): number {
    let count = 0;
    for (let w = 0; w < LEAF_WORDS; w++) {
      count += popCount(wordAt(this.#plan.mask, base + w) & leaf.word(maskNumber, w));
    }
    return count;
  }

  /**
   * Lists rows by descending values of a column whose values ascend with the ids. Rows of one value
   * are in ascending order of id.
   */
  *#byDescendingValue(part: Part, column: string): Batches<StoredRow> {
    /** The rows of one value so far, the highest id first. */
    const run: StoredRow[] = [];
    const endRun = (batch: StoredRow[]) => {
      for (let row = run.pop(); row !== undefined; row = run.pop()) {
        if (part.offset > 0) part.offset--;
        else if (part.limit > 0) {
          batch.push(row);
          part.limit--;
        }
      }
    };
    for (const rows of this.#byId(all(), true)) {
      const batch: StoredRow[] = [];
      for (const row of rows ?? []) {
        if (run[0] && run[0][column] !== row[column]) endRun(batch);
        run.push(row);
      }
      yield batch;
      if (part.limit === 0) return;
    }
    const batch: StoredRow[] = [];
    endRun(batch);
    yield batch;
  }

  *#sorted({ offset, limit }: Part, orderBy: CheckedOptions['orderBy']): Batches<StoredRow> {
    const { list, pace } = this.#plan;
    const compare = rowComparator(list.schema, orderBy);
    const sorter = new Sorter(compare, offset + limit, pace);
    this.#sorter = sorter;
    for (const batch of this.#byId(all(), false)) {
      if (batch) yield* sorter.add(batch);
      // The batch may have ended because the step is over.
      if (pace.isOver()) yield;
    }
    let left = offset;
    for (const batch of sorter.sorted()) {
      yield batch?.slice(left);
      if (batch) left = Math.max(0, left - batch.length);
    }
  }
}

function all(): Part {
  return { offset: 0, limit: Number.POSITIVE_INFINITY };
}
