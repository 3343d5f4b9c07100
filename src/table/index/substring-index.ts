import type { StoredRow } from '../layout.ts';
import { ascending } from './ascending.ts';
import type { Segment } from './segment.ts';
import { type Batch, SegmentBuilder } from './segment-builder.ts';
import { mergedSegments, type Part } from './segment-merge.ts';

/** Waiting rows that are worth a segment, when there is time. */
const TAIL_WORTH_INDEXING = 64;
/** Waiting rows that get one even if there is none: a segment costs some ten microseconds, however small it is. */
const TAIL_PRESSING = 2048;
/** Waiting rows at which a write builds the segment itself, so that searches stay fast. */
const TAIL_LIMIT = 4096;
/** Segments of about one size that are merged into one. */
const FANOUT = 8;
/** Segments about as large as this, and larger ones, are not merged any more. */
const LARGEST_TIER = 3;
/** Entries of dead rows that are not worth compacting. */
const GARBAGE_ALLOWED = 2 * TAIL_LIMIT;

/** Rows between two chances to pause: some ten microseconds of work. */
const ROWS_PER_STEP = 256;

/** What a set of numbers takes per member, about. */
const BYTES_PER_WAITING_ROW = 32;

/** Where an index reads the texts it is about. */
export interface FoldedTexts {
  /** The number of rows, with a text or without. */
  rowCount(): number;
  /** The folded text of a slot; null or undefined where there is none. */
  folded(slot: number): string | null | undefined;
}

/** What an index knows about some trigrams. To be used before the next write. */
export interface Probe {
  /** About how many candidates there are. */
  readonly estimate: number;
  /** The slots, ascending, of all rows whose text may have all the trigrams. */
  slots(): number[];
}

/**
 * Finds the rows whose folded text contains other texts, by their trigrams. New and changed rows
 * wait in a tail that every search looks through; from there they come into immutable segments,
 * which are merged as they grow in number. A segment may list rows that were changed or deleted
 * since, so what is found are candidates, and never less than all of them: a row is in the tail
 * from the moment its text changes until a segment with that text is in place.
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
  #tail = new Set<number>();
  /** Taken out of the tail for segments that are not in place yet. */
  readonly #leaving = new Set<ReadonlySet<number>>();
  #born = 0;

  /** @param builders idle builders, which all indexes of a table share */
  constructor(column: string, texts: FoldedTexts, builders: SegmentBuilder[]) {
    this.#column = column;
    this.#texts = texts;
    this.#builders = builders;
  }

  /** Notes that a slot's row is another one now. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    const text = after?.[this.#column];
    if (typeof text !== 'string') this.#tail.delete(slot);
    else if (text !== before?.[this.#column]) this.#tail.add(slot);
  }

  /** Finds, as of now, the rows whose text may have all of some trigrams. */
  probe(keys: readonly number[]): Probe {
    const waiting = [...this.#leaving, this.#tail];
    const hits = this.#segments.map((segment) => ({ segment, lists: segment.listsOf(keys) }));
    let estimate = 0;
    for (const slots of waiting) estimate += slots.size;
    for (const { segment, lists } of hits) {
      if (lists[0] !== undefined) estimate += segment.lengthOf(lists[0]);
    }
    return {
      estimate,
      slots: () => {
        const found: number[] = [];
        for (const { segment, lists } of hits) segment.collect(lists, found);
        for (const slots of waiting) for (const slot of slots) found.push(slot);
        return ascending(found);
      },
    };
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const waiting = this.#tail.size * BYTES_PER_WAITING_ROW;
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, waiting);
  }

  /** Makes room in a full tail at once. To be called before a write, not within one. */
  makeRoom(): void {
    if (this.#tail.size < TAIL_LIMIT) return;
    const work = this.#indexTail();
    while (!work.next().done);
  }

  /** Whether `tidy` has something to do. */
  get untidy(): boolean {
    return this.#hasTail || this.#mergeable !== undefined || this.#isLittered;
  }

  /** Whether `tidy` should not wait for a quiet moment. */
  get pressing(): boolean {
    return this.#tail.size >= TAIL_PRESSING;
  }

  /** Indexes the tail, merges segments and drops dead entries, in short steps between writes. */
  *tidy(): Generator<void> {
    while (this.#hasTail) yield* this.#indexTail();
    for (let some = this.#mergeable; some; some = this.#mergeable) yield* this.#merge(some);
    if (this.#isLittered) yield* this.#compact();
  }

  get #hasTail(): boolean {
    return this.#tail.size >= TAIL_WORTH_INDEXING;
  }

  *#indexTail(): Generator<void> {
    const waiting = new Set(firstOf(this.#tail, TAIL_LIMIT));
    for (const slot of waiting) this.#tail.delete(slot);
    this.#leaving.add(waiting);
    let done = false;
    try {
      const batch = this.#batch(++this.#born, ascending([...waiting]));
      const builder = this.#builders.pop() ?? new SegmentBuilder();
      const segment = yield* builder.build(batch);
      this.#builders.push(builder);
      this.#replaceSegments([], segment);
      done = true;
    } finally {
      this.#leaving.delete(waiting);
      if (!done) for (const slot of waiting) this.#tail.add(slot);
    }
  }

  /** The texts of slots, as they are now. */
  #batch(born: number, slots: readonly number[]): Batch {
    const indexed: number[] = [];
    const texts: string[] = [];
    for (const slot of slots) {
      const text = this.#texts.folded(slot);
      if (typeof text !== 'string') continue;
      indexed.push(slot);
      texts.push(text);
    }
    return { born, slots: indexed, texts };
  }

  *#merge(some: readonly Segment[]): Generator<void> {
    // What is indexed from here on is later than the new segment, whose entries are older.
    const born = ++this.#born;
    const parts: Part[] = [];
    for (const segment of some) parts.push({ segment, kept: yield* this.#needed(segment) });
    this.#replaceSegments(some, yield* mergedSegments(born, parts));
  }

  /** With more dead entries than living ones, some segment is mostly dead. */
  get #isLittered(): boolean {
    return this.#entries > 2 * this.#texts.rowCount() + GARBAGE_ALLOWED;
  }

  /** Shrinks the segments that are mostly dead; when they are small, they are merged again. */
  *#compact(): Generator<void> {
    for (const segment of this.#segments) {
      const kept = yield* this.#needed(segment);
      if (kept.length < segment.slots.length / 2) yield* this.#merge([segment]);
    }
  }

  /**
   * The rows of a segment for which it is still needed: those that have a text, unless that waits
   * in the tail or was indexed later. A later segment is right about it, since it was read after
   * the slot had left the tail for the last time.
   */
  *#needed(segment: Segment): Generator<void, number[]> {
    const later = this.#segments.filter(({ born }) => born > segment.born);
    const needed: number[] = [];
    for (const [row, slot] of segment.slots.entries()) {
      if (row % ROWS_PER_STEP === 0) yield;
      if (this.#tail.has(slot) || typeof this.#texts.folded(slot) !== 'string') continue;
      if (!later.some((each) => each.has(slot))) needed.push(row);
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
  const ratio = segment.slots.length / TAIL_WORTH_INDEXING;
  return Math.max(0, Math.round(Math.log(ratio) / Math.log(FANOUT)));
}

function* firstOf<T>(values: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const value of values) {
    if (left-- === 0) return;
    yield value;
  }
}
