import { fold } from './case-folding.ts';

/**
 * Compares two texts by code point, as BINARY in SQLite does. `<` compares UTF-16 code units, which
 * puts the astral planes before U+E000.
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
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The UTF-16 units to fold and compare first. After a tie, four times as many follow. */
const FIRST_UNITS = 16;

/** Compares two texts by case folding, and ties by code point. */
export function compareIgnoringCase(a: string, b: string): number {
  return compareFoldings(a, b) || compareText(a, b);
}

function compareFoldings(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x > 0x7f || y > 0x7f) return compareRest(a.slice(startAt(a, i)), b.slice(startAt(b, i)));
    const order = inLowerCase(x) - inLowerCase(y);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares foldings piece by piece, because most texts differ early. */
function compareRest(a: string, b: string): number {
  for (let units = FIRST_UNITS; ; units *= 4) {
    const x = fold(a.slice(0, startAt(a, units)));
    const y = fold(b.slice(0, startAt(b, units)));
    // One code point may fold to several, so the pieces may differ in length.
    const length = Math.min(x.length, y.length);
    const order = compareText(x.slice(0, length), y.slice(0, length));
    if (order !== 0) return order;
    if (units >= a.length && units >= b.length) return x.length - y.length;
  }
}

function startAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

function inLowerCase(unit: number): number {
  return unit > 0x40 && unit < 0x5b ? unit + 0x20 : unit;
}
