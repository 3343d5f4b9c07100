import { BITS } from './bits.ts';

/** A set of integers below a limit, such as the rows of a segment, as a reusable bitmap. */
export class BitSet {
  #words = new Int32Array();
  #used = 0;

  /** Begins an empty set of integers below `limit`. The set before must have been cleared. */
  begin(limit: number): void {
    this.#used = Math.ceil(limit / BITS);
    if (this.#used > this.#words.length) this.#words = new Int32Array(this.#used);
  }

  add(member: number): void {
    const words = this.#words;
    words[member >>> 5] = (words[member >>> 5] ?? 0) | (1 << member);
  }

  /** Adds eight members from a multiple of eight on, by the bits of a byte. */
  addByte(from: number, byte: number): void {
    const words = this.#words;
    words[from >>> 5] = (words[from >>> 5] ?? 0) | (byte << (from & (BITS - 1)));
  }

  has(member: number): boolean {
    return (((this.#words[member >>> 5] ?? 0) >>> member) & 1) === 1;
  }

  clear(): void {
    this.#words.fill(0, 0, this.#used);
  }

  /**
   * Writes the members into an array, ascending, and clears the set.
   *
   * @returns the number of members
   */
  moveTo(members: Int32Array): number {
    const words = this.#words;
    let count = 0;
    for (let at = 0; at < this.#used; at++) {
      let bits = words[at] ?? 0;
      if (bits === 0) continue;
      words[at] = 0;
      for (; bits !== 0; bits &= bits - 1) {
        members[count++] = (at + 1) * BITS - 1 - Math.clz32(bits & -bits);
      }
    }
    return count;
  }

  /**
   * Writes the members into an array, ascending, part by part. Yields their number each time: as
   * many as the array has room for, and finally the rest. The set must not change meanwhile.
   */
  *fill(members: Int32Array): Generator<number, void> {
    const words = this.#words;
    let count = 0;
    for (let at = 0; at < this.#used; at++) {
      for (let bits = words[at] ?? 0; bits !== 0; bits &= bits - 1) {
        members[count++] = (at + 1) * BITS - 1 - Math.clz32(bits & -bits);
        if (count < members.length) continue;
        yield count;
        count = 0;
      }
    }
    if (count > 0) yield count;
  }
}
