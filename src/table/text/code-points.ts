/**
 * Compares two texts by code point, which is the order of their UTF-8 bytes (BINARY in SQLite, the
 * `C` collation in PostgreSQL). `<` in JavaScript compares UTF-16 code units, which puts the
 * astral planes before U+E000.
 *
 * @returns a number less than, equal to or greater than zero
 */
export function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Ranks surrogates above the rest of the basic plane, as the code points they encode are. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Counts the code points of a text. A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 1; i < text.length; i++) {
    const isPair =
      isSurrogate(text.charCodeAt(i - 1), 0xd800) && isSurrogate(text.charCodeAt(i), 0xdc00);
    if (isPair) length--;
  }
  return length;
}

/** Whether a code unit is a surrogate of one half: 0xd800 for high, 0xdc00 for low. */
function isSurrogate(unit: number, half: number): boolean {
  return (unit & 0xfc00) === half;
}
