/** Bits per word. */
export const BITS = 32;

/** Counts the set bits of a word (Warren, Hacker's Delight, 5-1). */
export function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const quads = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((quads + (quads >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
