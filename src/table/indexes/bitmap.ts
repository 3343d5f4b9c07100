import { inBlocks, type SlotBlocks } from './slot-blocks.ts';

/** The bits of a word. */
export const BITS = 32;
/** The slots of a chunk. */
export const CHUNK_SIZE = 8192;
/** The words of a chunk. */
export const WORDS = CHUNK_SIZE / BITS;

/** A set of slots that does not change, as chunks of words with a bit for each slot. */
export interface Bitmap {
  /** How many slots it has, or more. */
  readonly size: number;
  /** The first chunk that may have slots. */
  readonly first: number;
  /** From this chunk on there are none. */
  readonly end: number;
  /** The words of a chunk; undefined where it has no slots. They must not be written to. */
  words(chunk: number): Int32Array | undefined;
}

const EMPTY: Bitmap = { size: 0, first: 0, end: 0, words: () => undefined };

/** The slots that are in any of some bitmaps. Its size is exact where no slot is in two. */
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

/** The slots that are in each of two bitmaps. */
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

/** Exactly how many slots a bitmap has. */
export function countOf(bitmap: Bitmap): number {
  let count = 0;
  for (let chunk = bitmap.first; chunk < bitmap.end; chunk++) {
    for (const word of bitmap.words(chunk) ?? []) count += onesIn(word);
  }
  return count;
}

/** How many bits of a word are set (Warren, Hacker's Delight, 5-1). */
export function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const quads = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((quads + (quads >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The slots of a bitmap, ascending. */
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
