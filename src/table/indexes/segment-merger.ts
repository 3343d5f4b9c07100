import { lowerBound } from './binary-search.ts';
import { BitSet } from './bit-set.ts';
import type { PostingLists } from './posting-lists.ts';
import { PostingListsWriter } from './posting-lists-writer.ts';
import { Segment } from './segment.ts';
import { inBlocks, united } from './slot-blocks.ts';

/** Rows to renumber per step: some ten microseconds of work. */
const ROWS_PER_STEP = 4096;

/** A segment to merge. */
export interface MergePart {
  readonly segment: Segment;
  /** The slots to keep, ascending. No other part has them. */
  readonly slots: readonly number[];
}

/** For each row of a segment, its row in the merged segment; -1 for a row that is not kept. */
type Renumbering = Int32Array;

/**
 * Merges segments without their texts, by renumbering the rows of their posting lists. The caller
 * may pause after each step.
 */
export function* mergedSegment(
  parts: readonly MergePart[],
  generation: number,
): Generator<void, Segment> {
  const slots = yield* allSlots(parts);
  const terms: Source[] = [];
  const trigrams: Source[] = [];
  for (const part of parts) {
    const renumbering = yield* renumbered(part, slots);
    terms.push({ lists: part.segment.terms, renumbering, next: 0 });
    trigrams.push({ lists: part.segment.trigrams, renumbering, next: 0 });
  }
  return new Segment({
    generation,
    slots,
    terms: yield* merged(terms, slots.length),
    trigrams: yield* merged(trigrams, slots.length),
  });
}

/** Returns the slots of all parts, ascending. */
function* allSlots(parts: readonly MergePart[]): Generator<void, Float64Array> {
  const slots = new Float64Array(parts.reduce((sum, part) => sum + part.slots.length, 0));
  const ascending = parts.map((part) => ({
    from: part.slots[0] ?? 0,
    blocks: inBlocks(part.slots),
  }));
  let count = 0;
  for (const block of united(ascending)) {
    slots.set(block, count);
    count += block.length;
    yield;
  }
  return slots;
}

function* renumbered(part: MergePart, slots: Float64Array): Generator<void, Renumbering> {
  const rows = new Int32Array(part.segment.slots.length).fill(-1);
  let row = 0;
  let to = lowerBound(slots, part.slots[0] ?? 0);
  for (const [i, slot] of part.slots.entries()) {
    while (part.segment.slots[row] !== slot) row++;
    while (slots[to] !== slot) to++;
    rows[row] = to;
    if (i % ROWS_PER_STEP === 0) yield;
  }
  return rows;
}

/** Posting lists to merge, and what becomes of their rows. */
interface Source {
  readonly lists: PostingLists;
  readonly renumbering: Renumbering;
  /** The next list. */
  next: number;
}

/** Merges the lists of each key. */
function* merged(sources: readonly Source[], rowCount: number): Generator<void, PostingLists> {
  const writer = new PostingListsWriter(rowCount);
  const rows = new RenumberedRows(sources, rowCount);
  for (let work = 0; ; ) {
    const key = leastKey(sources);
    if (key === undefined) return writer.lists();
    for (const source of sources) {
      work++;
      if (source.lists.keys[source.next] === key) work += rows.add(source, source.next++);
    }
    rows.writeTo(writer, key);
    if (work < ROWS_PER_STEP) continue;
    work = 0;
    yield;
  }
}

/** Returns the least of the next keys; undefined if there is none. */
function leastKey(sources: readonly Source[]): number | undefined {
  let least: number | undefined;
  for (const { lists, next } of sources) {
    const key = lists.keys[next];
    if (key !== undefined && (least === undefined || key < least)) least = key;
  }
  return least;
}

/** The rows of one key in the merged segment. */
class RenumberedRows {
  count = 0;
  readonly #rowCount: number;
  /** The rows of a list as they were. */
  readonly #decoded: Int32Array;
  readonly #rows: Int32Array;
  #isAscending = true;
  readonly #bits = new BitSet();

  constructor(sources: readonly Source[], rowCount: number) {
    const longest = Math.max(0, ...sources.map(({ renumbering }) => renumbering.length));
    this.#rowCount = rowCount;
    this.#decoded = new Int32Array(longest);
    this.#rows = new Int32Array(rowCount);
  }

  /** Adds the rows of a list that are kept; returns how many it has. */
  add({ lists, renumbering }: Source, list: number): number {
    const decoded = this.#decoded;
    const rows = this.#rows;
    const length = lists.decode(list, decoded);
    let { count } = this;
    let last = count === 0 ? -1 : (rows[count - 1] ?? -1);
    for (let i = 0; i < length; i++) {
      const row = renumbering[decoded[i] ?? 0] ?? -1;
      if (row < 0) continue;
      if (row < last) this.#isAscending = false;
      last = row;
      rows[count++] = row;
    }
    this.count = count;
    return length;
  }

  /** Writes the rows, if there are any, as the list of a key, and forgets them. */
  writeTo(writer: PostingListsWriter, key: number): void {
    if (!this.#isAscending) this.#sort();
    if (this.count > 0) writer.append(key, this.#rows, 0, this.count);
    this.count = 0;
    this.#isAscending = true;
  }

  /** Sorts by a bitmap, in linear time. */
  #sort(): void {
    const bits = this.#bits;
    bits.begin(this.#rowCount);
    for (let i = 0; i < this.count; i++) bits.add(this.#rows[i] ?? 0);
    this.count = bits.moveTo(this.#rows);
  }
}
