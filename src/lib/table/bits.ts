/** A set of positions: bit `n % 32` of word `n / 32` stands for `n`. */
export type Mask = Int32Array;

export const WORD_BITS = 32;

/**
 * Returns a word of a mask; 0 beyond its end. Used for masks only, because V8 makes a function that
 * reads several types of arrays slower.
 */
export function wordAt(mask: Mask, index: number): number {
  return mask[index] ?? 0;
}

/** Removes a position from a mask. */
export function clearBit(mask: Mask, at: number): void {
  mask[at >>> 5] = wordAt(mask, at >>> 5) & ~(1 << at);
}

/** Adds the positions from `from` up to `to` (exclusive) to a mask. */
export function setBits(mask: Mask, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const end = Math.min(to, (at | (WORD_BITS - 1)) + 1);
    const untilEnd = end % WORD_BITS === 0 ? -1 : ~(-1 << end);
    mask[at >>> 5] = wordAt(mask, at >>> 5) | ((-1 << at) & untilEnd);
    at = end;
  }
}

/** Counts the set bits of a word (Warren, Hacker's Delight, 5-1). */
export function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const quads = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((quads + (quads >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Counts the positions in words `from` up to `to` (exclusive) of a mask; by default, in all. */
export function countBits(mask: Mask, from = 0, to = mask.length): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const word = wordAt(mask, i);
    if (word !== 0) count += popCount(word);
  }
  return count;
}

/** Whether words `from` up to `to` (exclusive) of a mask have no position. */
export function isEmpty(mask: Mask, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (mask[i] !== 0) return false;
  return true;
}

/** Lists the positions in words `from` up to `to` (exclusive) of a mask, relative to the first. */
export function positionsIn(mask: Mask, from: number, to: number): number[] {
  const positions: number[] = [];
  for (let w = from; w < to; w++) {
    for (let left = wordAt(mask, w); left !== 0; left &= left - 1) {
      positions.push((w - from) * WORD_BITS + 31 - Math.clz32(left & -left));
    }
  }
  return positions;
}
