import type { ColumnCondition, Condition } from '../condition/condition.ts';
import { type Bitmap, countOf, intersection, slotsOf, union } from '../indexes/bitmap.ts';
import type { IndexSet } from '../indexes/index-set.ts';
import type { OrderedIndex } from '../indexes/ordered-index.ts';
import { concatenated, type SlotBlocks, slotsBetween, united } from '../indexes/slot-blocks.ts';
import { inSlotOrder } from '../indexes/slot-set.ts';
import type { Recheck, SubstringIndex } from '../indexes/substring-index.ts';
import type { Layout } from '../schema/layout.ts';
import type { Rows } from '../storage/row-store.ts';
import { fold } from '../text/case-folding.ts';
import { likePattern } from '../text/like-pattern.ts';
import { type Interval, intervalsOf } from './intervals.ts';

/** The rows and indexes that access paths lead to. */
export interface PathSource {
  readonly layout: Layout;
  readonly rows: Rows;
  /** Undefined for a snapshot that is not current any more. */
  readonly indexes: IndexSet | undefined;
}

/** Returns what drops the candidates for a condition that do not match it. */
export type Rechecks = (condition: ColumnCondition) => Recheck;

/**
 * An access path leads to the rows that may match a condition: possibly more rows than match,
 * never fewer.
 */
export interface Path {
  readonly kind: 'primary key' | 'ordered index' | 'substring index' | 'bitmap index' | 'union';
  /** The columns whose indexes are used. */
  readonly columns: readonly string[];
  /** The estimated number of rows it leads to. */
  readonly candidates: number;
  /**
   * Returns the slots it leads to, ascending. Later writes do not change the result.
   *
   * @param rechecks to be given only if `inDoubt` is finite
   */
  slots(rechecks?: Rechecks): SlotBlocks;
  /**
   * The estimated number of `slots` in doubt, whose row may not match. Finite only if the path can
   * recheck these, so that all of `slots` match: the condition must ask for no more than that the
   * folded text of a column contains another.
   */
  readonly inDoubt: number;
  /** If set, the path also leads to all slots from this one on, of which `slots` may have some. */
  readonly unindexedFrom?: number;
  /** If set, the path leads to all slots of this range; `to` is exclusive. */
  readonly range?: { readonly from: number; readonly to: number };
  /** The slots as a bitmap, if the index has one. */
  readonly bitmap?: Bitmap;
  /**
   * Set only if the path is exact, which means that every row it leads to matches. Returns the
   * number of rows.
   */
  readonly count?: () => number;
}

/**
 * The maximum number of alternatives of an `or` to look up in indexes. For more, a scan is faster.
 */
const MAX_ALTERNATIVES = 32;
/** The maximum number of conditions of an `and` to look up. The others only check rows. */
const MAX_LOOKED_UP = 16;

/** Returns the cheapest path for a condition; undefined if no index helps. */
export function pathFor(source: PathSource, condition: Condition): Path | undefined {
  switch (condition.op) {
    case 'and':
      return cheapest(allOf(somePaths(source, condition.conditions), condition.conditions.length));
    case 'or':
      if (condition.conditions.length > MAX_ALTERNATIVES) return undefined;
      return anyOf(condition.conditions.map((each) => pathFor(source, each)));
    case 'not':
      return undefined;
    default:
      return cheapest([keyPath(source, condition), indexPath(source.indexes, condition)]);
  }
}

function somePaths(source: PathSource, conditions: readonly Condition[]): readonly Path[] {
  const paths: Path[] = [];
  for (const condition of conditions) {
    const path = pathFor(source, condition);
    if (path && paths.push(path) === MAX_LOOKED_UP) break;
  }
  return paths;
}

function cheapest(paths: readonly (Path | undefined)[]): Path | undefined {
  let best: Path | undefined;
  for (const path of paths) {
    if (path && (!best || path.candidates < best.candidates)) best = path;
  }
  return best;
}

/** Combines the paths of an `and`: those with bitmaps become one path, their intersection. */
function allOf(paths: readonly Path[], conditions: number): readonly Path[] {
  const [first, ...others] = paths.filter(isBitmapPath);
  if (!first) return conditions === 1 ? paths : paths.map(inexact);
  const bitmap = others.reduce((all, path) => intersection(all, path.bitmap), first.bitmap);
  const exact = 1 + others.length === conditions && [first, ...others].every(isExact);
  const path = bitmapPath(columnsOf([first, ...others]), bitmap, exact);
  return [...paths.filter((each) => !isBitmapPath(each)).map(inexact), path];
}

/** Marks a path as inexact, because other conditions must hold too. */
function inexact({ count: _, ...path }: Path): Path {
  return { ...path, inDoubt: Number.POSITIVE_INFINITY };
}

function isExact({ count }: Path): boolean {
  return count !== undefined;
}

function isBitmapPath(path: Path): path is Path & { readonly bitmap: Bitmap } {
  return path.bitmap !== undefined;
}

function bitmapPath(columns: readonly string[], bitmap: Bitmap, exact: boolean): Path {
  return {
    kind: 'bitmap index',
    columns,
    candidates: bitmap.size,
    slots: () => slotsOf(bitmap),
    inDoubt: exact ? 0 : Number.POSITIVE_INFINITY,
    bitmap,
    ...(exact ? { count: () => countOf(bitmap) } : {}),
  };
}

function anyOf(paths: readonly (Path | undefined)[]): Path | undefined {
  const all = paths.filter((path) => path !== undefined);
  if (all.length < paths.length) return undefined;
  const [only] = all;
  if (only && all.length === 1) return only;
  if (all.every(isBitmapPath)) {
    const bitmap = union(all.map((path) => path.bitmap));
    return bitmapPath(columnsOf(all), bitmap, all.every(isExact));
  }
  const unindexedFrom = all.reduce(
    (least, path) => Math.min(least, path.unindexedFrom ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  const candidates = all.reduce((sum, path) => sum + path.candidates, 0);
  return {
    kind: 'union',
    columns: columnsOf(all),
    candidates,
    slots: (rechecks) => {
      const parts = all.map((path) => ({ from: 0, blocks: path.slots(rechecks) }));
      return united(parts, candidates);
    },
    inDoubt: all.reduce((sum, path) => sum + path.inDoubt, 0),
    unindexedFrom,
  };
}

function columnsOf(paths: readonly Path[]): readonly string[] {
  const all: string[] = [];
  for (const { columns } of paths) all.push(...columns);
  return all;
}

/** Returns a path by id. Ids are dense, so an interval of ids is a range of slots. */
function keyPath({ layout, rows }: PathSource, leaf: ColumnCondition): Path | undefined {
  const { identity } = layout;
  const intervals = leaf.column === identity.column ? intervalsOf(leaf) : undefined;
  if (!intervals) return undefined;
  const ranges = intervals.map((interval) => slotRange(layout, rows, interval));
  const candidates = ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  const path: Path = {
    kind: 'primary key',
    columns: [identity.column],
    candidates,
    slots: () => united(ranges.map(({ from, to }) => ({ from, blocks: slotsBetween(from, to) }))),
    inDoubt: Number.POSITIVE_INFINITY,
  };
  const [range] = ranges;
  return range && ranges.length === 1 ? { ...path, range } : path;
}

function slotRange({ identity }: Layout, rows: Rows, { from, to }: Interval) {
  const first = from.value === null ? 0 : identity.slotOf(from.value) + (from.included ? 0 : 1);
  const end = to ? identity.slotOf(to.value) + (to.included ? 1 : 0) : rows.end;
  return { from: Math.max(0, first), to: Math.min(rows.end, end) };
}

function indexPath(indexes: IndexSet | undefined, leaf: ColumnCondition): Path | undefined {
  const index = indexes?.byColumn.get(leaf.column);
  switch (index?.kind) {
    case 'ordered':
      return orderedPath(index, leaf);
    case 'substring':
      return substringPath(index, leaf);
    case 'bitmap':
      return bitmapPath([leaf.column], index.where(leaf), true);
    default:
      return undefined;
  }
}

function orderedPath(index: OrderedIndex, leaf: ColumnCondition): Path | undefined {
  const spans = intervalsOf(leaf)?.map(({ from, to }) => index.between(from, to));
  if (!spans) return undefined;
  const count = spans.reduce((sum, span) => sum + index.count(span), 0);
  return {
    kind: 'ordered index',
    columns: [leaf.column],
    candidates: count,
    slots: () => inSlotOrder(concatenated(spans.map((span) => index.slots(span)))),
    inDoubt: 0,
    count: () => count,
  };
}

function substringPath(index: SubstringIndex, leaf: ColumnCondition): Path | undefined {
  const probe = index.probe(containedTexts(leaf));
  if (!probe) return undefined;
  const { estimate, inDoubt, unindexedFrom, slots } = probe;
  return {
    kind: 'substring index',
    columns: [leaf.column],
    candidates: estimate,
    unindexedFrom,
    slots: (rechecks) => slots(rechecks?.(leaf)),
    inDoubt: leaf.op === 'containsIgnoreCase' ? inDoubt : Number.POSITIVE_INFINITY,
  };
}

/** Returns folded texts that the folded column must contain for a condition to be true. */
function containedTexts(leaf: ColumnCondition): readonly string[] {
  switch (leaf.op) {
    case 'contains':
    case 'containsIgnoreCase':
    case 'startsWith':
    case 'endsWith':
      return [fold(leaf.value)];
    case 'like':
      return likePattern(leaf.value).literals.map(fold);
    case 'eq':
      return typeof leaf.value === 'string' ? [fold(leaf.value)] : [];
    default:
      return [];
  }
}
