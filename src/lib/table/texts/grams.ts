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

/** Returns the distinct hashes of the grams of a folded text: of three and of four units. */
export function gramsOf(text: string): readonly number[] {
  const hashes: number[] = [];
  const add = (hash: number) => {
    if (!hashes.includes(hash)) hashes.push(hash);
  };
  for (let end = SHORTEST; end <= text.length; end++) {
    add(hashOf(text, end - SHORTEST, end));
    if (end > SHORTEST) add(hashOf(text, end - SHORTEST - 1, end));
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
