import type { StoredRow } from '../schema/column.ts';
import { fold } from '../text/case-folding.ts';
import type { Page } from './page.ts';
import { type Region, Signature, slicesFor } from './signature.ts';

/**
 * A page with fewer rows gets no signature, since reading the rows takes as long; with less than
 * half of them, it gives its own up.
 */
const MIN_ROWS = 64;

/** How many of the last rows of a page decide the number of slices of a first signature. */
const SAMPLE = 64;

/** UTF-16 units of texts that are signed with each write, and with each search, of a page. */
export const UNITS_PER_WRITE = 1024;
export const UNITS_PER_SEARCH = 16_384;

/** The ratio up to which two lengths of texts are similar. */
const SIMILAR = 1.5;

/** By how much signatures grow, unless that takes more than this share of the memory left. */
const GROWTH = 1.5;
const SHARE_OF_ROOM = 1 / 8;

/**
 * The signatures of the pages of a table, over the texts of some columns. Each page has a region of
 * one; a page whose rows are too few for that is simply read, and so are rows that have not been
 * signed yet. They are signed little by little, with each write and each search, so neither the
 * first signature of a page nor a new one (when the former one is worn) takes long.
 */
export class TextIndex {
  readonly #columns: readonly string[];
  readonly #room: () => number;
  /** The signature that gives words to pages which have none. */
  #open: Signature | undefined;
  /** The page that is being signed anew, one at a time. */
  #renewed: Page | undefined;
  /** The mean length of the texts of a row in the signature before, in UTF-16 units. */
  #usualUnits = 0;
  #bytes = 0;

  /** @param room returns how many more bytes may be taken */
  constructor(columns: readonly string[], room: () => number) {
    this.#columns = columns;
    this.#room = room;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Follows a change of the row at a position, where the new row is already. */
  replace(page: Page, at: number, before: StoredRow | undefined, after: StoredRow): void {
    const { region } = page;
    if (!region || at >= region.signed) return;
    const { signature } = region;
    const position = region.firstWord * 32 + at;
    if (!before) {
      this.#sign(page, region, at);
      return;
    }
    const changed = this.#columns.filter((column) => before[column] !== after[column]);
    if (changed.length === 0) return;
    // A snapshot needs the bits of the old row, and a text that stays those that it shares.
    const isShared = page.older?.region === region;
    const isKept = (column: string) => !changed.includes(column) && textOf(after, column) !== '';
    const areRemoved = !isShared && !this.#columns.some(isKept);
    let [oldUnits, units] = [0, 0];
    for (const column of changed) {
      const old = textOf(before, column);
      if (areRemoved) signature.mark(position, fold(old), false);
      oldUnits += old.length;
    }
    for (const column of changed) {
      const text = textOf(after, column);
      signature.mark(position, fold(text), true);
      units += text.length;
    }
    signature.signAgain(oldUnits, units, areRemoved);
  }

  /** Signs rows of a page that are not signed yet, with about so many UTF-16 units. */
  signMore(page: Page, units: number): void {
    const region = this.#regionOf(page);
    if (!region) return;
    for (let left = units; left > 0 && region.signed < page.end; region.signed++) {
      if (!this.#reaches(region, region.signed)) return;
      left -= 1 + this.#sign(page, region, region.signed);
    }
  }

  /** Follows deletions of rows of a page. */
  thin(page: Page): void {
    if (2 * page.size < MIN_ROWS) this.release(page);
  }

  /** Gives up the signature of a page. Snapshots that see the page read it plainly then. */
  release(page: Page): void {
    const { region } = page;
    if (!region) return;
    for (let each: Page | undefined = page; each; each = each.older) {
      if (each.region === region) each.region = undefined;
    }
    const { signature } = region;
    signature.release(region);
    if (!signature.isFree) return;
    this.#bytes -= signature.bytes;
    if (this.#open !== signature) return;
    this.#usualUnits = signature.meanUnits;
    this.#open = undefined;
  }

  /** Returns the region of a page, for all of its positions; undefined if it has none. */
  #regionOf(page: Page): Region | undefined {
    const { region } = page;
    if (!region) return this.#claim(page);
    const { signature } = region;
    const fits = page.words <= region.words || signature.extend(region, page.words);
    if (fits && !(signature.isWorn && this.#canRenew(page))) return region;
    this.release(page);
    return this.#claim(page, signature.meanUnits);
  }

  #canRenew(page: Page): boolean {
    const { region, end = 0 } = this.#renewed ?? {};
    if (region && region.signed < end) return false;
    this.#renewed = page;
    return true;
  }

  /** @param atLeast the least mean length of texts to expect, in UTF-16 units */
  #claim(page: Page, atLeast = 0): Region | undefined {
    if (page.size < MIN_ROWS || this.#columns.length === 0) return undefined;
    const units = Math.max(atLeast, this.#meanUnits(page));
    const open = this.#open;
    const suits = open && !open.isWorn && areSimilar(open.slices, slicesFor(units));
    page.region = suits ? open.claim(page.words) : undefined;
    if (page.region) return page.region;
    if (open) this.#usualUnits = open.meanUnits;
    const isUsual = areSimilar(this.#usualUnits, units);
    const signature = new Signature(slicesFor(isUsual ? this.#usualUnits : units), isUsual);
    if (signature.bytes > this.#room()) return undefined;
    this.#bytes += signature.bytes;
    this.#open = signature;
    page.region = signature.claim(page.words);
    return page.region;
  }

  /** Whether a signature has memory for a position of a page, after it has grown if need be. */
  #reaches({ signature, firstWord, words }: Region, at: number): boolean {
    if (firstWord + (at >>> 5) < signature.words) return true;
    const room = this.#room();
    const growth = (grown: number) => signature.bytesWith(grown) - signature.bytes;
    const least = firstWord + words;
    let grown = Math.min(Math.max(least, Math.ceil(signature.words * GROWTH)), signature.maxWords);
    while (grown > least && growth(grown) > room * SHARE_OF_ROOM) grown = (grown + least) >> 1;
    if (growth(grown) > room) return false;
    this.#bytes += growth(grown);
    signature.grow(grown);
    return true;
  }

  /** Signs the rows of all versions of a page at a position. Returns how many units they have. */
  #sign(page: Page, region: Region, at: number): number {
    const { signature, firstWord } = region;
    const position = firstWord * 32 + at;
    let [units, rows] = [0, 0];
    for (let each: Page | undefined = page; each; each = each.older) {
      const row = each.region === region ? each.rows[at] : undefined;
      if (!row) continue;
      rows++;
      for (const column of this.#columns) {
        const text = textOf(row, column);
        signature.mark(position, fold(text), true);
        units += text.length;
      }
    }
    if (rows > 0) signature.sign(position, units);
    return units;
  }

  /** Returns the mean length of the texts of the last rows, in UTF-16 units. */
  #meanUnits({ rows, end }: Page): number {
    let units = 0;
    let count = 0;
    for (let at = end - 1; at >= 0 && count < SAMPLE; at--) {
      const row = rows[at];
      if (!row) continue;
      count++;
      for (const column of this.#columns) units += textOf(row, column).length;
    }
    return count === 0 ? 0 : units / count;
  }
}

function areSimilar(a: number, b: number): boolean {
  return a <= b * SIMILAR && b <= a * SIMILAR;
}

function textOf(row: StoredRow, column: string): string {
  const text = row[column];
  return typeof text === 'string' ? text : '';
}
