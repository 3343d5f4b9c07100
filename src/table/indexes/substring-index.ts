import type { Value } from '../schema/column.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { IndexedTexts } from '../storage/row-store.ts';
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
import { Dictionary } from './dictionary.ts';
import { PendingRows } from './pending-rows.ts';
import type { Segment } from './segment.ts';
import { type Batch, SegmentBuilder } from './segment-builder.ts';
import { type MergePart, mergedSegment } from './segment-merger.ts';
import { type AscendingSlots, type SlotBlocks, united } from './slot-blocks.ts';
import { lookedUp } from './term-lookup.ts';

/** Slots per step: some ten microseconds of work. */
const SLOTS_PER_STEP = 64;
/** UTF-16 units of text per step, for the same reason. */
const UNITS_PER_STEP = 2048;
/** Terms to count per step. */
const TERMS_PER_STEP = 4096;

/** The maximum number of UTF-16 units of text in a new segment. */
const MAX_UNITS = 0x100000;

/** The bytes of a new term, as measured. A row adds about one, until the dictionary is full. */
const BYTES_PER_TERM = 64;

/** The result of looking up texts. Must be used before the next write. */
export interface Probe {
  /** The estimated number of candidates. */
  readonly estimate: number;
  /** The estimated number of those whose row may not contain the texts. */
  readonly inDoubt: number;
  /** All rows from this slot on are candidates. */
  readonly unindexedFrom: number;
  /**
   * Returns the slots of the candidates below `unindexedFrom`, ascending. Later writes do not
   * change them.
   *
   * @param recheck gets the candidates in doubt
   */
  slots(recheck?: Recheck): SlotBlocks;
}

/** Drops candidates that do not match. */
export type Recheck = (candidates: SlotBlocks) => SlotBlocks;

const everyCandidate: Recheck = (candidates) => candidates;

/**
 * A substring index: finds rows whose folded text contains other texts, by the terms of both. New
 * and changed rows are pending, and every search looks through them. Background work moves them
 * into immutable segments, and merges segments as they become many. A segment may list rows that
 * have changed or been deleted since. So a search finds candidates: all matching rows, and
 * possibly others. Only of a word, or a part of one, a segment knows exactly which rows have it,
 * as long as none of its rows changes; all other candidates have to be rechecked.
 *
 * A substring of a text folds to a substring of the folded text. So an index of folded texts
 * serves case-sensitive searches too.
 */
export class SubstringIndex {
  readonly kind = 'substring';
  readonly #column: string;
  readonly #texts: IndexedTexts;
  readonly #builders: SegmentBuilder[];
  readonly #pending = new PendingRows();
  #dictionary = new Dictionary();
  #segments: readonly Segment[] = [];
  /** The bytes of the segments and of the dictionary. */
  #indexedBytes = 0;
  #entries = 0;
  /** The segments that list a row whose text has changed since. */
  readonly #outdated = new Set<Segment>();
  /** The generation in which an indexed row changed last. */
  #changedIn = 0;
  /** The segments to merge next. */
  #mergeable: readonly Segment[] | undefined;
  /** The number of pending rows that searches have looked through since rows were last indexed. */
  #scanned = 0;
  #generation = 0;

  /**
   * @param texts the texts of the column
   * @param builders idle builders, which all indexes of a table share
   */
  constructor(column: string, texts: IndexedTexts, builders: SegmentBuilder[]) {
    this.#column = column;
    this.#texts = texts;
    this.#builders = builders;
  }

  /** Replaces the row of a slot. Idempotent. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    // Only a segment may list the row, and segments list deleted rows until they are merged.
    if (!after && !this.#pending.isQueued(slot)) return;
    const text = after?.[this.#column];
    const old = before?.[this.#column];
    if (before && typeof text === 'string' && text === old) return;
    this.#pending.note(slot, lengthOf(old) ?? 0, lengthOf(text));
    if (after && slot < this.#pending.unindexedFrom) this.#outdate(slot);
  }

  /**
   * Looks up the rows whose text may contain some folded texts.
   *
   * @returns undefined if they are too short, or in too many terms, for the index to help
   */
  probe(texts: readonly string[]): Probe | undefined {
    const parts = lookedUp(texts, this.#dictionary, this.#segments, this.#entries);
    const [rarest] = parts;
    if (!rarest) return undefined;
    const pending = this.#pending.size;
    const segments = this.#segments.map((segment) => ({
      segment,
      isExact: segment.isExactFor(rarest) && !this.#outdated.has(segment),
    }));
    const inexact = segments.filter(({ isExact }) => !isExact);
    const estimate = pending + Math.ceil(rarest.share * this.#entries);
    return {
      estimate,
      inDoubt: pending + Math.ceil(rarest.share * entriesOf(inexact.map((each) => each.segment))),
      unindexedFrom: this.#pending.unindexedFrom,
      slots: (recheck = everyCandidate) => {
        this.#scanned += this.#pending.size;
        const lists: AscendingSlots[] = [];
        for (const { from, blocks } of this.#pending.slots()) {
          lists.push({ from, blocks: recheck(blocks) });
        }
        for (const { segment, isExact } of segments) {
          const candidates = segment.slotsWith(parts);
          const blocks = isExact ? candidates : recheck(candidates);
          lists.push({ from: segment.slots[0] ?? 0, blocks });
        }
        return united(lists, estimate);
      },
    };
  }

  /**
   * Memory held, and the maximum memory that indexing pending rows will add, in bytes. What lasts
   * only while a segment is being built is not included.
   */
  get bytes(): number {
    const { size, bytes, reservedBytes } = this.#pending;
    const newTerms = Math.min(size, this.#dictionary.room) * BYTES_PER_TERM;
    return this.#indexedBytes + bytes + reservedBytes + newTerms;
  }

  /** Whether there is work to do. */
  get isPending(): boolean {
    return this.#hasBatch || this.#mergeable !== undefined || needsCompaction(this.#size);
  }

  /** Whether the work should not wait for an idle moment. */
  get isUrgent(): boolean {
    return indexingPaysOff(this.#scanned, this.#pending.size);
  }

  /** Does a part of the work, in short steps. */
  *work(): Generator<void> {
    if (this.#hasBatch) yield* this.#indexBatch();
    else if (this.#mergeable) yield* this.#merge(this.#mergeable);
    else if (needsCompaction(this.#size)) yield* this.#compact();
  }

  /** Notes that an indexed row has another text than the segments that list it know. */
  #outdate(slot: number): void {
    this.#changedIn = this.#generation;
    for (const segment of this.#segments) if (segment.has(slot)) this.#outdated.add(segment);
  }

  get #hasBatch(): boolean {
    return this.#pending.queued >= MIN_BATCH;
  }

  get #size(): IndexSize {
    return { entries: this.#entries, rows: this.#texts.rowCount() };
  }

  *#indexBatch(): Generator<void> {
    const batch = this.#pending.take(MAX_BATCH);
    this.#scanned = 0;
    let done = false;
    try {
      yield* this.#build(batch);
      done = true;
    } finally {
      if (done) this.#pending.indexed(batch);
      else this.#pending.putBack(batch);
    }
  }

  /**
   * Builds segments of ascending slots. A row that changes meanwhile becomes pending, and is
   * indexed again later.
   */
  *#build(slots: readonly number[]): Generator<void> {
    let batch = this.#newBatch();
    let units = 0;
    let unitsInStep = 0;
    for (const slot of slots) {
      const text = this.#texts.text(slot);
      const length = text?.length ?? 0;
      if (text !== null) {
        batch.slots.push(slot);
        batch.texts.push(text);
      }
      units += length;
      unitsInStep += 1 + length;
      if (units >= MAX_UNITS) {
        yield* this.#buildSegment(batch);
        batch = this.#newBatch();
        units = 0;
      }
      if (unitsInStep < UNITS_PER_STEP) continue;
      unitsInStep = 0;
      yield;
    }
    yield* this.#buildSegment(batch);
  }

  #newBatch(): { generation: number; slots: number[]; texts: string[] } {
    return { generation: ++this.#generation, slots: [], texts: [] };
  }

  *#buildSegment(batch: Batch): Generator<void> {
    const builder = this.#builders.pop() ?? new SegmentBuilder();
    const segment = yield* builder.build(batch, this.#dictionary);
    this.#builders.push(builder);
    yield* this.#replaceSegments([], segment);
  }

  /** Merges some segments into one, without the rows that have changed since. */
  *#merge(segments: readonly Segment[]): Generator<void> {
    const generation = ++this.#generation;
    const parts: MergePart[] = [];
    for (const segment of segments) {
      const slots: number[] = [];
      for (const block of this.#liveSlots(segment)) {
        for (const slot of block) slots.push(slot);
        yield;
      }
      parts.push({ segment, slots });
    }
    yield* this.#replaceSegments(segments, yield* mergedSegment(parts, generation));
  }

  /** Merges all segments if they are small, otherwise those that are mostly dead. */
  *#compact(): Generator<void> {
    yield* this.#merge(isSmall(this.#size) ? this.#segments : yield* this.#mostlyDead());
  }

  /**
   * Returns segments that are mostly dead: the first one, and more as long as their live rows
   * together fit into a batch.
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
   * Lists the slots for which a segment is still up to date: those whose row has a text that has
   * not changed since, and that no later segment lists. If a later segment lists a slot, it is up
   * to date, because it was built after the last change of the row.
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

  *#replaceSegments(old: readonly Segment[], added: Segment): Generator<void> {
    const others = this.#segments.filter((each) => !old.includes(each));
    for (const segment of old) this.#outdated.delete(segment);
    if (this.#changedIn >= added.generation) this.#outdated.add(added);
    this.#segments = added.slots.length > 0 ? [...others, added] : others;
    this.#entries = entriesOf(this.#segments);
    const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
    this.#indexedBytes = this.#segments.length === 0 ? 0 : this.#dictionary.bytes + bytes;
    this.#mergeable = mergeable(this.#segments);
    if (this.#segments.length === 0) {
      this.#dictionary = new Dictionary();
      return;
    }
    yield* this.#count(added, 1);
    for (const segment of old) yield* this.#count(segment, -1);
  }

  /** Adds the rows of a segment to those of each term, or takes them away. */
  *#count({ terms }: Segment, sign: 1 | -1): Generator<void> {
    for (let list = 0; list < terms.keys.length; list++) {
      this.#dictionary.addRows(terms.keys[list] ?? 0, sign * terms.count(list));
      if (list % TERMS_PER_STEP === TERMS_PER_STEP - 1) yield;
    }
  }
}

function entriesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { slots }) => sum + slots.length, 0);
}

function lengthOf(value: Value | null | undefined): number | undefined {
  return typeof value === 'string' ? value.length : undefined;
}
