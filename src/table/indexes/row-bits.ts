const BITS = 32;

/** Rows of a segment as a bitmap, in a buffer that is reused. */
export class RowBits {
  #words = new Int32Array();
  #used = 0;

  /** Begins an empty set of rows below `rowCount`. The set before must have been cleared. */
  begin(rowCount: number): void {
    this.#used = Math.ceil(rowCount / BITS);
    if (this.#used > this.#words.length) this.#words = new Int32Array(this.#used);
  }

  add(row: number): void {
    const words = this.#words;
    words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << row);
  }

  /** Adds eight rows from a multiple of eight on, by the bits of a byte. */
  addByte(from: number, byte: number): void {
    const words = this.#words;
    words[from >>> 5] = (words[from >>> 5] ?? 0) | (byte << (from & (BITS - 1)));
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] ?? 0) >>> row) & 1) === 1;
  }

  clear(): void {
    this.#words.fill(0, 0, this.#used);
  }

  /**
   * Writes the rows into an array, ascending, and clears the set.
   *
   * @returns the number of rows
   */
  moveTo(rows: Int32Array): number {
    const words = this.#words;
    let count = 0;
    for (let at = 0; at < this.#used; at++) {
      let bits = words[at] ?? 0;
      if (bits === 0) continue;
      words[at] = 0;
      for (; bits !== 0; bits &= bits - 1) {
        rows[count++] = (at + 1) * BITS - 1 - Math.clz32(bits & -bits);
      }
    }
    return count;
  }
}
