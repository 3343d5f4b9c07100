import type { Chunk } from '../state/chunk.ts';
import type { Entry } from '../state/entry.ts';
import {
  copyMask,
  countIndexes,
  emptyMask,
  fillMask,
  isEmpty,
  lowestIndex,
  type Mask,
  WORDS,
  wordAt,
} from '../state/mask.ts';
import type { Criterion } from './criteria.ts';
import type { Pace } from './pace.ts';

/** The rows of a chunk that match. */
export interface ChunkMatches {
  readonly chunk: Chunk;
  readonly rows: Mask;
  readonly count: number;
}

/**
 * The work to narrow the rows of a chunk. It may derive sections, which takes up to 20 µs, and ten times
 * as long before V8 has compiled it.
 */
const NARROWING_BYTES = 16 * 1024;

/** Finds the rows of each chunk that match, in steps. Leaves out chunks without any. */
export function* findMatches(
  chunks: readonly Chunk[],
  criteria: readonly Criterion[],
  pace: Pace,
): Generator<undefined, readonly ChunkMatches[]> {
  const found: ChunkMatches[] = [];
  // Used for all chunks, because in most of them no row matches.
  const [rows, untested]: [Mask, Mask] = [emptyMask(), emptyMask()];
  const toTest: Criterion[] = [];
  for (const chunk of chunks) {
    fillMask(rows, chunk.entries.length);
    toTest.length = 0;
    for (const criterion of criteria) {
      if (criterion.narrow(chunk, rows)) toTest.push(criterion);
      if (pace.spend(NARROWING_BYTES)) yield;
      if (isEmpty(rows)) break;
    }
    for (const criterion of toTest) {
      copyMask(rows, untested);
      while (testRows(chunk.entries, criterion, rows, untested, pace)) yield;
    }
    if (isEmpty(rows)) continue;
    found.push({ chunk, rows: rows.slice(), count: countIndexes(rows) });
  }
  return found;
}

/**
 * Tests rows that are untested until the step is over, and removes those that fail. Not part of the
 * generator, where V8 runs such a loop more slowly.
 * @returns whether rows may be left
 */
function testRows(
  entries: readonly Entry[],
  criterion: Criterion,
  rows: Mask,
  untested: Mask,
  pace: Pace,
): boolean {
  const { test, evaluations } = criterion;
  for (let w = 0; w < WORDS; w++) {
    let left = wordAt(untested, w);
    let passed = wordAt(rows, w);
    let isOver = false;
    for (; left !== 0 && !isOver; left &= left - 1) {
      const entry = entries[lowestIndex(w, left)];
      if (!entry) continue;
      if (!test(entry)) passed &= ~(left & -left);
      isOver = pace.spend(evaluations * entry.bytes);
    }
    rows[w] = passed;
    untested[w] = left;
    if (isOver) return true;
  }
  return false;
}

/** Lists matching entries, in ascending order of id: those from one index up to another. */
export function entriesOf(
  { chunk: { entries }, rows, count }: ChunkMatches,
  from = 0,
  to = count,
): readonly Entry[] {
  if (count === entries.length) {
    return from === 0 && to >= count ? entries : entries.slice(from, to);
  }
  const found: Entry[] = [];
  let index = 0;
  for (let w = 0; w < WORDS; w++) {
    for (let left = wordAt(rows, w); left !== 0; left &= left - 1) {
      if (index === to) return found;
      if (index++ < from) continue;
      const entry = entries[lowestIndex(w, left)];
      if (entry) found.push(entry);
    }
  }
  return found;
}
