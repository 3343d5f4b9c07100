/*
 * When waiting rows are worth a segment, and which segments are made into one. These are decisions
 * only: what they cost and what they win is counted in rows.
 */

/** Waiting rows that are worth a segment, when there is time. */
export const MIN_BATCH = 64;
/** The most rows that are indexed at a time. */
export const MAX_BATCH = 16_384;

/** To index a row costs as much as to look through so many that wait. */
const ROW_COST = 16;
/** And a segment, however small, as much as so many. */
const SEGMENT_COST = 512;

/** Segments of about one size that are merged into one. */
const FANOUT = 16;
/** Segments about as large as this, and larger ones, are not merged any more. */
const LARGEST_TIER = 2;

/** Entries that there may be for each row, beside a batch of them, before dead ones are dropped. */
const ENTRIES_PER_ROW = 2;
/**
 * And for each slot where that takes some milliseconds only, so that a few rows that change often
 * are found quickly.
 */
const ENTRIES_PER_SLOT = 1.25;

/** A segment, as far as its size matters. */
export interface Sized {
  readonly slots: { readonly length: number };
}

/**
 * Whether searches have spent as much on waiting rows as it costs to index them. So a load that
 * only writes pays for no index, and one that searches never more than twice what it must.
 * @param scanned how many waiting rows searches have looked through
 */
export function indexingPaysOff(scanned: number, pending: number): boolean {
  return scanned >= SEGMENT_COST + ROW_COST * pending;
}

/** Segments of about one size, enough of them to be merged. */
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

/** Tiers are powers of the fanout; a segment belongs to the one that is nearest in size. */
function tierOf({ slots }: Sized): number {
  return Math.max(0, Math.round(Math.log(slots.length / MIN_BATCH) / Math.log(FANOUT)));
}

/** How much there is in an index. */
export interface IndexSize {
  /** The slots in all segments, with those of dead rows and those in several. */
  readonly entries: number;
  /** The rows of the table. */
  readonly rows: number;
  /** The slots that were ever indexed. */
  readonly slots: number;
}

/** Whether all segments together are so small that they are compacted as a whole. */
export function isSmall({ entries }: IndexSize): boolean {
  return entries <= MAX_BATCH;
}

/** Whether there are too many dead entries. */
export function needsCompaction(size: IndexSize): boolean {
  return isSmall(size)
    ? size.entries > ENTRIES_PER_SLOT * size.slots + MIN_BATCH
    : size.entries > ENTRIES_PER_ROW * size.rows + MAX_BATCH;
}

/** Whether most entries of a segment are dead. */
export function isMostlyDead({ slots }: Sized, live: number): boolean {
  return live * ENTRIES_PER_ROW < slots.length;
}
