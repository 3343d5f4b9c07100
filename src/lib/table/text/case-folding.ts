/**
 * Ranges of code points, each as its first and its last. They include all that CaseFolding.txt of
 * Unicode 15.0 folds (statuses C and F), except Cherokee and the dotless i. The list is fixed, so
 * that the result does not depend on the Unicode version of the JavaScript engine.
 */
const RANGES = [
  0x41, 0x5a, 0xb5, 0x130, 0x132, 0x24e, 0x345, 0x376, 0x37f, 0x37f, 0x386, 0x38a, 0x38c, 0x38c,
  0x38e, 0x3a1, 0x3a3, 0x52e, 0x531, 0x556, 0x587, 0x587, 0x10a0, 0x10c5, 0x10c7, 0x10c7, 0x10cd,
  0x10cd, 0x1c80, 0x1c88, 0x1c90, 0x1cba, 0x1cbd, 0x1cbf, 0x1e00, 0x1f0f, 0x1f18, 0x1f1d, 0x1f28,
  0x1f3f, 0x1f48, 0x1f4d, 0x1f50, 0x1f56, 0x1f59, 0x1f59, 0x1f5b, 0x1f5b, 0x1f5d, 0x1f5d, 0x1f5f,
  0x1f6f, 0x1f80, 0x1fb4, 0x1fb6, 0x1fc4, 0x1fc6, 0x1fd3, 0x1fd6, 0x1fdb, 0x1fe2, 0x1fec, 0x1ff2,
  0x1ff4, 0x1ff6, 0x1ffc, 0x2126, 0x2183, 0x24b6, 0x24cf, 0x2c00, 0x2cf2, 0xa640, 0xa69a, 0xa722,
  0xa7c9, 0xa7d0, 0xa7d0, 0xa7d6, 0xa7d8, 0xa7f5, 0xa7f5, 0xfb00, 0xfb06, 0xfb13, 0xfb17, 0xff21,
  0xff3a, 0x10400, 0x10427, 0x104b0, 0x104d3, 0x10570, 0x1057a, 0x1057c, 0x1058a, 0x1058c, 0x10592,
  0x10594, 0x10595, 0x10c80, 0x10cb2, 0x118a0, 0x118bf, 0x16e40, 0x16e5f, 0x1e900, 0x1e921,
];

/** The foldings of all code points. */
interface Foldings {
  /** Foldings by UTF-16 unit: itself, another unit, or 0 if `others` may have the folding. */
  readonly units: Uint16Array;
  /** Foldings by code point, where the code point or the folding has several units. */
  readonly others: ReadonlyMap<number, string>;
}

/** Made on first use, because that takes 2 ms and loads 4 MB of tables in Node. */
let foldings: Foldings | undefined;

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** The maximum number of UTF-16 units to which one unit folds. */
const MAX_EXPANSION = 3;

/** Reused for short texts, because creating a typed array takes as long as folding one. */
const scratch = new Uint16Array(1024 * MAX_EXPANSION);

/**
 * Applies Unicode full case folding, without normalisation and without the Turkic exception. Texts
 * that differ only in case fold to the same text. Each code point folds independently, so every
 * substring of a text folds to a substring of the folded text.
 * @returns the same string if nothing changes, so that both share its memory
 */
export function fold(text: string): string {
  if (BEYOND_LATIN1.test(text)) return foldEach(text);
  const lower = text.toLowerCase();
  // In Latin-1, only the sharp s and the micro sign do not fold to their lower case.
  if (lower.includes('\xdf') || lower.includes('\xb5')) return foldEach(text);
  return lower === text ? text : lower;
}

/** Folds unit by unit. Returns one piece, because V8 keeps a concatenation as a tree of parts. */
function foldEach(text: string): string {
  foldings ??= makeFoldings();
  const { units, others } = foldings;
  const isShort = text.length * MAX_EXPANSION <= scratch.length;
  const target = isShort ? scratch : new Uint16Array(text.length * MAX_EXPANSION);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const folding = units[unit] ?? 0;
    // A high surrogate is 0 if any of its code points folds, which this one may not.
    const several = folding === 0 ? others.get(text.codePointAt(at) ?? 0) : undefined;
    if (several === undefined) {
      target[length++] = folding || unit;
      continue;
    }
    for (let i = 0; i < several.length; i++) target[length++] = several.charCodeAt(i);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    if (isPair) at++;
  }
  const folded = Buffer.from(target.buffer, 0, 2 * length).toString('utf16le');
  return folded === text ? text : folded;
}

function makeFoldings(): Foldings {
  const units = Uint16Array.from({ length: 0x10000 }, (_, unit) => unit);
  const others = new Map<number, string>();
  const add = (codePoint: number, folding: string) => {
    const from = String.fromCodePoint(codePoint);
    if (folding === from) return;
    const isOneUnit = from.length === 1 && folding.length === 1;
    units[from.charCodeAt(0)] = isOneUnit ? folding.charCodeAt(0) : 0;
    if (!isOneUnit) others.set(codePoint, folding);
  };
  for (let i = 0; i < RANGES.length; i += 2) {
    for (let codePoint = RANGES[i] ?? 0; codePoint <= (RANGES[i + 1] ?? 0); codePoint++) {
      // Upper case and back maps letters that differ only in lower case, such as both sigmas, to
      // one letter. Lower case comes first for U+1E9E, a capital sharp s: it is its own upper
      // case, but its lower-case letter becomes SS, and so `ss`.
      const letter = String.fromCodePoint(codePoint);
      add(codePoint, letter.toLowerCase().toUpperCase().toLowerCase());
    }
  }
  // Cherokee folds to upper case, because its lower-case letters were added later.
  for (let i = 0; i < 6; i++) add(0x13f8 + i, String.fromCodePoint(0x13f0 + i));
  for (let i = 0; i < 80; i++) add(0xab70 + i, String.fromCodePoint(0x13a0 + i));
  return { units, others };
}
