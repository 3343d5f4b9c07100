import type { Condition } from '../condition/condition.ts';
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
  /** About how many rows are looked at. */
  readonly candidates: number;
  /** Where the wanted order comes from. */
  readonly order: 'id' | 'index' | 'sort';
  /** To be taken at once: indexes describe no moment but the present one. */
  readonly access: () => Access;
}

/*
 * What things cost, as multiples of looking at the next row of a page.
 */
const ROW_BY_SLOT = 2;
const ROW_IN_ORDER = 4;
const COMPARISON = 1;

/** Without an index to ask, a condition is taken to hold for one row in so many. */
const GUESSED_SELECTIVITY = 4;

/** Chooses the cheapest way to run a query. Conditions must all hold. */
export function planFor(
  source: PathSource,
  conditions: readonly Condition[],
  { orderBy, offset, limit, total }: CheckedOptions,
): Plan {
  const { rows } = source;
  const path = worthwhile(rows.size, pathFor(source, { op: 'and', conditions }));
  const candidates = path ? path.candidates : rows.size;
  const plan: Plan = { path, candidates, order: 'id', access: () => accessOf(path) };
  if (orderBy.length === 0 || limit === 0) return plan;

  const inOrder = accessInOrder(source, orderBy);
  const found = path || conditions.length === 0 ? candidates : rows.size / GUESSED_SELECTIVITY;
  const toFind = total && conditions.length > 0 ? found : offset + limit;
  const looked = Math.min(rows.size, (toFind * rows.size) / Math.max(1, found));
  const sorting = found * Math.log2(found + 2) * COMPARISON;
  const gathering = path ? candidates * ROW_BY_SLOT : candidates;
  if (inOrder && looked * ROW_IN_ORDER < gathering + sorting) {
    return {
      path: undefined,
      candidates: Math.ceil(looked),
      order: 'index',
      access: inOrder,
    };
  }
  return { ...plan, order: 'sort' };
}

function worthwhile(rows: number, path: Path | undefined): Path | undefined {
  return path && (path.range || path.candidates * ROW_BY_SLOT < rows) ? path : undefined;
}

const EVERYWHERE: RangeAccess = { kind: 'range', from: 0, to: Number.POSITIVE_INFINITY };

function accessOf(path: Path | undefined): Access {
  if (!path) return EVERYWHERE;
  if (path.range) return { kind: 'range', ...path.range };
  const { unindexedFrom = Number.POSITIVE_INFINITY } = path;
  return { kind: 'index', slots: path.slots(), unindexedFrom };
}

/** All rows in the wanted order, where an index has them so; of orders by id, only the descending one is asked for. */
function accessInOrder(
  { layout, indexes }: PathSource,
  orderBy: CheckedOptions['orderBy'],
): (() => Access) | undefined {
  const [order, ...others] = orderBy;
  if (!order) return undefined;
  if (order.column === layout.identity.column) {
    return () => ({ ...EVERYWHERE, descending: true });
  }
  // Later columns only decide between rows that tie, which the index has by id.
  const index = others.length === 0 ? indexes?.ordered.get(order.column) : undefined;
  if (!index) return undefined;
  return () => {
    const nulls = index.between({ value: null, included: true }, { value: null, included: true });
    const values = index.between({ value: null, included: false });
    const spans = order.nulls === 'first' ? [nulls, values] : [values, nulls];
    const slots = concatenated(spans.map((span) => index.slots(span, order.direction)));
    return { kind: 'index', slots, unindexedFrom: Number.POSITIVE_INFINITY };
  };
}
