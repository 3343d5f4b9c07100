import type { StoredRow } from '../schema/stored-row.ts';
import { ascending } from './ascending.ts';
import type { Segment } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';

/** Waiting rows that are worth a segment, when there is time. */
const WORTH_INDEXING = 64;
/** Rows that are indexed at a time. */
const BATCH_SIZE = 16_384;
/** To index a row costs as much as to look through so many that wait. */
const COST_OF_ROW = 16;
/** And a segment, however small, as much as so many. */
const COST_OF_SEGMENT = 512;
/** Segments of about one size that are merged into one. */
const FANOUT = 16;
/** Segments about as large as this, and larger ones, are not merged any more. */
const LARGEST_TIER = 2;
/** Entries that there may be for each row, beside a batch of them, before dead ones are dropped. */
const ENTRIES_PER_ROW = 2;
/** And for each slot where that takes some milliseconds only, so that a few rows that change often are found quickly. */
const ENTRIES_PER_SLOT = 1.25;

/** Rows between two chances to pause: some ten microseconds of work. */
const ROWS_PER_STEP = 256;

/** The bytes that a set of numbers takes per member, about. */
const BYTES_PER_CHANGED_ROW = 32;

/** Where an index reads the texts it is about. */
export interface FoldedTexts {
  /** The number of rows, with a text or without. */
  rowCount(): number;
  /** The folded text of a slot; null where there is none. */
  folded(slot: number): string | null;
}

/** What an index knows about some trigrams. To be used before the next write. */
export interface Probe {
  /** About how many candidates there are. */
  readonly estimate: number;
  /** From this slot on, all rows are candidates. */
  readonly unindexedFrom: number;
  /** The slots below it, ascending, of all rows whose text may have all the trigrams. */
  slots(): number[];
}

/**
 * Finds the rows whose folded text contains other texts, by their trigrams. New and changed rows wait, and every search
 * looks through them; from there they come into immutable segments, which are merged as they grow in number. A
 * segment may list rows that were changed or deleted since, so what is found are candidates, and never less than
 * all of them: a row waits from the moment its text changes until a segment with that text is in place.
 *
 * What matches with case matches folded as well, since a part of a text folds to a part of the
 * folded text; so one index on folded text serves both.
 */
export class SubstringIndex {
  readonly #column: string;
  readonly #texts: FoldedTexts;
  readonly #builders: SegmentBuilder[];
  #segments: readonly Segment[] = [];
  /** The slots in all segments, with those of dead rows and those in several. */
  #entries = 0;
  /** Segments that are to be merged next. */
  #mergeable: readonly Segment[] | undefined;
  /** From here to the end, no row was ever indexed: new rows wait without a note of each. */
  #newFrom = 0;
  #end = 0;
  /** Those of other rows whose text has changed. */
  readonly #changed = new Set<number>();
  /** Rows that are being indexed: their segment is not in place yet. */
  readonly #leaving = new Set<readonly number[]>();
  /** How many waiting rows searches have looked through since some were indexed. */
  #lookedThrough = 0;
  #born = 0;

  /** @param builders idle builders, which all indexes of a table share */
  constructor(column: string, texts: FoldedTexts, builders: SegmentBuilder[]) {
    this.#column = column;
    this.#texts = texts;
    this.#builders = builders;
  }

  /** Notes that a slot's row is another one now. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    if (slot >= this.#newFrom) {
      this.#end = Math.max(this.#end, slot + 1);
      return;
    }
    const text = after?.[this.#column];
    if (typeof text !== 'string') this.#changed.delete(slot);
    else if (text !== before?.[this.#column]) this.#changed.add(slot);
  }

  /** Finds, as of now, the rows whose text may have all of some trigrams. */
  probe(keys: readonly number[]): Probe {
    const hits = this.#segments.map((segment) => ({ segment, lists: segment.listsOf(keys) }));
    let estimate = this.#waiting;
    for (const { segment, lists } of hits) {
      if (lists[0] !== undefined) estimate += segment.lists.estimate(lists[0]);
    }
    return {
      estimate,
      unindexedFrom: this.#newFrom,
      slots: () => {
        this.#lookedThrough += this.#waiting;
        const found: number[] = [];
        for (const { segment, lists } of hits) segment.collect(lists, found);
        for (const slots of this.#leaving) for (const slot of slots) found.push(slot);
        for (const slot of this.#changed) found.push(slot);
        return ascending(found);
      },
    };
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const waiting = this.#changed.size * BYTES_PER_CHANGED_ROW;
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, waiting);
  }

  /** Whether `tidy` has something to do. */
  get untidy(): boolean {
    return this.#hasBatch || this.#mergeable !== undefined || this.#isLittered;
  }

  /**
   * Whether `tidy` should not wait for a quiet moment: searches have spent as much on waiting rows as it costs to index them.
   * So a load that only writes pays for no index, and one that searches never more than twice what it must.
   */
  get pressing(): boolean {
    return this.#lookedThrough >= COST_OF_SEGMENT + COST_OF_ROW * this.#waiting;
  }

  /** Does a part of what there is to do, in short steps: indexes some rows, or merges segments, or drops dead entries. */
  *tidy(): Generator<void> {
    if (this.#hasBatch) yield* this.#indexBatch();
    else if (this.#mergeable) yield* this.#merge(this.#mergeable);
    else if (this.#isLittered) yield* this.#compact();
  }

  /** How many rows a search has to look through, about. */
  get #waiting(): number {
    let count = this.#end - this.#newFrom + this.#changed.size;
    for (const slots of this.#leaving) count += slots.length;
    return count;
  }

  get #hasBatch(): boolean {
    return this.#end - this.#newFrom + this.#changed.size >= WORTH_INDEXING;
  }

  *#indexBatch(): Generator<void> {
    const leaving = this.#take();
    this.#leaving.add(leaving);
    this.#lookedThrough = 0;
    let done = false;
    try {
      this.#replaceSegments([], yield* this.#build(leaving));
      done = true;
    } finally {
      this.#leaving.delete(leaving);
      if (!done) for (const slot of leaving) this.#changed.add(slot);
    }
  }

  /** Takes slots, ascending, out of those that wait. */
  #take(): readonly number[] {
    const taken = ascending([...firstOf(this.#changed, BATCH_SIZE)]);
    for (const slot of taken) this.#changed.delete(slot);
    const newTo = Math.min(this.#end, this.#newFrom + BATCH_SIZE - taken.length);
    for (let slot = this.#newFrom; slot < newTo; slot++) taken.push(slot);
    this.#newFrom = newTo;
    return taken;
  }

  /** Builds a segment of slots, ascending. What changes in one of them from here on waits to be indexed later. */
  *#build(slots: readonly number[]): Generator<void, Segment> {
    const born = ++this.#born;
    const indexed: number[] = [];
    const texts: string[] = [];
    for (const [i, slot] of slots.entries()) {
      if (i % ROWS_PER_STEP === 0) yield;
      const text = this.#texts.folded(slot);
      if (text === null) continue;
      indexed.push(slot);
      texts.push(text);
    }
    const builder = this.#builders.pop() ?? new SegmentBuilder();
    const segment = yield* builder.build({ born, slots: indexed, texts });
    this.#builders.push(builder);
    return segment;
  }

  /** Makes one of some segments, of the texts as they are now: that is no more work than to renumber what they list. */
  *#merge(some: readonly Segment[]): Generator<void> {
    const slots: number[] = [];
    for (const segment of some) for (const slot of yield* this.#needed(segment)) slots.push(slot);
    this.#replaceSegments(some, yield* this.#build(ascending(slots)));
  }

  get #isLittered(): boolean {
    return this.#hasFew
      ? this.#entries > ENTRIES_PER_SLOT * this.#newFrom + WORTH_INDEXING
      : this.#entries > ENTRIES_PER_ROW * this.#texts.rowCount() + BATCH_SIZE;
  }

  get #hasFew(): boolean {
    return this.#entries <= BATCH_SIZE;
  }

  /** Makes one segment of all, or where these are large, of some that are mostly dead. */
  *#compact(): Generator<void> {
    yield* this.#merge(this.#hasFew ? this.#segments : yield* this.#worn());
  }

  /** Segments that are mostly dead, and together no larger than a batch, if they are more than one. */
  *#worn(): Generator<void, Segment[]> {
    const worn: Segment[] = [];
    let rows = 0;
    for (const segment of this.#segments) {
      const { length } = yield* this.#needed(segment);
      if (length * ENTRIES_PER_ROW >= segment.slots.length) continue;
      rows += length;
      if (worn.length > 0 && rows > BATCH_SIZE) break;
      worn.push(segment);
    }
    return worn;
  }

  /**
   * The slots of a segment for which it is still needed: those that have a text, unless that has changed or was
   * indexed later. A later segment is right about a slot, since it was read after the slot's last change.
   */
  *#needed(segment: Segment): Generator<void, number[]> {
    const later = this.#segments.filter(({ born }) => born > segment.born);
    const needed: number[] = [];
    for (const [row, slot] of segment.slots.entries()) {
      if (row % ROWS_PER_STEP === 0) yield;
      if (this.#changed.has(slot) || this.#texts.folded(slot) === null) continue;
      if (!later.some((each) => each.has(slot))) needed.push(slot);
    }
    return needed;
  }

  #replaceSegments(some: readonly Segment[], by: Segment): void {
    const others = this.#segments.filter((each) => !some.includes(each));
    this.#segments = by.slots.length > 0 ? [...others, by] : others;
    this.#entries = this.#segments.reduce((sum, segment) => sum + segment.slots.length, 0);
    this.#mergeable = mergeable(this.#segments);
  }
}

/** Segments of about one size, enough of them to be merged. */
function mergeable(segments: readonly Segment[]): readonly Segment[] | undefined {
  const tiers = new Map<number, Segment[]>();
  for (const segment of segments) {
    const tier = tierOf(segment);
    const peers = tiers.get(tier) ?? [];
    if (tier < LARGEST_TIER && peers.push(segment) === FANOUT) return peers;
    tiers.set(tier, peers);
  }
  return undefined;
}

/** Tiers are powers of the fanout; a segment belongs to the one that is nearest in size. */
function tierOf(segment: Segment): number {
  const ratio = segment.slots.length / WORTH_INDEXING;
  return Math.max(0, Math.round(Math.log(ratio) / Math.log(FANOUT)));
}

function* firstOf<T>(values: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const value of values) {
    if (left-- === 0) return;
    yield value;
  }
}
