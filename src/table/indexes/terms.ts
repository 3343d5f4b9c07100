import { TRIGRAM_LENGTH } from './trigrams.ts';

const SPACE = 0x20;
/** Stands for the space within a seam, so that no trigram of a seam is one of a word. */
const BAR = 0x7c;
/** The number of units of each word in a seam. */
const SEAM_UNITS = 2;

/** Whether an ASCII character is a letter or a digit. */
const IS_ALPHANUMERIC = new Uint8Array(0x80)
  .fill(1, 0x30, 0x3a)
  .fill(1, 0x41, 0x5b)
  .fill(1, 0x61, 0x7b);

/** Some UTF-16 units, and a hash of them. */
export interface Term {
  /** Other units may follow those of the term. */
  readonly units: Uint16Array;
  readonly length: number;
  /** 32 bits. */
  readonly hash: number;
}

/**
 * Reads texts as the terms of an inverted index. The words of a text are its longest runs of ASCII
 * letters and digits and of units beyond ASCII; whatever stands between them counts as one space.
 * A term is a word with the space before it and the space after it, or the seam of two words: the
 * last two units before a space, a bar, and the first two units after it.
 *
 * If a text contains another, then each term of the other is part of a term of the text. (The
 * other may begin and end within a word, so it has no space there.)
 */
export class TermReader implements Term {
  /** The current term. */
  units: Uint16Array;
  length = 0;
  hash = 0;
  #text = '';
  #isWhole = false;
  /** The next unit of the text to read. */
  #at = 0;
  #word = new Uint16Array(256);
  #wordLength = 0;
  readonly #seam = new Uint16Array(2 * SEAM_UNITS + 1);
  #seamLength = 0;

  constructor() {
    this.units = this.#word;
  }

  /**
   * Begins to read a text.
   *
   * @param isWhole whether its first word has a space before it, and its last one after it
   */
  read(text: string, isWhole: boolean): void {
    if (this.#word.length < text.length + 2) this.#word = new Uint16Array(2 * text.length);
    this.#text = text;
    this.#isWhole = isWhole;
    this.#at = 0;
    this.#wordLength = 0;
    this.#seamLength = 0;
  }

  /** Moves to the next term that has a trigram; false if there is none. */
  next(): boolean {
    do {
      if (this.#seamLength > 0) this.#takeSeam();
      else if (!this.#readWord()) return false;
    } while (this.length < TRIGRAM_LENGTH);
    return true;
  }

  /** Reads the next word, and the seam before it; false if there is no word left. */
  #readWord(): boolean {
    const text = this.#text;
    const end = text.length;
    let at = this.#at;
    while (at < end && !isOfWord(text.charCodeAt(at))) at++;
    if (at === end) return false;
    if (this.#wordLength > 0) this.#beginSeam();
    const word = this.#word;
    let length = 0;
    let hash = 0;
    if (at > 0 || this.#isWhole) {
      word[length++] = SPACE;
      hash = mixed(hash, SPACE);
    }
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (!isOfWord(unit)) break;
      word[length++] = unit;
      hash = mixed(hash, unit);
    }
    if (at < end || this.#isWhole) {
      word[length++] = SPACE;
      hash = mixed(hash, SPACE);
    }
    this.#at = at;
    this.#wordLength = length;
    if (this.#seamLength > 0) this.#endSeam();
    this.units = word;
    this.length = length;
    this.hash = finished(hash);
    return true;
  }

  /** Puts the end of the word before into the seam. */
  #beginSeam(): void {
    const end = this.#wordLength - 1;
    let length = 0;
    for (let i = Math.max(0, end - SEAM_UNITS); i < end; i++) {
      this.#seam[length++] = this.#word[i] ?? 0;
    }
    this.#seam[length++] = BAR;
    this.#seamLength = length;
  }

  /** Puts the begin of a word, which has a space before it, into the seam. */
  #endSeam(): void {
    const end = Math.min(1 + SEAM_UNITS, this.#wordLength);
    for (let i = 1; i < end; i++) this.#seam[this.#seamLength++] = this.#word[i] ?? 0;
  }

  #takeSeam(): void {
    const seam = this.#seam;
    const length = this.#seamLength;
    this.units = seam;
    this.length = length;
    this.hash = hashOf(seam, 0, length);
    this.#seamLength = 0;
  }
}

/** Returns where the bar of a seam is; -1 for a word. */
export function barOf(units: Uint16Array, start: number, end: number): number {
  for (let i = start; i < end; i++) if (units[i] === BAR) return i;
  return -1;
}

/** Returns the hash of some units. */
export function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) hash = mixed(hash, units[i] ?? 0);
  return finished(hash);
}

function isOneWord(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isOfWord(text.charCodeAt(i))) return false;
  return true;
}

function isOfWord(unit: number): boolean {
  return unit >= 0x80 || IS_ALPHANUMERIC[unit] === 1;
}

function mixed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x2c1b3c6d);
}

function finished(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x297a2d39);
  return mixed ^ (mixed >>> 15);
}

/** A term, or a part of one. */
export interface Part extends Term {
  /** Whether it is a term, so no other term contains it. */
  readonly isWhole: boolean;
  /** Whether it is all of the text, so that whatever has a term with the part contains the text. */
  readonly isText: boolean;
}

const reader = new TermReader();

/** Returns the parts of terms that a text must have to contain another. */
export function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  reader.read(text, false);
  while (reader.next()) {
    const { length, hash } = reader;
    const units = reader.units.slice(0, length);
    const isWord = units[0] === SPACE && units[length - 1] === SPACE;
    const isSeam = units[SEAM_UNITS] === BAR && length === 2 * SEAM_UNITS + 1;
    const isText = length === text.length && isOneWord(text);
    parts.push({ units, length, hash, isWhole: isWord || isSeam, isText });
  }
  return parts;
}
