/**
 * Checking a candidate against its text costs about as much as decoding this many bytes of a
 * posting list, so lists longer than that per candidate are not worth intersecting.
 */
const BYTES_PER_CHECK = 256;

/** The smallest share of candidates that the next list is expected to remove. */
const LEAST_HOPE = 0.05;

/**
 * An immutable part of a substring index: for each trigram key, the rows whose text had it when the
 * segment was built. Rows are numbered within the segment, in order of their slots; a list of them
 * is stored as differences, in as few bytes as each needs.
 */
export class Segment {
  /** Segments are numbered as their texts were read; of two that hold a slot, the later is right. */
  readonly born: number;
  /** Ascending. */
  readonly slots: Float64Array;
  /** The distinct keys, ascending. */
  readonly keys: Uint16Array;
  /** Where the list of each key starts, and at last where the lists end. */
  readonly starts: Uint32Array;
  readonly postings: Uint8Array;

  constructor(
    born: number,
    slots: Float64Array,
    keys: Uint16Array,
    starts: Uint32Array,
    postings: Uint8Array,
  ) {
    this.born = born;
    this.slots = slots;
    this.keys = keys;
    this.starts = starts;
    this.postings = postings;
  }

  get bytes(): number {
    return (
      this.slots.byteLength +
      this.keys.byteLength +
      this.starts.byteLength +
      this.postings.byteLength
    );
  }

  has(slot: number): boolean {
    const { slots } = this;
    if (slot < (slots[0] ?? 0) || slot > (slots.at(-1) ?? -1)) return false;
    return slots[lowerBound(slots, slot)] === slot;
  }

  /** The lists of keys, the shortest first; none when a key has no row at all. */
  listsOf(keys: readonly number[]): readonly number[] {
    const lists: number[] = [];
    for (const key of keys) {
      const list = lowerBound(this.keys, key);
      if (this.keys[list] !== key) return [];
      lists.push(list);
    }
    return lists.sort((a, b) => this.lengthOf(a) - this.lengthOf(b));
  }

  /** The bytes of a list. It has at most as many rows. */
  lengthOf(list: number): number {
    return (this.starts[list + 1] ?? 0) - (this.starts[list] ?? 0);
  }

  /** Appends to `found`, ascending, the slots of rows that may be in all of some lists. */
  collect([shortest, ...others]: readonly number[], found: number[]): void {
    if (shortest === undefined) return;
    const rows = new Int32Array(this.lengthOf(shortest));
    let count = this.decode(shortest, rows);
    let removed = 0.5;
    for (const list of others) {
      if (this.lengthOf(list) > count * BYTES_PER_CHECK * removed) break;
      const common = this.#intersect(rows, count, list);
      // Neighbouring trigrams tend to be in the same rows: what removed little will go on so.
      removed = Math.max(LEAST_HOPE, 1 - common / count);
      count = common;
    }
    for (let i = 0; i < count; i++) found.push(this.slots[rows[i] ?? 0] ?? 0);
  }

  /** Writes the rows of the n-th key into an array that has room, and returns how many they are. */
  decode(list: number, rows: Int32Array): number {
    const postings = this.postings;
    const end = this.starts[list + 1] ?? 0;
    let count = 0;
    let row = -1;
    for (let i = this.starts[list] ?? 0; i < end; ) {
      let byte = postings[i++] ?? 0;
      row += byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = postings[i++] ?? 0;
        row += (byte & 0x7f) << shift;
      }
      rows[count++] = row;
    }
    return count;
  }

  /**
   * Keeps the rows that are in another list as well, and returns how many they are. That list is
   * not decoded first, since most of its rows are of no interest.
   */
  #intersect(rows: Int32Array, count: number, list: number): number {
    const postings = this.postings;
    const end = this.starts[list + 1] ?? 0;
    let common = 0;
    let next = 0;
    let wanted = rows[0] ?? 0;
    let row = -1;
    for (let i = this.starts[list] ?? 0; i < end; ) {
      let byte = postings[i++] ?? 0;
      row += byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = postings[i++] ?? 0;
        row += (byte & 0x7f) << shift;
      }
      if (row < wanted) continue;
      while (wanted < row && ++next < count) wanted = rows[next] ?? 0;
      if (next === count) break;
      if (wanted === row) rows[common++] = row;
    }
    return common;
  }
}

/** The index of the first value that is not below `wanted`. */
function lowerBound(values: Uint16Array | Float64Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
