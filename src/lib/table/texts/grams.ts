import { fold } from '../text/case-folding.ts';

/** The shortest text that has a gram, in UTF-16 units. */
const SHORTEST = 3;

/** The UTF-16 units of a search text that are looked up. Few rows contain all of them. */
const MAX_UNITS = 48;

/** Returns the folded beginning of a text that is looked up; undefined if it has no gram. */
export function searchedPart(text: string): string | undefined {
  const part = fold(text).slice(0, MAX_UNITS);
  return part.length >= SHORTEST ? part : undefined;
}

/**
 * Returns the hashes of the grams of a folded text, those that exclude most rows first: of four units
 * before those of three, and for each length, grams that do not overlap before those between them.
 */
export function gramsOf(text: string): readonly number[] {
  const hashes: number[] = [];
  for (let units = SHORTEST + 1; units >= SHORTEST; units--) {
    for (let first = 0; first < units; first++) {
      for (let from = first; from + units <= text.length; from += units) {
        hashes.push(hashOf(text, from, from + units));
      }
    }
  }
  return hashes;
}

/** Returns the hash of the units of a text from `from` up to `to` (exclusive). */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = extendHash(hash, text.charCodeAt(i));
  return mixHash(hash);
}

/** Returns the hash of a text with one more unit (Rabin and Karp, 1987). */
export function extendHash(hash: number, unit: number): number {
  return (Math.imul(hash, 0x9e3779b1) + unit) | 0;
}

/** Mixes the bits of a hash. The upper half then depends on all bits. */
export function mixHash(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}
