import type { Condition } from '../condition/condition.ts';
import { intersection, slotsOf } from '../indexes/bitmap.ts';
import { concatenated, type SlotBlocks } from '../indexes/slot-blocks.ts';
import { type Path, type PathSource, pathFor } from './access-path.ts';
import type { CheckedOptions } from './search-options.ts';

/** All slots between two, `to` not included, in either direction. */
export interface RangeAccess {
  readonly kind: 'range';
  readonly from: number;
  readonly to: number;
  readonly descending?: boolean;
}

/** The slots that an index lists, and then all from `unindexedFrom` on, which it does not list. */
export interface IndexAccess {
  readonly kind: 'index';
  readonly slots: SlotBlocks;
  readonly unindexedFrom: number;
}

/** Where the rows that may match are. */
export type Access = RangeAccess | IndexAccess;

/** How a query will be run. */
export interface Plan {
  /** None for a full scan. */
  readonly path: Path | undefined;
  /** The columns whose index gives the order. */
  readonly orderedBy: readonly string[];
  /** About how many rows are looked at. */
  readonly candidates: number;
  /** Where the wanted order comes from. */
  readonly order: 'id' | 'index' | 'sort';
  /** To be taken before the next write; it then leads to the rows of that moment. */
  readonly access: () => Access;
  /** Whether every row reached matches. */
  readonly isExact: boolean;
  /** How many rows match, where an index can tell. */
  readonly count: (() => number) | undefined;
}

/*
 * What things cost, as multiples of looking at the next row of a page.
 */
const SLOT_LOOKUP_COST = 2;
const ORDERED_ROW_COST = 4;
const COMPARISON_COST = 1;

/** Without an index to ask, a condition is taken to hold for one row in so many. */
const GUESSED_ROWS_PER_MATCH = 4;

/** Chooses the cheapest way to run a query. Conditions must all hold. */
export function planFor(
  source: PathSource,
  conditions: readonly Condition[],
  { orderBy, offset, limit, total }: CheckedOptions,
): Plan {
  const { rows } = source;
  const best = pathFor(source, { op: 'and', conditions });
  const path = worthwhile(rows.size, best);
  const candidates = path ? path.candidates : rows.size;
  const isExact = conditions.length === 0 || path?.count !== undefined;
  const access = () => accessOf(path);
  const count = conditions.length === 0 ? () => rows.size : best?.count;
  const plan: Plan = { path, orderedBy: [], candidates, order: 'id', access, isExact, count };
  if (orderBy.length === 0 || limit === 0) return plan;

  const inOrder = accessInOrder(source, orderBy, path);
  const matches = path || conditions.length === 0 ? candidates : rows.size / GUESSED_ROWS_PER_MATCH;
  const wanted = total && !isExact ? matches : offset + limit;
  const reached = inOrder?.path ? candidates : rows.size;
  const examined = Math.min(reached, (wanted * reached) / Math.max(1, matches));
  const sortCost = matches * Math.log2(matches + 2) * COMPARISON_COST;
  const fetchCost = path ? candidates * SLOT_LOOKUP_COST : candidates;
  if (inOrder && examined * ORDERED_ROW_COST < fetchCost + sortCost) {
    return {
      path: inOrder.path,
      orderedBy: orderBy.map(({ column }) => column),
      candidates: Math.ceil(examined),
      order: 'index',
      access: inOrder.access,
      isExact: conditions.length === 0 || inOrder.path?.count !== undefined,
      count,
    };
  }
  return { ...plan, order: 'sort' };
}

/** The rows of a bitmap are read page by page, as a scan reads them. */
function worthwhile(rows: number, path: Path | undefined): Path | undefined {
  if (!path || path.range) return path;
  const isCheaper = path.bitmap
    ? path.candidates <= rows
    : path.candidates * SLOT_LOOKUP_COST < rows;
  return isCheaper ? path : undefined;
}

const EVERYWHERE: RangeAccess = { kind: 'range', from: 0, to: Number.POSITIVE_INFINITY };

function accessOf(path: Path | undefined): Access {
  if (!path) return EVERYWHERE;
  if (path.range) return { kind: 'range', ...path.range };
  const { unindexedFrom = Number.POSITIVE_INFINITY } = path;
  return { kind: 'index', slots: path.slots(), unindexedFrom };
}

/** An access in the wanted order, and the path whose rows alone it leads to. */
interface AccessInOrder {
  readonly path: Path | undefined;
  readonly access: () => Access;
}

/**
 * The rows in the wanted order, where an index has them so; of orders by id, only the descending
 * one is asked for.
 */
function accessInOrder(
  { layout, indexes }: PathSource,
  [order, ...others]: CheckedOptions['orderBy'],
  path: Path | undefined,
): AccessInOrder | undefined {
  if (!order) return undefined;
  if (order.column === layout.identity.column) {
    return { path: undefined, access: () => ({ ...EVERYWHERE, descending: true }) };
  }
  // Later columns only decide between rows that tie, which the index has by id.
  const index = others.length === 0 ? indexes?.byColumn.get(order.column) : undefined;
  const { direction, nulls } = order;
  if (index?.kind === 'ordered') {
    return { path: undefined, access: () => listed(index.inOrder(direction, nulls)) };
  }
  if (index?.kind !== 'bitmap') return undefined;
  const within = path?.bitmap;
  return {
    path: within && path,
    access: () => {
      const values = index.inOrder(direction, nulls);
      const parts = within ? values.map((value) => intersection(value, within)) : values;
      return listed(concatenated(parts.map(slotsOf)));
    },
  };
}

function listed(slots: SlotBlocks): Access {
  return { kind: 'index', slots, unindexedFrom: Number.POSITIVE_INFINITY };
}
