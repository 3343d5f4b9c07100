import { BITS, onesIn } from './bits.ts';

/**
 * A set of numbers as a bitmap, with the number of bits before each word, so that a number's rank
 * is found at once (Jacobson, Space-efficient static trees and graphs, 1989).
 */
export class RankedBits {
  readonly #words: Int32Array;
  readonly #ranks: Uint16Array;

  /** @param numbers ascending and distinct */
  constructor(numbers: Uint16Array) {
    const words = Math.ceil(((numbers.at(-1) ?? -1) + 1) / BITS);
    this.#words = new Int32Array(words);
    this.#ranks = new Uint16Array(words);
    let rank = 0;
    for (let word = 0; word < words; word++) {
      this.#ranks[word] = rank;
      let bits = 0;
      for (; (numbers[rank] ?? 0) >>> 5 === word && rank < numbers.length; rank++) {
        bits |= 1 << (numbers[rank] ?? 0);
      }
      this.#words[word] = bits;
    }
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#words.byteLength + this.#ranks.byteLength;
  }

  /** Returns how many numbers of the set are less than one of them; undefined for any other. */
  rankOf(number: number): number | undefined {
    const bits = this.#words[number >>> 5] ?? 0;
    const bit = 1 << number;
    if ((bits & bit) === 0) return undefined;
    return (this.#ranks[number >>> 5] ?? 0) + onesIn(bits & (bit - 1));
  }
}
