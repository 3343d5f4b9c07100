import { type Mask, wordAt } from '../bits.ts';
import { LEAF_SLOTS, LEAF_WORDS } from '../slots.ts';
import { extendHash, mixHash } from './grams.ts';

/** The greatest number of slices: 256 KiB. */
const MAX_SLICES = 4096;

/** The least mean length of the texts of a row to plan for, because texts become longer. */
const MIN_UNITS = 8;

/** Slices per UTF-16 unit of a row. A unit adds two grams, so a fifth of the bits are set. */
const SLICES_PER_UNIT = 9;

/** Above twice its planned units, a third of the bits are set, with many false candidates. */
const MAX_GROWTH = 2;

/** Measured with V8: the object, and its array without the contents. */
const HEADER_BYTES = 250;

function slicesFor(meanUnits: number): number {
  return Math.min(MAX_SLICES, Math.ceil(Math.max(MIN_UNITS, meanUnits) * SLICES_PER_UNIT));
}

/** Returns the first word of the slice of a gram, by the upper half of its hash. */
function sliceOf(hash: number, slices: number): number {
  return (((hash >>> 16) * slices) >>> 16) * LEAF_WORDS;
}

/**
 * Finds the rows of a leaf that may contain a text (decision 8). Each gram of a row's folded texts
 * sets the bit of the row in one of many masks, the slices. A row can contain a text only if its bit
 * is set in the slices of all grams of that text. Earlier texts of a row make it a false candidate.
 */
export class Signature {
  /** Whether several versions of a leaf use it. Then bits are only added. */
  isShared = false;
  readonly bytes: number;
  readonly #slices: number;
  readonly #bits: Int32Array;
  readonly #meanUnits: number;
  /** The UTF-16 units of all texts that were added. */
  #units = 0;

  /** @param meanUnits the mean number of UTF-16 units of the texts of a row */
  constructor(meanUnits: number) {
    this.#meanUnits = Math.max(MIN_UNITS, meanUnits);
    this.#slices = slicesFor(meanUnits);
    this.bytes = Signature.bytesFor(meanUnits);
    this.#bits = new Int32Array(this.#slices * LEAF_WORDS);
  }

  /** Returns the memory of a signature, in bytes. */
  static bytesFor(meanUnits: number): number {
    return HEADER_BYTES + slicesFor(meanUnits) * LEAF_WORDS * Int32Array.BYTES_PER_ELEMENT;
  }

  /** Whether a new signature of `rows` rows would have far fewer false candidates. */
  isDegraded(rows: number): boolean {
    return this.#units > MAX_GROWTH * this.#meanUnits * rows;
  }

  /** Removes the texts of a row. The signature must not be shared. */
  clear(at: number): void {
    const bits = this.#bits;
    const others = ~(1 << at);
    for (let i = at >>> 5; i < bits.length; i += LEAF_WORDS) bits[i] = wordAt(bits, i) & others;
    // An estimate: the share of one slot.
    this.#units -= this.#units / LEAF_SLOTS;
  }

  /** Adds a folded text to a row: the grams of three and of four units that end at each unit. */
  mark(at: number, text: string): void {
    this.#units += text.length;
    const bits = this.#bits;
    const slices = this.#slices;
    const word = at >>> 5;
    const bit = 1 << at;
    let last = text.charCodeAt(1);
    let pair = extendHash(text.charCodeAt(0), last);
    let three = 0;
    for (let i = 2; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (i > 2) {
        const index = sliceOf(mixHash(extendHash(three, unit)), slices) + word;
        bits[index] = wordAt(bits, index) | bit;
      }
      three = extendHash(pair, unit);
      pair = extendHash(last, unit);
      last = unit;
      const index = sliceOf(mixHash(three), slices) + word;
      bits[index] = wordAt(bits, index) | bit;
    }
  }

  /**
   * Removes the rows that lack a gram from the words of a mask from `base` on.
   * @param unsigned the words whose rows the signature may lack, as a set of bits
   * @returns whether any row is left
   */
  narrow(grams: readonly number[], unsigned: number, mask: Mask, base: number): boolean {
    const bits = this.#bits;
    const slices = this.#slices;
    const count = grams.length;
    const first = sliceOf(grams[0] ?? 0, slices);
    const second = sliceOf(grams[Math.min(1, count - 1)] ?? 0, slices);
    const third = sliceOf(grams[Math.min(2, count - 1)] ?? 0, slices);
    let any = 0;
    for (let w = 0; w < LEAF_WORDS; w++) {
      let left = wordAt(mask, base + w);
      if (((unsigned >>> w) & 1) === 0) {
        left &= wordAt(bits, first + w) & wordAt(bits, second + w) & wordAt(bits, third + w);
        for (let i = 3; left !== 0 && i < count; i++) {
          left &= wordAt(bits, sliceOf(grams[i] ?? 0, slices) + w);
        }
      }
      mask[base + w] = left;
      any |= left;
    }
    return any !== 0;
  }
}
