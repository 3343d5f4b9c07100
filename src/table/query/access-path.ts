import type { Condition, Leaf } from '../condition/condition.ts';
import { ascending } from '../indexes/ascending.ts';
import type { IndexSet } from '../indexes/index-set.ts';
import type { OrderedIndex, Span } from '../indexes/ordered-index.ts';
import { below, between, inBlocks, type SlotBlocks, united } from '../indexes/slot-blocks.ts';
import { trigramKeys } from '../indexes/trigrams.ts';
import type { Layout } from '../schema/layout.ts';
import type { Rows } from '../storage/row-store.ts';
import { fold } from '../text/case-folding.ts';
import { likePattern } from '../text/like-pattern.ts';
import { type Interval, intervalsOf } from './intervals.ts';

/** What a path through an index can be built from. */
export interface PathSource {
  readonly layout: Layout;
  readonly rows: Rows;
  /** None for a moment that is past. */
  readonly indexes: IndexSet | undefined;
}

/** A way to the rows that may match a condition. It may lead to others as well, never to fewer. */
export interface Path {
  readonly kind: 'primary key' | 'ordered index' | 'substring index' | 'union';
  /** The columns whose index is used. */
  readonly columns: readonly string[];
  /** About how many rows it leads to. */
  readonly candidates: number;
  /** The slots it leads to, ascending. */
  slots(): SlotBlocks;
  /** Set when it leads to all slots from this one on as well, which `slots` leaves out. */
  readonly unindexedFrom?: number;
  /** Set when the slots are all of those between two. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** The cheapest path for a condition, if an index helps with it at all. */
export function pathFor(source: PathSource, condition: Condition): Path | undefined {
  switch (condition.op) {
    case 'and':
      return cheapest(condition.conditions.map((each) => pathFor(source, each)));
    case 'or':
      return union(condition.conditions.map((each) => pathFor(source, each)));
    case 'not':
      return undefined;
    default:
      return cheapest([keyPath(source, condition), indexPath(source.indexes, condition)]);
  }
}

function cheapest(paths: readonly (Path | undefined)[]): Path | undefined {
  let best: Path | undefined;
  for (const path of paths) {
    if (path && (!best || path.candidates < best.candidates)) best = path;
  }
  return best;
}

function union(paths: readonly (Path | undefined)[]): Path | undefined {
  const all = paths.filter((path) => path !== undefined);
  if (all.length < paths.length) return undefined;
  const [only] = all;
  if (only && all.length === 1) return only;
  const unindexedFrom = all.reduce(
    (least, path) => Math.min(least, path.unindexedFrom ?? Number.POSITIVE_INFINITY),
    Number.POSITIVE_INFINITY,
  );
  return {
    kind: 'union',
    columns: [...new Set(all.flatMap((path) => path.columns))],
    candidates: all.reduce((sum, path) => sum + path.candidates, 0),
    slots: () => below(unindexedFrom, united(all.map((path) => path.slots()))),
    unindexedFrom,
  };
}

/** Ids are dense, so an interval of ids is a range of slots. */
function keyPath({ layout, rows }: PathSource, leaf: Leaf): Path | undefined {
  const { identity } = layout;
  const intervals = leaf.column === identity.column ? intervalsOf(leaf) : undefined;
  if (!intervals) return undefined;
  const ranges = intervals.map((interval) => slotRange(layout, rows, interval));
  const candidates = ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  const path: Path = {
    kind: 'primary key',
    columns: [identity.column],
    candidates,
    slots: () => united(ranges.map(({ from, to }) => between(from, to))),
  };
  const [range] = ranges;
  return range && ranges.length === 1 ? { ...path, range } : path;
}

function slotRange({ identity }: Layout, rows: Rows, { from, to }: Interval) {
  const first = from.value === null ? 0 : identity.slotOf(from.value) + (from.included ? 0 : 1);
  const end = to ? identity.slotOf(to.value) + (to.included ? 1 : 0) : rows.end;
  return { from: Math.max(0, first), to: Math.min(rows.end, end) };
}

function indexPath(indexes: IndexSet | undefined, leaf: Leaf): Path | undefined {
  const ordered = indexes?.ordered.get(leaf.column);
  if (ordered) return orderedPath(ordered, leaf);
  const substring = indexes?.substring.get(leaf.column);
  const keys = substring ? trigramKeys(containedTexts(leaf)) : [];
  if (!substring || keys.length === 0) return undefined;
  const { estimate, unindexedFrom, slots } = substring.probe(keys);
  return {
    kind: 'substring index',
    columns: [leaf.column],
    candidates: estimate,
    unindexedFrom,
    slots: () => inBlocks(slots()),
  };
}

function orderedPath(index: OrderedIndex, leaf: Leaf): Path | undefined {
  const spans: readonly Span[] | undefined = intervalsOf(leaf)?.map(({ from, to }) =>
    index.between(from, to),
  );
  return (
    spans && {
      kind: 'ordered index',
      columns: [leaf.column],
      candidates: spans.reduce((sum, span) => sum + index.count(span), 0),
      slots: () => united(spans.map((span) => bySlot(index.slots(span)))),
    }
  );
}

/** The slots of an index in another order, ascending. */
function* bySlot(blocks: SlotBlocks): SlotBlocks {
  yield* inBlocks(ascending([...blocks].flat()));
}

/** Folded texts that the folded column contains wherever a leaf is true. */
function containedTexts(leaf: Leaf): readonly string[] {
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
