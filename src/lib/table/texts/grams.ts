import { fold } from '../text/case-folding.ts';

/** The shortest text that has a gram, in UTF-16 units. */
const SHORTEST = 3;

/** The UTF-16 units of a search text that are looked up. Few rows contain all of them. */
const MAX_UNITS = 48;

/** The distinct hashes of the grams of a search text. */
export interface Grams {
  /** The hashes of grams of three units. */
  readonly threes: readonly number[];
  /** The hashes of grams of three units, then of four. */
  readonly all: readonly number[];
}

/** Returns the folded beginning of a text that is looked up; undefined if it has no gram. */
export function searchedPart(text: string): string | undefined {
  const part = fold(text).slice(0, MAX_UNITS);
  return part.length >= SHORTEST ? part : undefined;
}

/** Returns the grams of a folded text. */
export function gramsOf(text: string): Grams {
  const threes: number[] = [];
  const fours: number[] = [];
  for (let end = SHORTEST; end <= text.length; end++) {
    const three = hashOf(text, end - SHORTEST, end);
    if (!threes.includes(three)) threes.push(three);
    if (end === SHORTEST) continue;
    const four = hashOf(text, end - SHORTEST - 1, end);
    if (!fours.includes(four)) fours.push(four);
  }
  return { threes, all: threes.concat(fours) };
}

/** Returns the hash of the units of a text from `from` up to `to` (exclusive). */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = longer(hash, text.charCodeAt(i));
  return mixed(hash);
}

/** Returns the hash of a text with one more unit (Rabin and Karp, 1987). */
export function longer(hash: number, unit: number): number {
  return (Math.imul(hash, 0x9e3779b1) + unit) | 0;
}

/** Mixes the bits of a hash. The upper half then depends on all bits. */
export function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}
