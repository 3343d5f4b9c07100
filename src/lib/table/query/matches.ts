import type { Chunk, Entry } from '../state/chunk.ts';
import {
  copyMask,
  countSlots,
  emptyMask,
  isEmpty,
  lowestSlot,
  type Mask,
  WORDS,
  wordAt,
} from '../state/mask.ts';
import type { Criteria, Test } from './criteria.ts';
import type { Pace } from './pace.ts';

/** Some rows of a chunk. */
export interface Part {
  readonly chunk: Chunk;
  readonly rows: Mask;
  readonly count: number;
}

/** The maximum number of conditions that are tested before the clock is read. */
const TESTS_AT_ONCE = 32;

/** Finds the rows of each chunk that match, in steps. Leaves out chunks without any. */
export function* findMatches(
  chunks: readonly Chunk[],
  { all, usesSignatures, cost }: Criteria,
  pace: Pace,
): Generator<undefined, readonly Part[]> {
  const found: Part[] = [];
  const rowsAtOnce = Math.max(1, Math.floor(TESTS_AT_ONCE / cost));
  // Used for all chunks, because in most of them no row matches.
  const [rows, untested, tests]: [Mask, Mask, Test[]] = [emptyMask(), emptyMask(), []];
  for (const chunk of chunks) {
    if (pace.count(cost)) yield;
    while (usesSignatures && chunk.completeSignature()) {
      if (pace.isOver()) yield;
    }
    const { derived } = chunk;
    const mayMatch = narrowRows(chunk, rows, tests, all);
    // Deriving takes as long as testing all rows.
    if (chunk.derived > derived && pace.isOver()) yield;
    if (!mayMatch) continue;
    if (tests.length > 0) {
      copyMask(rows, untested);
      let tested: number;
      do {
        tested = testRows(chunk, rows, untested, tests, rowsAtOnce);
        if (pace.count(cost * tested)) yield;
      } while (tested === rowsAtOnce);
    }
    addPart(found, chunk, rows);
  }
  return found;
}

function addPart(found: Part[], chunk: Chunk, rows: Mask): void {
  const count = countSlots(rows);
  if (count > 0) found.push({ chunk, rows: rows.slice(), count });
}

/**
 * Finds the rows of a chunk that may match, and the tests that they must pass.
 * @param rows receives the rows
 * @param tests receives the tests
 * @returns whether there are such rows
 */
function narrowRows(chunk: Chunk, rows: Mask, tests: Test[], all: Criteria['all']): boolean {
  tests.length = 0;
  copyMask(chunk.rows, rows);
  for (const { narrow, test } of all) {
    const needsTest = narrow(chunk, rows);
    if (isEmpty(rows)) return false;
    if (needsTest) tests.push(test());
  }
  return true;
}

/**
 * Tests rows that are untested, and removes those that fail. Not part of the generator, where V8 runs
 * such a loop more slowly.
 * @returns the number of tested rows: `most`, unless there are fewer
 */
function testRows(
  chunk: Chunk,
  rows: Mask,
  untested: Mask,
  tests: readonly Test[],
  most: number,
): number {
  const { entries } = chunk;
  let tested = 0;
  for (let w = 0; w < WORDS && tested < most; w++) {
    let left = wordAt(untested, w);
    if (left === 0) continue;
    let passed = wordAt(rows, w);
    for (; left !== 0 && tested < most; tested++) {
      const entry = entries[chunk.indexFrom(lowestSlot(w, left))];
      if (!entry || !passesAll(entry, tests)) passed &= ~(left & -left);
      left &= left - 1;
    }
    rows[w] = passed;
    untested[w] = left;
  }
  return tested;
}

function passesAll({ row }: Entry, tests: readonly Test[]): boolean {
  for (const test of tests) if (!test(row)) return false;
  return true;
}

/** Lists entries of a part, in ascending order of id: those from one index up to another. */
export function entriesOf(part: Part, from = 0, to = part.count): readonly Entry[] {
  const { chunk, rows, count } = part;
  const { entries } = chunk;
  if (count === entries.length) {
    return from === 0 && to >= count ? entries : entries.slice(from, to);
  }
  const found: Entry[] = [];
  let index = 0;
  for (let w = 0; w < WORDS; w++) {
    for (let left = wordAt(rows, w); left !== 0; left &= left - 1) {
      if (index === to) return found;
      if (index++ < from) continue;
      const entry = entries[chunk.indexFrom(lowestSlot(w, left))];
      if (entry) found.push(entry);
    }
  }
  return found;
}
