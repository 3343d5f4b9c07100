import type { Mask } from '../bits.ts';
import { bytesOfArray, bytesOfValue } from '../schema/byte-size.ts';
import type { StoredRow } from '../schema/column.ts';
import { fold, isAscii } from '../text/case-folding.ts';
import { bytesOfSignature, type Grams, Signature, slicesFor } from './signature.ts';

/** A page with fewer rows has no signature: reading the rows takes as long. */
const MIN_ROWS = 64;

/** UTF-16 units of texts that are signed with each write or search, if some are not yet. */
const UNITS_AT_ONCE = 1024;

/** Rows whose texts decide the number of slices; and writes until that is looked at again. */
const SAMPLE = 64;

/** More slices than this, relative to those there are, are worth a new signature. */
const GAIN = 1.25;

/** How much a change wears a signature if only the filter keeps old bits. */
const WEAR_OF_FILTER = 1 / 8;

/** The folded texts of a row by index of the column; undefined where a text is ASCII. */
export type Folded = readonly (string | undefined)[];

/** The rows of a page by position. */
type Rows = readonly (StoredRow | undefined)[];

/**
 * What finds the texts of some columns of a page: their signature; and beside it the folded texts
 * of rows that have other characters than ASCII, which folds so fast that nobody needs to keep it.
 *
 * A signature knows the rows at the positions below `signed`. It gets to know the others little by
 * little, with each write and each search, so neither the first one of a page nor a new one (when
 * texts are longer, or bits of former texts name too many rows) takes long.
 */
export class TextIndex {
  readonly #columns: readonly string[];
  readonly #rows: Rows;
  readonly #words: number;
  readonly #folded: (Folded | undefined)[];
  #signature: Signature | undefined;
  #signed = 0;
  #writes = 0;
  /** The number of changes that left old bits: with more than one a row, it is worn out. */
  #wear = 0;

  /** @param from the index of the same rows, perhaps of fewer: both have one signature */
  constructor(columns: readonly string[], rows: Rows, words: number, from?: TextIndex) {
    this.#columns = columns;
    this.#rows = rows;
    this.#words = words;
    this.#folded = resized(from ? from.#folded : [], rows.length);
    if (!from) return;
    if (words > from.#words) from.#signature?.grow(words);
    this.#signature = from.#signature;
    this.#signed = from.#signed;
    this.#wear = from.#wear;
  }

  get signature(): Signature | undefined {
    return this.#signature;
  }

  get signatureBytes(): number {
    return this.#signature?.bytes ?? 0;
  }

  /** Returns the folded text at a position, of a column given by its index; undefined if ASCII. */
  folded(column: number, at: number): string | undefined {
    return this.#folded[at]?.[column];
  }

  /** Returns the folded texts at a position; undefined if all are ASCII. */
  foldedAt(at: number): Folded | undefined {
    return this.#folded[at];
  }

  /** Forgets all folded texts, because a write that has failed may have left a wrong one. */
  forgetFolded(): void {
    this.#folded.fill(undefined);
  }

  /**
   * Follows a change of the row at a position.
   *
   * @param isShared whether a snapshot reads the signature, too, and needs the bits of the old row
   * @param known the folded texts of the row, if they need not be folded again
   * @returns by how many bytes the folded texts grow
   */
  replace(
    at: number,
    before: StoredRow | undefined,
    after: StoredRow | undefined,
    isShared: boolean,
    known?: Folded,
  ): number {
    const old = this.#folded[at];
    const folded = known ?? (after && foldedTexts(after, this.#columns));
    this.#folded[at] = folded;
    if (after && at < this.#signed) {
      // What an old text shares with one that stays would have to be added again.
      const isWhole = this.#columns.every(
        (column) => before?.[column] !== after[column] || !after[column],
      );
      const isRemoved = isWhole && !isShared;
      if (isRemoved) this.#mark(at, before, false, old);
      this.#mark(at, after, true, folded, before);
      this.#wear += isRemoved ? WEAR_OF_FILTER : 1;
    }
    return this.#bytesOf(folded, after) - this.#bytesOf(old, before);
  }

  /** Signs some of the rows at positions below `end` that are not signed yet. */
  signMore(end: number): void {
    for (let units = UNITS_AT_ONCE; this.#signature && this.#signed < end && units > 0; ) {
      const at = this.#signed++;
      units -= 1 + this.#mark(at, this.#rows[at], true, this.#folded[at]);
    }
  }

  /**
   * Makes a signature if there is none, or if a new one is due, and there is room for its bytes.
   * Returns whether it did.
   */
  renew(size: number, end: number, room: number): boolean {
    if (size < MIN_ROWS || this.#columns.length === 0) return false;
    if (this.#signature) {
      if (++this.#writes % SAMPLE !== 0) return false;
      const isWorn = this.#wear > end;
      if (!isWorn && !this.#signature.isFull(this.#signed)) return false;
      if (!isWorn && slicesFor(this.#units(end)) < GAIN * this.#signature.slices) return false;
    }
    const slices = slicesFor(this.#units(end));
    const growth = bytesOfSignature(slices, this.#words) - this.signatureBytes;
    if (growth > room) return false;
    this.#signature = new Signature(slices, this.#words);
    this.#signed = 0;
    this.#wear = 0;
    return true;
  }

  /** Gives the signature up. */
  dropSignature(): void {
    this.#signature = undefined;
    this.#signed = 0;
  }

  /** Removes positions whose row cannot have grams from a mask. Returns whether any may be left. */
  narrow(grams: Grams, mask: Mask, end: number): boolean {
    if (!this.#signature || this.#signed === 0) return true;
    return this.#signature.narrow(grams, mask, this.#signed) || this.#signed < end;
  }

  /**
   * Adds the texts of a row to the signature, or removes them, except those that another row has,
   * too. Returns how many units they have.
   */
  #mark(
    at: number,
    row: StoredRow | undefined,
    isAdded: boolean,
    folded: Folded | undefined,
    other?: StoredRow,
  ): number {
    let units = 0;
    for (let i = 0; row && i < this.#columns.length; i++) {
      const column = this.#columns[i] ?? '';
      const text = row[column];
      if (typeof text !== 'string' || text === other?.[column]) continue;
      this.#signature?.mark(at, folded?.[i] ?? text, isAdded);
      units += text.length;
    }
    return units;
  }

  /** Returns the mean length of the texts of the last rows, in units. */
  #units(end: number): number {
    let units = 0;
    let rows = 0;
    for (let at = end - 1; at >= 0 && rows < SAMPLE; at--) {
      const row = this.#rows[at];
      if (!row) continue;
      rows++;
      for (const column of this.#columns) units += String(row[column] ?? '').length;
    }
    return rows === 0 ? 0 : units / rows;
  }

  /** The bytes of folded texts; one that is the same string as the text shares its memory. */
  #bytesOf(folded: Folded | undefined, row: StoredRow | undefined): number {
    if (!folded) return 0;
    let bytes = bytesOfArray(folded.length);
    folded.forEach((text, i) => {
      if (text !== undefined && text !== row?.[this.#columns[i] ?? '']) bytes += bytesOfValue(text);
    });
    return bytes;
  }
}

/** Copies an array, and fills it up to a length. */
export function resized<T>(array: readonly (T | undefined)[], length: number): (T | undefined)[] {
  return array.concat(new Array(length - array.length).fill(undefined));
}

function foldedTexts(row: StoredRow, columns: readonly string[]): Folded | undefined {
  let folded: (string | undefined)[] | undefined;
  for (let i = 0; i < columns.length; i++) {
    const text = row[columns[i] ?? ''];
    if (typeof text !== 'string' || isAscii(text)) continue;
    folded ??= columns.map(() => undefined);
    folded[i] = fold(text);
  }
  return folded;
}
