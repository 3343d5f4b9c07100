import type { Chunk } from '../rows/chunk.ts';
import type { Chunks } from '../rows/chunk-list.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import type { IndexedColumn } from '../schema/resolved-schema.ts';
import { LEAF_SLOTS } from '../slots.ts';
import type { ColumnOrder } from './order.ts';
import { type Pace, WORK_PER_CLOCK_READ } from './pace.ts';
import type { Scan } from './scan.ts';
import type { Sorter } from './sort.ts';

/** A chunk or a leaf, and the place in the order before which it has no row. */
interface Start<T> {
  readonly part: T;
  readonly value: Value | null;
  /** The number of the chunk, or the index of the leaf in it. */
  readonly at: number;
}

/** The column of an order that leaves have zones of, and its index among those. */
export interface ZonedOrder {
  readonly order: ColumnOrder;
  readonly column: IndexedColumn;
  readonly index: number;
}

/** Whether the order is that of the ids, or the opposite one. */
export function followsIds({ chunks }: Chunks, { order, column, index }: ZonedOrder): boolean {
  let last: Value | null = null;
  for (const { leaves } of chunks) {
    for (const leaf of leaves) {
      if (!leaf) continue;
      const { least, greatest, hasNulls, isAscending, isStrict } = leaf.zone(index, column);
      // Rows with one value are in ascending order of id in either direction.
      if (hasNulls || least === null || !(order.isReversed ? isStrict : isAscending)) return false;
      if (last !== null) {
        const step = column.compare(least, last);
        if (step < 0 || (step === 0 && order.isReversed)) return false;
      }
      last = greatest;
    }
  }
  return true;
}

/**
 * Adds the matching rows to a sorter, leaf by leaf in the order of their first values, until no
 * leaf can have a row that is wanted.
 */
export function* sortByZones(
  scan: Scan,
  zoned: ZonedOrder,
  sorter: Sorter<StoredRow>,
  pace: Pace,
): Generator<undefined, void> {
  const { schema, chunks } = scan.chunks;
  const { identity } = schema;
  for (const { part: chunk, value, at } of sorted(zoned, chunks.flatMap(startOfChunk))) {
    if (isBeyond(value, at)) break;
    const found = scan.find(chunk);
    if (pace.note(scan.criteria.cost)) yield;
    if (found === 'nothing') continue;
    const leaves = chunk.leaves.flatMap((leaf, i) =>
      leaf
        ? { part: leaf, value: zoned.order.firstOf(leaf, zoned.index, zoned.column), at: i }
        : [],
    );
    for (const { value, at } of sorted(zoned, leaves)) {
      if (isBeyond(value, chunk.number, at)) break;
      for (const batch of scan.rows(chunk, found === 'matches', { leaf: at })) {
        if (batch) yield* sorter.add(batch);
        // The step may have ended with the batch.
        if (pace.note(WORK_PER_CLOCK_READ)) yield;
      }
    }
  }

  function startOfChunk(chunk: Chunk): Start<Chunk> | [] {
    let first: Start<Chunk> | undefined;
    for (const leaf of chunk.leaves) {
      if (!leaf) continue;
      const value = zoned.order.firstOf(leaf, zoned.index, zoned.column);
      if (!first || zoned.order.compare(value, first.value) < 0) {
        first = { part: chunk, value, at: chunk.number };
      }
    }
    return first ?? [];
  }

  /** Whether rows from a place on come after all that are wanted. */
  function isBeyond(value: Value | null, number: number, leaf = 0): boolean {
    const { last } = sorter;
    if (last === undefined) return false;
    const order = zoned.order.compare(value, last[zoned.order.column] ?? null);
    if (order !== 0) return order > 0;
    const id = last[identity.column];
    const lastNumber = identity.chunkOf(id);
    return (
      number > lastNumber || (number === lastNumber && leaf * LEAF_SLOTS > identity.offsetOf(id))
    );
  }
}

function sorted<T>({ order }: ZonedOrder, starts: Start<T>[]): readonly Start<T>[] {
  return starts.sort((a, b) => order.compare(a.value, b.value) || a.at - b.at);
}
