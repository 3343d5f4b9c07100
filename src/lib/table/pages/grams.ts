import { fold } from '../text/case-folding.ts';

/** The shortest text that has a gram, in UTF-16 units. */
const SHORTEST = 3;

/** How many UTF-16 units of the texts of a condition are looked up: what has them is rare. */
const MAX_UNITS = 48;

/** The hashes of the grams of texts that are searched for, each once. */
export interface Grams {
  /** Of grams of three units. */
  readonly threes: readonly number[];
  /** Of these and of grams of four units. */
  readonly all: readonly number[];
}

/** Returns the folded beginnings of texts that are looked up, but none too short for a gram. */
export function searchedParts(texts: Iterable<string>): readonly string[] {
  const parts: string[] = [];
  let left = MAX_UNITS;
  for (const text of texts) {
    const part = fold(text).slice(0, left);
    if (part.length >= SHORTEST) parts.push(part);
    left -= Math.max(part.length, SHORTEST);
    if (left < SHORTEST) break;
  }
  return parts;
}

/** Returns the grams of folded texts. */
export function gramsOf(texts: readonly string[]): Grams {
  const [threes, fours]: [number[], number[]] = [[], []];
  const add = (hashes: number[], hash: number) => {
    if (!hashes.includes(hash)) hashes.push(hash);
  };
  for (const text of texts) {
    for (let end = SHORTEST; end <= text.length; end++) {
      add(threes, hashOf(text, end - SHORTEST, end));
      if (end > SHORTEST) add(fours, hashOf(text, end - SHORTEST - 1, end));
    }
  }
  return { threes, all: [...threes, ...fours] };
}

/** Returns the hash of the units of a text from one up to another (exclusive). */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = longer(hash, text.charCodeAt(i));
  return mixed(hash);
}

/** Returns the hash of a text with one more unit (Rabin and Karp, 1987). */
export function longer(hash: number, unit: number): number {
  return (Math.imul(hash, 0x9e3779b1) + unit) | 0;
}

/** Spreads the bits of a hash; those in the upper half depend on all. */
export function mixed(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
}
