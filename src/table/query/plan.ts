import type { Condition } from '../condition/condition.ts';
import { intersection, slotsOf } from '../indexes/bitmap.ts';
import { concatenated, type SlotBlocks } from '../indexes/slot-blocks.ts';
import { type Path, type PathSource, pathFor, type Rechecks } from './access-path.ts';
import type { CheckedOptions } from './search-options.ts';

/** Consecutive slots, ascending or descending; `to` is exclusive. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly descending?: boolean;
}

/** All slots of a range. */
export interface RangeAccess extends SlotRange {
  readonly kind: 'range';
  /** Whether all rows of the range match, so that none needs a test. */
  readonly isExact: boolean;
}

/**
 * The slots below `unindexedFrom` that an index lists, and then all slots from there on, whichever
 * of them it lists.
 */
export interface IndexAccess {
  readonly kind: 'index';
  readonly slots: SlotBlocks;
  readonly unindexedFrom: number;
  /** Whether all rows of `slots` match, so that none needs a test. */
  readonly isExact: boolean;
}

/** The slots of the rows that may match. */
export type Access = RangeAccess | IndexAccess;

/** Whether an access leads to rows that may not match. */
export function needsTest(access: Access): boolean {
  if (!access.isExact) return true;
  return access.kind === 'index' && access.unindexedFrom < Number.POSITIVE_INFINITY;
}

/** How to run a query. */
export interface Plan {
  /** Undefined for a full scan. */
  readonly path: Path | undefined;
  /** The columns whose index gives the order of the rows. */
  readonly orderedBy: readonly string[];
  /** The estimated number of rows examined. */
  readonly candidates: number;
  /** What gives the order: ids, an index, or a sort. */
  readonly order: 'id' | 'index' | 'sort';
  /**
   * Returns the slots to read. Must be called before the next write; later writes do not change
   * the result.
   *
   * @param rechecks used if the path can recheck, and all rows it leads to are wanted
   */
  readonly access: (rechecks: Rechecks) => Access;
  /** Returns the number of matching rows; undefined if no index knows it. */
  readonly count: (() => number) | undefined;
}

/*
 * Costs, relative to reading and checking the next row of a page.
 */
const SLOT_LOOKUP_COST = 1;
const CHECK_COST = 1;
const ORDERED_ROW_COST = 4;
const COMPARISON_COST = 1;

/** Without an index to estimate from, one row in this many is assumed to match. */
const GUESSED_ROWS_PER_MATCH = 4;

/** Chooses the cheapest plan for a query. All conditions must be true. */
export function planFor(
  source: PathSource,
  conditions: readonly Condition[],
  options: CheckedOptions,
): Plan {
  const { orderBy, offset, limit, total } = options;
  const { rows } = source;
  const best = pathFor(source, { op: 'and', conditions });
  const path = worthwhile(rows.size, best, options);
  const candidates = path ? path.candidates : rows.size;
  const everyRowMatches = conditions.length === 0;
  const access = (rechecks: Rechecks) => {
    if (!path) return { ...EVERYWHERE, isExact: everyRowMatches };
    // Whole blocks are rechecked, which is too much if the first few rows are enough.
    return accessOf(path, wantsAll(path, options) ? rechecks : undefined);
  };
  const count = everyRowMatches ? () => rows.size : best?.count;
  const plan: Plan = { path, orderedBy: [], candidates, order: 'id', access, count };
  if (orderBy.length === 0 || limit === 0) return plan;

  const inOrder = accessInOrder(source, orderBy, path, everyRowMatches);
  const matches = path || everyRowMatches ? candidates : rows.size / GUESSED_ROWS_PER_MATCH;
  const wanted = total && !count ? matches : offset + limit;
  const reached = inOrder?.path ? candidates : rows.size;
  const examined = Math.min(reached, (wanted * reached) / Math.max(1, matches));
  const sortCost = matches * Math.log2(matches + 2) * COMPARISON_COST;
  const fetchCost = path ? costOf(path, options) : candidates;
  if (inOrder && examined * ORDERED_ROW_COST < fetchCost + sortCost) {
    return {
      path: inOrder.path,
      orderedBy: orderBy.map(({ column }) => column),
      candidates: Math.ceil(examined),
      order: 'index',
      access: inOrder.access,
      count,
    };
  }
  return { ...plan, order: 'sort' };
}

/**
 * Drops a path that costs more than a full scan. Rows of a bitmap are read page by page, as a scan
 * reads them, so each costs the same as in a scan.
 */
function worthwhile(
  rows: number,
  path: Path | undefined,
  options: CheckedOptions,
): Path | undefined {
  if (!path || path.range) return path;
  const isCheaper = path.bitmap ? path.candidates <= rows : costOf(path, options) < rows;
  return isCheaper ? path : undefined;
}

/** Returns the cost of a path. If it is read to its end, only rows in doubt are checked. */
function costOf(path: Path, options: CheckedOptions): number {
  const { candidates, inDoubt } = path;
  const checked = wantsAll(path, options) ? Math.min(candidates, inDoubt) : candidates;
  return candidates * SLOT_LOOKUP_COST + checked * CHECK_COST;
}

/** Whether all rows that a path leads to are wanted, so that it is read to its end. */
function wantsAll({ candidates, count }: Path, options: CheckedOptions): boolean {
  const { orderBy, offset, limit, total } = options;
  return orderBy.length > 0 || (total && !count) || offset + limit >= candidates;
}

const EVERYWHERE = { kind: 'range', from: 0, to: Number.POSITIVE_INFINITY } as const;

function accessOf(path: Path, rechecks: Rechecks | undefined): Access {
  if (path.range) return { kind: 'range', ...path.range, isExact: false };
  const { unindexedFrom = Number.POSITIVE_INFINITY, inDoubt, count } = path;
  const isRechecked = Number.isFinite(inDoubt) && rechecks !== undefined;
  const slots = path.slots(isRechecked ? rechecks : undefined);
  return { kind: 'index', slots, unindexedFrom, isExact: isRechecked || count !== undefined };
}

/** An access in the order of the query, and the path that it is restricted to, if any. */
interface AccessInOrder {
  readonly path: Path | undefined;
  readonly access: () => Access;
}

/**
 * Returns an access in the order of the query, if there is one. An order by ascending id never
 * comes here, because checked options leave it out.
 */
function accessInOrder(
  { layout, indexes }: PathSource,
  [order, ...others]: CheckedOptions['orderBy'],
  path: Path | undefined,
  everyRowMatches: boolean,
): AccessInOrder | undefined {
  if (!order) return undefined;
  if (order.column === layout.identity.column) {
    const access = { ...EVERYWHERE, descending: true, isExact: everyRowMatches };
    return { path: undefined, access: () => access };
  }
  // Later columns only break ties, and an index has tied rows in order of id.
  const index = others.length === 0 ? indexes?.byColumn.get(order.column) : undefined;
  const { direction, nulls } = order;
  if (index?.kind === 'ordered') {
    const access = () => listed(index.inOrder(direction, nulls), everyRowMatches);
    return { path: undefined, access };
  }
  if (index?.kind !== 'bitmap') return undefined;
  const within = path?.bitmap;
  return {
    path: within && path,
    access: () => {
      const values = index.inOrder(direction, nulls);
      const parts = within ? values.map((value) => intersection(value, within)) : values;
      const isExact = within ? path?.count !== undefined : everyRowMatches;
      return listed(concatenated(parts.map(slotsOf)), isExact);
    },
  };
}

function listed(slots: SlotBlocks, isExact: boolean): Access {
  return { kind: 'index', slots, unindexedFrom: Number.POSITIVE_INFINITY, isExact };
}
