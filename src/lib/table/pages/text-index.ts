import { WORD_BITS } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { fold } from '../text/case-folding.ts';
import type { Page } from './page.ts';
import { type Region, Signature, slicesFor } from './signature.ts';

/** With fewer rows, a page gets no signature: reading takes as long. With half, it gives it up. */
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
 * The signatures of the pages of a table, over the texts of some columns. Each page that is not too
 * small has a region of one. Rows are signed little by little, with each write and each search, so
 * neither the first signature of a page nor a new one, when that is worn, takes long.
 */
export class TextIndex {
  readonly #columns: readonly string[];
  readonly #room: () => number;
  /** Those of pages, the newest last. */
  readonly #signatures = new Set<Signature>();
  /** The region in which a page is signed anew, one at a time, and the end of the page. */
  #renewed: { readonly region: Region; readonly end: number } | undefined;
  /** Memory held, in bytes. */
  bytes = 0;

  /** @param room returns how many more bytes may be taken */
  constructor(columns: readonly string[], room: () => number) {
    this.#columns = columns;
    this.#room = room;
  }

  /** Follows a change of the row at a position, where the new row is already. */
  replace(page: Page, at: number, before: StoredRow | undefined, after: StoredRow): void {
    const { region } = page;
    if (!region || at >= region.signed) return;
    const { signature } = region;
    if (!before) {
      this.#sign(page, region, at);
      return;
    }
    const changed = this.#columns.filter((column) => before[column] !== after[column]);
    if (changed.length === 0) return;
    // A snapshot needs the bits of the old row. A text that stays shares some, or is added again.
    const isShared = page.older?.region === region;
    const isKept = (column: string) => !changed.includes(column) && textOf(after, column) !== '';
    const areRemoved = !isShared && (signature.isWorn || !this.#columns.some(isKept));
    const columns = areRemoved ? this.#columns : changed;
    if (areRemoved) mark(region, at, before, columns, false);
    mark(region, at, after, columns, true);
    signature.signAgain(unitsOf(before, columns), unitsOf(after, columns), areRemoved);
  }

  /** Signs rows of a page that are not signed yet, with about so many UTF-16 units. */
  signMore(page: Page, units: number): void {
    const region = this.#regionOf(page);
    if (!region) return;
    const end = Math.min(page.end, region.words * WORD_BITS);
    for (let left = units; left > 0 && region.signed < end; region.signed++) {
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
    if (this.#renewed?.region === region) this.#renewed = undefined;
    const { signature } = region;
    signature.release(region);
    if (!signature.isFree) return;
    this.#signatures.delete(signature);
    this.bytes -= signature.bytes;
  }

  /** Returns the region of a page, if there is memory for it for all of its positions. */
  #regionOf(page: Page): Region | undefined {
    const { region } = page;
    if (!region) {
      page.region = this.#claim(page);
      return page.region;
    }
    const { signature } = region;
    const mustMove = page.words > region.words && !this.#extend(region, page.words);
    const isRenewed = !mustMove && signature.isWorn && !this.#isRenewing;
    if (!mustMove && !isRenewed) return region;
    const claimed = this.#claim(page, signature.meanUnits);
    if (!claimed) return region;
    this.release(page);
    page.region = claimed;
    if (isRenewed) this.#renewed = { region: claimed, end: page.end };
    return claimed;
  }

  get #isRenewing(): boolean {
    return this.#renewed !== undefined && this.#renewed.region.signed < this.#renewed.end;
  }

  /** @param atLeast the least mean length of texts to expect, in UTF-16 units */
  #claim(page: Page, atLeast = 0): Region | undefined {
    if (page.size < MIN_ROWS || this.#columns.length === 0) return undefined;
    const units = Math.max(atLeast, this.#meanUnits(page));
    for (const signature of this.#signatures) {
      const ratio = signature.slices / slicesFor(units);
      const suits = !signature.isWorn && ratio <= SIMILAR && ratio >= 1 / SIMILAR;
      const region = suits ? this.#claimIn(signature, page.words) : undefined;
      if (region) return region;
    }
    return this.#claimIn(new Signature(slicesFor(units)), page.words);
  }

  #claimIn(signature: Signature, words: number): Region | undefined {
    const firstWord = signature.placeFor(words) ?? signature.maxWords;
    const region = { signature, firstWord, words: 0, signed: 0 };
    if (!this.#extend(region, words)) return undefined;
    this.#signatures.add(signature);
    return region;
  }

  /** Gives a region so many words, if the next ones are free and there is memory for them. */
  #extend(region: Region, words: number): boolean {
    const { signature, firstWord } = region;
    const end = firstWord + words;
    if (end > signature.maxWords || !this.#grow(signature, end)) return false;
    if (!signature.take(firstWord + region.words, words - region.words)) return false;
    region.words = words;
    return true;
  }

  /** Gives a signature so many words, if there is memory for them. */
  #grow(signature: Signature, least: number): boolean {
    if (least <= signature.words) return true;
    const room = this.#room();
    const growth = (grown: number) => signature.bytesWith(grown) - signature.bytes;
    let grown = Math.min(Math.max(least, Math.ceil(signature.words * GROWTH)), signature.maxWords);
    while (grown > least && growth(grown) > room * SHARE_OF_ROOM) grown = (grown + least) >> 1;
    if (growth(grown) > room) return false;
    this.bytes += growth(grown);
    signature.grow(grown);
    return true;
  }

  /** Signs the rows of all versions of a page at a position. Returns how many units they have. */
  #sign(page: Page, region: Region, at: number): number {
    let [units, rows] = [0, 0];
    for (let each: Page | undefined = page; each; each = each.older) {
      const row = each.region === region ? each.rows[at] : undefined;
      if (!row) continue;
      rows++;
      mark(region, at, row, this.#columns, true);
      units += unitsOf(row, this.#columns);
    }
    if (rows > 0) region.signature.sign(region.firstWord * WORD_BITS + at, units);
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
      units += unitsOf(row, this.#columns);
    }
    return count === 0 ? 0 : units / count;
  }
}

/** Adds texts of the row at a position to a region, or removes them. */
function mark(
  { signature, firstWord }: Region,
  at: number,
  row: StoredRow,
  columns: readonly string[],
  isAdded: boolean,
): void {
  const position = firstWord * WORD_BITS + at;
  for (const column of columns) signature.mark(position, fold(textOf(row, column)), isAdded);
}

/** Returns how many UTF-16 units texts of a row have. */
function unitsOf(row: StoredRow, columns: readonly string[]): number {
  return columns.reduce((units, column) => units + textOf(row, column).length, 0);
}

function textOf(row: StoredRow, column: string): string {
  const text = row[column];
  return typeof text === 'string' ? text : '';
}
