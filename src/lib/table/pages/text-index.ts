import { WORD_BITS } from '../bits.ts';
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

/** To clear a slice takes as long as to sign so many UTF-16 units. */
const UNITS_PER_SLICE = 1 / 8;

/** How many rows, at most, wait for a search to sign them: it reads as many in a millisecond. */
const MAX_STALE = 4_096;

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
  /** How many rows, at most, have changed since they were signed. */
  #stale = 0;
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
    this.#signNew(page, UNITS_PER_WRITE);
  }

  /**
   * Follows a change of the row at a position. A search signs it once, however often it changes; if
   * too many wait for that, its new texts are added to the former ones.
   */
  changed(page: Page, at: number, before: StoredRow, after: StoredRow): void {
    const { region } = page;
    if (this.#stale < MAX_STALE) this.#unsign(region, at, before, after);
    else if (region && at < region.signed && !region.signature.isUnsigned(region, at)) {
      const columns = this.#columns.filter((each) => before[each] !== after[each]);
      for (const each of columns) region.signature.mark(region, at, fold(textOf(after, each)));
      if (columns.length > 0) region.signature.sign(region, at, unitsOf(after, columns));
    }
  }

  /**
   * Follows changes of rows of a page, which another one has at the same positions. All wait for a
   * search, however many: this is a part of a commit, which must not take long.
   */
  changedAll(page: Page, newer: Page): void {
    const { region } = newer;
    for (let at = 0; region && at < region.signed; at++) {
      const [before, after] = [page.rows[at], newer.rows[at]];
      if (before && after && before !== after) this.#unsign(region, at, before, after);
    }
  }

  /** Leaves a row whose texts have changed to a search, if it has been signed. */
  #unsign(region: Region | undefined, at: number, before: StoredRow, after: StoredRow): void {
    if (!region || at >= region.signed || region.signature.isUnsigned(region, at)) return;
    if (this.#columns.every((each) => before[each] === after[each])) return;
    region.signature.unsign(region, at);
    this.#setStale(region, region.stale + 1);
  }

  /** Signs rows that are not signed, or have changed since. Returns how many units are left. */
  signMore(page: Page, units: number): number {
    const left = page.region?.stale ? this.#signStale(page, page.region, units) : units;
    return this.#signNew(page, left);
  }

  #signNew(page: Page, units: number): number {
    const region = this.#regionOf(page);
    if (!region) return units;
    const end = Math.min(page.end, region.words * WORD_BITS);
    let left = units;
    for (; left > 0 && region.signed < end; region.signed++) {
      left -= 1 + this.#sign(page, region, region.signed);
    }
    return left;
  }

  /** Signs rows that have changed since they were signed. Returns how many units are left. */
  #signStale(page: Page, region: Region, units: number): number {
    const { signature, firstWord, signed } = region;
    let left = units;
    for (let w = 0; w * WORD_BITS < signed && left > 0; w++) {
      const found: { readonly at: number; readonly rows: readonly StoredRow[] }[] = [];
      let bits = 0;
      for (let rest = signature.unsignedIn(firstWord + w); rest !== 0; rest &= rest - 1) {
        const at = w * WORD_BITS + 31 - Math.clz32(rest & -rest);
        if (at >= signed || left <= 0) break;
        const rows = rowsAt(page, region, at);
        bits |= rest & -rest;
        found.push({ at, rows });
        left -= rows.reduce((units, row) => units + unitsOf(row, this.#columns), 1);
      }
      if (bits === 0) continue;
      signature.clear(firstWord + w, bits);
      left -= signature.slices * UNITS_PER_SLICE;
      for (const { at, rows } of found) {
        if (page.rows[at]) this.#setStale(region, region.stale - 1);
        signature.signAgain(region, at, this.#mark(region, at, rows));
      }
    }
    if (left > 0) this.#setStale(region, 0);
    return left;
  }

  #setStale(region: Region, stale: number): void {
    this.#stale += stale - region.stale;
    region.stale = stale;
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
    this.#setStale(region, 0);
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
    const region = { signature, firstWord, words: 0, rows: 0, signed: 0, stale: 0 };
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
