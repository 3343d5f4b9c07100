import { BITS, onesIn } from './bits.ts';
import { inBlocks, type SlotBlocks } from './slot-blocks.ts';

/** Slots per chunk. */
export const CHUNK_SIZE = 8192;
/** Words per chunk. */
export const WORDS = CHUNK_SIZE / BITS;

/** An immutable set of slots: chunks of words, with one bit per slot. */
export interface Bitmap {
  /** An upper bound for the number of slots. */
  readonly size: number;
  /** The first chunk that may contain slots. */
  readonly first: number;
  /** No chunk from this one on contains slots. */
  readonly end: number;
  /**
   * Returns the words of a chunk; undefined if it contains no slots. They must not be modified.
   */
  words(chunk: number): Int32Array | undefined;
}

const EMPTY: Bitmap = { size: 0, first: 0, end: 0, words: () => undefined };

/** Returns the union of some bitmaps. Its size is exact if they are disjoint. */
export function union(bitmaps: readonly Bitmap[]): Bitmap {
  const held = bitmaps.filter(({ size }) => size > 0);
  const [first, ...others] = held;
  if (!first) return EMPTY;
  if (others.length === 0) return first;
  return {
    size: held.reduce((sum, { size }) => sum + size, 0),
    first: held.reduce((least, bitmap) => Math.min(least, bitmap.first), first.first),
    end: held.reduce((largest, { end }) => Math.max(largest, end), 0),
    words: (chunk) => {
      let result: Int32Array | undefined;
      for (const bitmap of held) {
        const words = bitmap.words(chunk);
        if (!words) continue;
        if (!result) result = words.slice();
        else for (let i = 0; i < WORDS; i++) result[i] = (result[i] ?? 0) | (words[i] ?? 0);
      }
      return result;
    },
  };
}

/** Returns the intersection of two bitmaps. */
export function intersection(a: Bitmap, b: Bitmap): Bitmap {
  return {
    size: Math.min(a.size, b.size),
    first: Math.max(a.first, b.first),
    end: Math.min(a.end, b.end),
    words: (chunk) => {
      const result = a.words(chunk)?.slice();
      const words = result && b.words(chunk);
      if (!words) return undefined;
      for (let i = 0; i < WORDS; i++) result[i] = (result[i] ?? 0) & (words[i] ?? 0);
      return result;
    },
  };
}

/** Counts the slots of a bitmap exactly. */
export function countOf(bitmap: Bitmap): number {
  let count = 0;
  for (let chunk = bitmap.first; chunk < bitmap.end; chunk++) {
    for (const word of bitmap.words(chunk) ?? []) count += onesIn(word);
  }
  return count;
}

/** Lists the slots of a bitmap, ascending. */
export function* slotsOf(bitmap: Bitmap): SlotBlocks {
  for (let chunk = bitmap.first; chunk < bitmap.end; chunk++) {
    const words = bitmap.words(chunk);
    const slots = words && slotsIn(words, chunk * CHUNK_SIZE);
    if (slots?.length === 0) yield [];
    else if (slots) yield* inBlocks(slots);
  }
}

function slotsIn(words: Int32Array, start: number): number[] {
  const slots: number[] = [];
  for (let i = 0; i < WORDS; i++) {
    for (let bits = words[i] ?? 0; bits !== 0; bits &= bits - 1) {
      slots.push(start + i * BITS + 31 - Math.clz32(bits & -bits));
    }
  }
  return slots;
}
