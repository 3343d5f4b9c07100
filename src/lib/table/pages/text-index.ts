import { type Mask, positionsIn, WORD_BITS } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { fold } from '../text/case-folding.ts';
import type { Page } from './page.ts';
import { type Region, Signature } from './signature.ts';
import { slicesFor } from './slices.ts';

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
  /** The signatures of pages, the newest last. */
  readonly #signatures = new Set<Signature>();
  /** The region in which a page is signed again, one at a time, and the end of the page. */
  #renewed: { readonly region: Region; readonly end: number } | undefined;
  bytes = 0;

  /** @param room returns how many more bytes may be taken */
  constructor(columns: readonly string[], room: () => number) {
    this.#columns = columns;
    this.#room = room;
  }

  /** Follows a new row at a position, where it is already. */
  inserted(page: Page, at: number): void {
    const { region } = page;
    // A rollback may bring back a row where one was deleted.
    if (region && at < region.signed) this.#sign(page, region, at);
    this.signMore(page, UNITS_PER_WRITE);
  }

  /**
   * Adds the new texts of a row that changes, or is going to change, to those that it has had. A
   * row that has not been signed yet gets its other texts later.
   */
  changed({ region }: Page, at: number, before: StoredRow, after: StoredRow): void {
    if (!region || at >= region.words * WORD_BITS) return;
    const columns = this.#columns.filter((each) => before[each] !== after[each]);
    for (const each of columns) region.signature.mark(region, at, fold(textOf(after, each)));
    if (columns.length > 0) region.signature.noteStale(unitsOf(after, columns));
  }

  /** Makes changed rows candidates of every text until they are signed again. */
  signAgain({ region, words }: Page, changed: Mask): void {
    if (!region) return;
    for (const at of positionsIn(changed, words)) {
      if (at >= region.signed) break;
      region.signature.unsign(region, at);
    }
    region.signed = 0;
  }

  /** Signs rows that are not signed. Returns how many units are left. */
  signMore(page: Page, units: number): number {
    const region = this.#regionOf(page);
    if (!region) return units;
    const end = Math.min(page.end, region.words * WORD_BITS);
    let left = units;
    for (; left > 0 && region.signed < end; region.signed++) {
      left -= 1 + this.#sign(page, region, region.signed);
    }
    return left;
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
    const region = { signature, firstWord, words: 0, rows: 0, signed: 0 };
    if (!this.#extend(region, words)) return undefined;
    this.#signatures.add(signature);
    return region;
  }

  /** Gives a region so many words, if the next ones are free and there is memory for them. */
  #extend(region: Region, words: number): boolean {
    const { signature, firstWord } = region;
    const end = firstWord + words;
    if (end > signature.maxWords || !this.#grow(signature, end)) return false;
    if (!signature.takeWords(firstWord + region.words, words - region.words)) return false;
    region.words = words;
    return true;
  }

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

  /** Signs the rows at a position. Returns how many units they have. */
  #sign(page: Page, region: Region, at: number): number {
    const units = this.#mark(region, at, rowsAt(page, region, at));
    if (units === undefined) return 0;
    region.signature.sign(region, at, units);
    return units;
  }

  /** Adds the texts of rows to a position. Returns how many units they have; undefined if none. */
  #mark(region: Region, at: number, rows: readonly StoredRow[]): number | undefined {
    let units: number | undefined;
    for (const row of rows) {
      for (const column of this.#columns) {
        region.signature.mark(region, at, fold(textOf(row, column)));
      }
      units = (units ?? 0) + unitsOf(row, this.#columns);
    }
    return units;
  }

  #meanUnits({ rows, end }: Page): number {
    let [units, count] = [0, 0];
    for (let at = end - 1; at >= 0 && count < SAMPLE; at--) {
      units += unitsOf(rows[at], this.#columns);
      if (rows[at]) count++;
    }
    return units / Math.max(1, count);
  }
}

/** Lists the rows that versions of a page, which have its region, have at a position, each once. */
function rowsAt(page: Page, region: Region, at: number): readonly StoredRow[] {
  const rows: StoredRow[] = [];
  for (let each: Page | undefined = page; each; each = each.older) {
    const row = each.region === region ? each.rows[at] : undefined;
    // Most versions have the same row.
    if (row && row !== rows.at(-1)) rows.push(row);
  }
  return rows;
}

function unitsOf(row: StoredRow | undefined, columns: readonly string[]): number {
  if (!row) return 0;
  return columns.reduce((units, column) => units + textOf(row, column).length, 0);
}

function textOf(row: StoredRow, column: string): string {
  const text = row[column];
  return typeof text === 'string' ? text : '';
}
