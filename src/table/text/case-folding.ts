/**
 * Ranges of code points (first, last) that contain all code points that CaseFolding.txt of Unicode
 * 15.0 folds (statuses C and F), except Cherokee and the dotless i. Ranges end where later
 * versions of Unicode may add letters, so the result does not depend on the Unicode version of the
 * JavaScript engine.
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

/**
 * The folding of each code point that does not fold to itself, made when a text first needs it:
 * that takes 2 ms and loads 4 MB of tables of Node.
 */
let foldings: ReadonlyMap<number, string> | undefined;

/** Compiling a regular expression costs as much as it saves in this many texts. */
const TEXTS_BEFORE_COMPILING = 400;

/** A needle of more characters is rare, and takes long to compile. */
const MAX_COMPILED_LENGTH = 64;

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Whether all characters of a text are ASCII. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/**
 * Applies Unicode full case folding, without normalisation and without the Turkic exception. Texts
 * that differ only in case fold to the same text. Each code point folds independently, so every
 * substring of a text folds to a substring of the folded text.
 *
 * @returns the same string if nothing changes, so that both share its memory
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  foldings ??= makeFoldings();
  let folded = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const next = at + (codePoint > 0xffff ? 2 : 1);
    const folding = foldings.get(codePoint);
    if (folding !== undefined) {
      folded += text.slice(copied, at) + folding;
      copied = next;
    }
    at = next;
  }
  return copied === 0 ? text : folded + text.slice(copied);
}

/**
 * Makes a test whether an ASCII text contains a folded needle, ignoring case. A regular expression
 * needs no folded copy of the text, but has to be compiled, so only a long search uses one.
 */
export function asciiMatcher(needle: string): (text: string) => boolean {
  if (!isAscii(needle)) return () => false;
  if (needle.length === 1) {
    const upper = needle.toUpperCase();
    return (text) => text.includes(needle) || text.includes(upper);
  }
  const canCompile = needle.length <= MAX_COMPILED_LENGTH;
  let tested = 0;
  let pattern: RegExp | undefined;
  return (text) => {
    if (pattern) return pattern.test(text);
    if (canCompile && ++tested === TEXTS_BEFORE_COMPILING) pattern = patternOf(needle);
    return text.includes(needle) || text.toLowerCase().includes(needle);
  };
}

function makeFoldings(): Map<number, string> {
  const map = new Map<number, string>();
  const add = (codePoint: number, folding: string) => {
    if (folding !== String.fromCodePoint(codePoint)) map.set(codePoint, folding);
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
  return map;
}

/** A pattern that matches an ASCII needle in either case. */
function patternOf(needle: string): RegExp {
  const escaped = (unit: string) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return new RegExp(needle.replace(/\W/g, escaped), 'i');
}
