/** Bits per word. */
export const BITS = 32;

/** Slots as the bits of words, without the words that have none. */
export interface SparseWords {
  /** The number of each word: any of its slots divided by `BITS`. */
  readonly numbers: readonly number[];
  /** The bits of each word. */
  readonly bits: readonly number[];
}

/** Counts the set bits of a word (Warren, Hacker's Delight, 5-1). */
export function onesIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const quads = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((quads + (quads >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Makes words of slots. The closer together these are, the fewer words there are. */
export function wordsOf(slots: readonly number[]): SparseWords {
  const numbers: number[] = [];
  const bits: number[] = [];
  let last = -1;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] ?? 0;
    const number = Math.floor(slot / BITS);
    if (number !== last) {
      numbers.push(number);
      bits.push(0);
      last = number;
    }
    const at = bits.length - 1;
    bits[at] = (bits[at] ?? 0) | (1 << (slot % BITS));
  }
  return { numbers, bits };
}
