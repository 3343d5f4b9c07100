/*
 * Decides when to index pending rows, and which segments to merge. Costs are in rows that a search
 * looks through.
 */

/** The minimum number of pending rows to build a segment of. */
export const MIN_BATCH = 64;
/** The maximum number of rows to index at a time. */
export const MAX_BATCH = 16_384;

/** Indexing a row costs as much as looking through this many pending rows. */
const ROW_COST = 16;
/** Building a segment costs this much in addition, however small it is. */
const SEGMENT_COST = 512;

/** The number of segments of similar size that are merged into one. */
const FANOUT = 4;
/** The first tier of which segments are not merged. */
const LARGEST_TIER = 6;

/**
 * The maximum number of entries per row, in addition to a batch; or to one more per row, if that is
 * less.
 */
const ENTRIES_PER_ROW = 2;
/**
 * The same for a small index, whose compaction takes only some milliseconds. It is lower, so that a
 * few rows that change often are found quickly.
 */
const ENTRIES_PER_ROW_IF_SMALL = 1.25;

/** The size of a segment. */
export interface Sized {
  readonly slots: { readonly length: number };
}

/**
 * Whether searches have spent as much on pending rows as indexing them costs. So a workload that
 * only writes does not pay for the index, and one that searches never pays more than twice the
 * minimum.
 *
 * @param scanned how many pending rows searches have looked through
 * @param pending the number of pending rows
 */
export function indexingPaysOff(scanned: number, pending: number): boolean {
  return scanned >= SEGMENT_COST + ROW_COST * pending;
}

/** Returns segments of similar size, if there are enough to merge. */
export function mergeable<S extends Sized>(segments: readonly S[]): readonly S[] | undefined {
  const tiers = new Map<number, S[]>();
  for (const segment of segments) {
    const tier = tierOf(segment);
    const peers = tiers.get(tier) ?? [];
    if (tier < LARGEST_TIER && peers.push(segment) === FANOUT) return peers;
    tiers.set(tier, peers);
  }
  return undefined;
}

/**
 * Returns the tier of a segment. Tiers grow by a factor of `FANOUT`; a segment belongs to the tier
 * of the nearest size.
 */
function tierOf({ slots }: Sized): number {
  return Math.max(0, Math.round(Math.log(slots.length / MIN_BATCH) / Math.log(FANOUT)));
}

/** The size of a substring index. */
export interface IndexSize {
  /**
   * The number of slots in all segments. A slot counts once for each segment that lists it, and
   * even if its row is dead.
   */
  readonly entries: number;
  /** The number of rows in the table. */
  readonly rows: number;
}

/** Whether the index is small enough to be compacted as a whole. */
export function isSmall({ entries }: IndexSize): boolean {
  return entries <= MAX_BATCH;
}

/**
 * Whether there are too many dead entries. The fewer rows are left, the fewer dead entries they may
 * have, so that the memory of deleted rows is given back.
 */
export function needsCompaction(size: IndexSize): boolean {
  const { entries, rows } = size;
  return isSmall(size)
    ? entries > ENTRIES_PER_ROW_IF_SMALL * rows + Math.min(MIN_BATCH, rows)
    : entries > ENTRIES_PER_ROW * rows + Math.min(MAX_BATCH, rows);
}

/** Whether most entries of a segment are dead. */
export function isMostlyDead({ slots }: Sized, live: number): boolean {
  return live * ENTRIES_PER_ROW < slots.length;
}
