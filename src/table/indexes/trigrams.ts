/** The number of trigram keys. */
export const KEY_COUNT = 0x10000;

/** The length of a trigram in UTF-16 units. Shorter search texts have no trigrams. */
export const TRIGRAM_LENGTH = 3;

/**
 * Hashes three consecutive UTF-16 units to 16 bits. Collisions only add candidates, and those found
 * by trigram are always rechecked.
 */
function trigramKey(a: number, b: number, c: number): number {
  const hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return hash >>> 16;
}

/** Returns the key of the trigram that starts at an index. */
export function keyAt(units: Uint16Array, at: number): number {
  return trigramKey(units[at] ?? 0, units[at + 1] ?? 0, units[at + 2] ?? 0);
}

/** Returns the keys of all trigrams of some units, without duplicates. */
export function trigramKeys(units: Uint16Array): readonly number[] {
  const keys = new Set<number>();
  for (let at = 0; at <= units.length - TRIGRAM_LENGTH; at++) keys.add(keyAt(units, at));
  return [...keys];
}
