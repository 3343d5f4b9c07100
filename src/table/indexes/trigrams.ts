/** The number of trigram keys. */
export const KEY_COUNT = 0x10000;

/** The length of a trigram in UTF-16 units. Shorter search texts have no trigrams. */
export const TRIGRAM_LENGTH = 3;

/**
 * Hashes three consecutive UTF-16 units to 16 bits. Collisions only add candidates, and every
 * candidate is checked.
 */
export function trigramKey(a: number, b: number, c: number): number {
  const hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return hash >>> 16;
}

/** Returns the keys of all trigrams in some texts, without duplicates. */
export function trigramKeys(texts: readonly string[]): number[] {
  const keys = new Set<number>();
  for (const text of texts) {
    for (let i = TRIGRAM_LENGTH; i <= text.length; i++) {
      keys.add(trigramKey(text.charCodeAt(i - 3), text.charCodeAt(i - 2), text.charCodeAt(i - 1)));
    }
  }
  return [...keys];
}
