/** The least and the greatest number of slices, which is a multiple of the step. */
const MIN_SLICES = 64;
export const MAX_SLICES = 8192;
const SLICE_STEP = 16;

/** Slices for each UTF-16 unit of a row's texts, which adds two grams: a fifth of bits are set. */
const SLICES_PER_UNIT = 9;

/** The minimum and the maximum of one slice, in words: of a page, and of 65,536 rows. */
export const MIN_SLICE_WORDS = 128;
export const MAX_SLICE_WORDS = 2048;

/** Returns how many slices suit rows with texts of so many UTF-16 units. */
export function slicesFor(units: number): number {
  const wanted = Math.ceil((units * SLICES_PER_UNIT) / SLICE_STEP) * SLICE_STEP;
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, wanted));
}

/** Returns the distance of slices: multiples of a power of two would share few lines of a cache. */
export function strideOf(words: number): number {
  return words < MIN_SLICE_WORDS ? words : words | 16;
}

/** The slice of a gram, by the first half of its hash. */
export function sliceOf(hash: number, slices: number): number {
  return ((hash >>> 16) * slices) >>> 16;
}
