/**
 * Compares two texts by code point, which is the order of their UTF-8 bytes (SQLite's BINARY, the
 * `C` collation of PostgreSQL). JavaScript's own `<` compares UTF-16 units and puts the astral
 * planes before U+E000.
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

/**
 * Moves surrogates above the rest of the basic plane, where the code points they encode belong.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The number of code points in a text; a lone surrogate is one. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 1; i < text.length; i++) {
    const isPair =
      isSurrogate(text.charCodeAt(i - 1), 0xd800) && isSurrogate(text.charCodeAt(i), 0xdc00);
    if (isPair) length--;
  }
  return length;
}

/** Whether a unit is a surrogate of the half that starts at 0xd800 (high) or 0xdc00 (low). */
function isSurrogate(unit: number, half: number): boolean {
  return (unit & 0xfc00) === half;
}
