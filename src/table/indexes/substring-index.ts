import type { Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { FoldedTexts } from '../storage/row-store.ts';
import {
  type IndexSize,
  indexingPaysOff,
  isMostlyDead,
  isSmall,
  MAX_BATCH,
  MIN_BATCH,
  mergeable,
  needsCompaction,
} from './compaction.ts';
import { PendingRows } from './pending-rows.ts';
import type { Segment } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { BLOCK_SIZE, concatenated, type SlotBlocks, united } from './slot-blocks.ts';
import { inSlotOrder } from './slot-set.ts';

/** Slots between two chances to pause: some ten microseconds of work. */
const SLOTS_PER_STEP = 64;
/** Units of text that are folded between two chances to pause, for the same reason. */
const UNITS_PER_STEP = 2048;

/** Of the keys of a long text, so many are looked up: the rest would hardly narrow it further. */
const MAX_KEYS = 16;

/** What an index knows about some trigrams. To be used before the next write. */
export interface Probe {
  /** About how many candidates there are. */
  readonly estimate: number;
  /** From this slot on, all rows are candidates. */
  readonly unindexedFrom: number;
  /** The slots below it, ascending, of all rows whose text may have all the trigrams, as of now. */
  slots(): SlotBlocks;
}

/**
 * Finds the rows whose folded text contains other texts, by their trigrams. New and changed rows
 * are pending, and every search looks through them; from there they come into immutable segments,
 * which are merged as they grow in number. A segment may list rows that were changed or deleted
 * since, so what is found are candidates, and never less than all of them.
 *
 * What matches with case matches folded as well, since a part of a text folds to a part of the
 * folded text; so one index on folded text serves both.
 */
export class SubstringIndex {
  readonly kind = 'substring';
  readonly #column: string;
  readonly #texts: FoldedTexts;
  readonly #builders: SegmentBuilder[];
  readonly #pending = new PendingRows();
  #segments: readonly Segment[] = [];
  #segmentBytes = 0;
  #entries = 0;
  /** Segments that are to be merged next. */
  #mergeable: readonly Segment[] | undefined;
  /** How many pending rows searches have looked through since some were indexed. */
  #scanned = 0;
  #generation = 0;

  /** @param builders idle builders, which all indexes of a table share */
  constructor(column: string, texts: FoldedTexts, builders: SegmentBuilder[]) {
    this.#column = column;
    this.#texts = texts;
    this.#builders = builders;
  }

  /** Notes that a slot's row is another one now. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    const text = after?.[this.#column];
    const old = before?.[this.#column];
    if (before && typeof text === 'string' && text === old) return;
    this.#pending.note(slot, lengthOf(old) ?? 0, lengthOf(text));
  }

  /** Finds, as of now, the rows whose text may have all of some trigrams. */
  probe(keys: readonly number[]): Probe {
    const some = sampled(keys, MAX_KEYS);
    const hits = this.#segments.map((segment) => ({ segment, lists: segment.listsOf(some) }));
    let estimate = this.#pending.size;
    for (const { segment, lists } of hits) {
      if (lists[0] !== undefined) estimate += segment.lists.count(lists[0]);
    }
    return {
      estimate,
      unindexedFrom: this.#pending.unindexedFrom,
      slots: () => {
        this.#scanned += this.#pending.size;
        const found = hits
          .filter(({ lists }) => lists.length > 0)
          .map(({ segment, lists }) => ({
            from: segment.slots[0] ?? 0,
            blocks: segment.slotsIn(lists),
          }));
        const parts = [...found, ...this.#pending.slots()];
        // To sort a few takes less time than to unite as many parts.
        if (estimate > BLOCK_SIZE) return united(parts);
        return inSlotOrder(concatenated(parts.map(({ blocks }) => blocks)));
      },
    };
  }

  /**
   * Memory held, in bytes, and what indexing will take at most: without what only lasts while a
   * segment is built.
   */
  get bytes(): number {
    return this.#segmentBytes + this.#pending.bytes + this.#pending.reservedBytes;
  }

  /** Whether `work` has something to do. */
  get isPending(): boolean {
    return this.#hasBatch || this.#mergeable !== undefined || needsCompaction(this.#size);
  }

  /** Whether `work` should not wait for a quiet moment. */
  get isUrgent(): boolean {
    return indexingPaysOff(this.#scanned, this.#pending.size);
  }

  /** Does a part of what there is to do, in short steps. */
  *work(): Generator<void> {
    if (this.#hasBatch) yield* this.#indexBatch();
    else if (this.#mergeable) yield* this.#merge(this.#mergeable);
    else if (needsCompaction(this.#size)) yield* this.#compact();
  }

  get #hasBatch(): boolean {
    return this.#pending.queued >= MIN_BATCH;
  }

  get #size(): IndexSize {
    const slots = this.#pending.unindexedFrom;
    return { entries: this.#entries, rows: this.#texts.rowCount(), slots };
  }

  *#indexBatch(): Generator<void> {
    const batch = this.#pending.take(MAX_BATCH);
    this.#scanned = 0;
    let done = false;
    try {
      this.#replaceSegments([], yield* this.#build(batch));
      done = true;
    } finally {
      if (done) this.#pending.indexed(batch);
      else this.#pending.putBack(batch);
    }
  }

  /**
   * Builds a segment of slots, ascending. What changes in one of them from here on is pending, to
   * be indexed later.
   */
  *#build(slots: readonly number[]): Generator<void, Segment> {
    const generation = ++this.#generation;
    const indexed: number[] = [];
    const texts: string[] = [];
    let units = 0;
    for (const slot of slots) {
      const text = this.#texts.folded(slot);
      units += 1 + (text?.length ?? 0);
      if (text !== null) {
        indexed.push(slot);
        texts.push(text);
      }
      if (units < UNITS_PER_STEP) continue;
      units = 0;
      yield;
    }
    const builder = this.#builders.pop() ?? new SegmentBuilder();
    const segment = yield* builder.build({ generation, slots: indexed, texts });
    this.#builders.push(builder);
    return segment;
  }

  /**
   * Makes one segment of some, from the texts as they are now: that is no more work than to
   * renumber what they list.
   */
  *#merge(some: readonly Segment[]): Generator<void> {
    const parts = some.map((segment) => ({
      from: segment.slots[0] ?? 0,
      blocks: this.#liveSlots(segment),
    }));
    const slots: number[] = [];
    for (const block of united(parts)) {
      for (const slot of block) slots.push(slot);
      yield;
    }
    this.#replaceSegments(some, yield* this.#build(slots));
  }

  /** Makes one segment of all, or where these are large, of some that are mostly dead. */
  *#compact(): Generator<void> {
    yield* this.#merge(isSmall(this.#size) ? this.#segments : yield* this.#mostlyDead());
  }

  /**
   * Segments that are mostly dead, and together no larger than a batch, if they are more than one.
   */
  *#mostlyDead(): Generator<void, Segment[]> {
    const dead: Segment[] = [];
    let rows = 0;
    for (const segment of this.#segments) {
      let live = 0;
      for (const block of this.#liveSlots(segment)) {
        live += block.length;
        yield;
      }
      if (!isMostlyDead(segment, live)) continue;
      rows += live;
      if (dead.length > 0 && rows > MAX_BATCH) break;
      dead.push(segment);
    }
    return dead;
  }

  /**
   * The slots for which a segment is still needed: those that have a text, unless that has changed
   * or was indexed later. A later segment is right about a slot, since it was read after the slot's
   * last change.
   */
  *#liveSlots({ generation, slots }: Segment): SlotBlocks {
    const later = this.#segments.filter((each) => each.generation > generation);
    for (let start = 0; start < slots.length; start += SLOTS_PER_STEP) {
      const live: number[] = [];
      for (const slot of slots.subarray(start, start + SLOTS_PER_STEP)) {
        if (this.#pending.hasChanged(slot) || !this.#texts.has(slot)) continue;
        if (!later.some((each) => each.has(slot))) live.push(slot);
      }
      yield live;
    }
  }

  #replaceSegments(some: readonly Segment[], by: Segment): void {
    const others = this.#segments.filter((each) => !some.includes(each));
    this.#segments = by.slots.length > 0 ? [...others, by] : others;
    this.#entries = this.#segments.reduce((sum, segment) => sum + segment.slots.length, 0);
    this.#segmentBytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    this.#mergeable = mergeable(this.#segments);
  }
}

/** Some members of a list, evenly spread. */
function sampled<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return list.filter(
    (_, i) => Math.floor((i * most) / list.length) !== Math.floor(((i + 1) * most) / list.length),
  );
}

function lengthOf(value: Value | null | undefined): number | undefined {
  return typeof value === 'string' ? value.length : undefined;
}
