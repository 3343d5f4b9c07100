/** A chunk has the rows of this many consecutive ids (decision 6). */
export const CHUNK_SLOTS = 512;

const WORD_BITS = 32;

/** The words of a mask. */
export const WORDS = CHUNK_SLOTS / WORD_BITS;

/**
 * Some entries of a chunk: bit `n % 32` of word `n / 32` stands for the entry at index `n`. A plain
 * array, because creating a typed array takes longer than a search of a chunk.
 */
export type Mask = number[];

/** Filled by `push`, because V8 reads an array without holes faster. */
const EMPTY: Mask = [];
while (EMPTY.length < WORDS) EMPTY.push(0);

export function emptyMask(): Mask {
  return EMPTY.slice();
}

/** Returns a word of a mask. Used for masks only, because V8 makes it slower for other arrays. */
export function wordAt(mask: Mask, word: number): number {
  return mask[word] ?? 0;
}

export function copyMask(from: Mask, to: Mask): void {
  for (let w = 0; w < WORDS; w++) to[w] = wordAt(from, w);
}

/** Fills a mask with the first `count` indexes. */
export function fillMask(mask: Mask, count: number): void {
  for (let w = 0; w < WORDS; w++) {
    const left = count - w * WORD_BITS;
    // A shift by 32 bits would be one by none.
    mask[w] = left >= WORD_BITS ? -1 : left > 0 ? -1 >>> (WORD_BITS - left) : 0;
  }
}

/** Adds an index to a mask. */
export function addIndex(mask: Mask, index: number): void {
  const word = index >>> 5;
  mask[word] = wordAt(mask, word) | (1 << index);
}

/** Adds the indexes of another mask. */
export function unite(mask: Mask, other: Mask): void {
  for (let w = 0; w < WORDS; w++) mask[w] = wordAt(mask, w) | wordAt(other, w);
}

/** Removes the indexes that are not in another mask. */
export function intersect(mask: Mask, other: Mask): void {
  for (let w = 0; w < WORDS; w++) mask[w] = wordAt(mask, w) & wordAt(other, w);
}

/** Returns the index of the lowest bit of a word of a mask. */
export function lowestIndex(word: number, bits: number): number {
  return word * WORD_BITS + 31 - Math.clz32(bits & -bits);
}

/** Counts the indexes in a mask (Warren, Hacker's Delight, 5-1). */
export function countIndexes(mask: Mask): number {
  let count = 0;
  for (let w = 0; w < WORDS; w++) {
    const word = wordAt(mask, w);
    if (word === 0) continue;
    const pairs = word - ((word >>> 1) & 0x55555555);
    const quads = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
    count += Math.imul((quads + (quads >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

export function isEmpty(mask: Mask): boolean {
  for (let w = 0; w < WORDS; w++) if (mask[w] !== 0) return false;
  return true;
}
