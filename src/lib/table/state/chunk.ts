import type { Kind, Value } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { comparatorOf, KINDS } from '../schema/kinds.ts';
import { firstIndex } from './bisect.ts';
import type { Entry } from './entry.ts';
import { addIndex, CHUNK_SLOTS, emptyMask, type Mask } from './mask.ts';

/**
 * Measured with V8: a chunk without its entries. Masks are not counted, which take some 2 % of the
 * memory of the rows.
 */
const CHUNK_BYTES = 130;
/** The maximum number of values with sections of their own. With more, masks gain nothing. */
const MAX_VALUES = 64;
/** A longer text is not one of few values: to look it up takes as long as to test it. */
const MAX_VALUE_LENGTH = 64;

/** The entries of a row before and after a write; undefined where the row does not exist. */
export interface Write {
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

/** The versions of a chunk before and after the write of some of its rows. */
export interface ChunkWrite {
  readonly before: Chunk;
  /** Undefined if all rows are deleted. */
  readonly after: Chunk | undefined;
  /** The number of rows that are written, at least one. */
  readonly count: number;
}

/** Lists the writes of a chunk, in ascending order of id. */
export function* writesOf({ before, after }: ChunkWrite): Generator<Write, void> {
  const newer = after?.entries ?? [];
  let at = 0;
  for (const entry of before.entries) {
    const other = newer[at]?.id === entry.id ? newer[at++] : undefined;
    if (other !== entry) yield { before: entry, after: other };
  }
}

/** The rows of a chunk that have one value of a column, or a value between two, both exclusive. */
export interface Section {
  readonly first: Value | null;
  /** The same as the first one, if the rows have one value. */
  readonly last: Value | null;
  readonly rows: Mask;
}

/**
 * The entries of consecutive ids, in ascending order. They never change: a write makes the next
 * version of the chunk. A query divides the rows when it first needs that, and the chunk keeps it.
 */
export class Chunk {
  /** The ids of the chunk, divided by `CHUNK_SLOTS`. */
  readonly number: Integer;
  /** At least one. */
  readonly entries: readonly Entry[];
  /** The bytes of the entries and the chunk. */
  readonly bytes: number;
  /** By column; undefined if the rows cannot be divided. */
  #sections: Map<string, readonly Section[] | undefined> | undefined;

  private constructor(number: Integer, entries: readonly Entry[], bytes: number) {
    this.number = number;
    this.entries = entries;
    this.bytes = bytes;
  }

  /** Creates the chunk of a first row. */
  static of(number: Integer, entry: Entry): Chunk {
    return new Chunk(number, [entry], CHUNK_BYTES + entry.bytes);
  }

  /**
   * Creates the version after a write; undefined if it has no entries.
   * @param id the id of the written row
   */
  with(id: Integer, { before, after }: Write): Chunk | undefined {
    const entries = replaceAt(this.entries, this.#indexFrom(slotOf(id)), before, after);
    return this.#next(entries, (after?.bytes ?? 0) - (before?.bytes ?? 0));
  }

  /**
   * Creates the version after writes; undefined if it has no entries.
   * @param writes to entries of this chunk, in their order
   */
  withAll(writes: readonly Write[]): Chunk | undefined {
    const entries: Entry[] = [];
    let replaced = 0;
    let growth = 0;
    for (const entry of this.entries) {
      const write = writes[replaced];
      const isReplaced = entry === write?.before;
      const newer = isReplaced ? write.after : entry;
      if (isReplaced) replaced++;
      growth += (newer?.bytes ?? 0) - entry.bytes;
      if (newer) entries.push(newer);
    }
    return this.#next(entries, growth);
  }

  #next(entries: readonly Entry[], growth: number): Chunk | undefined {
    return entries.length > 0 ? new Chunk(this.number, entries, this.bytes + growth) : undefined;
  }

  /** Returns the entry with an id; undefined if there is none. */
  find(id: Integer): Entry | undefined {
    const entry = this.entries[this.#indexFrom(slotOf(id))];
    return entry?.id === id ? entry : undefined;
  }

  /** Returns the index of the first entry whose slot is not lower. */
  #indexFrom(slot: number): number {
    const last = this.entries.length - 1;
    const within = (index: number) => Math.max(0, Math.min(last + 1, index));
    // Both are exact if no id is missing. Otherwise one is too low, and one too high.
    const low = within(last - (this.#slotAt(last) - slot));
    const high = within(slot - this.#slotAt(0));
    return low === high ? low : this.#indexBetween(low, high, slot);
  }

  #indexBetween(low: number, high: number, slot: number): number {
    return firstIndex(low, high, (index) => this.#slotAt(index) >= slot);
  }

  #slotAt(index: number): number {
    return slotOf(this.entries[index]?.id ?? 0);
  }

  /**
   * Divides the rows by a column: a section for each value. If there are many values, a section for
   * the least, one for the greatest, and one for those between.
   * @returns undefined if there are many values of a kind without ranges
   */
  sectionsOf(column: string, kind: Kind): readonly Section[] | undefined {
    this.#sections ??= new Map();
    if (this.#sections.has(column)) return this.#sections.get(column);
    const { isRanged } = KINDS[kind];
    const sections = this.#byValue(column) ?? (isRanged ? this.#byRange(column, kind) : undefined);
    this.#sections.set(column, sections);
    return sections;
  }

  #byValue(column: string): readonly Section[] | undefined {
    // No mask is made of a column that has too many values, such as the id.
    const numbers = new Map<Value | null, number>();
    const numberAt: number[] = [];
    for (const { row } of this.entries) {
      const value = row[column] ?? null;
      let number = numbers.get(value);
      if (number === undefined) {
        const isLong = typeof value === 'string' && value.length > MAX_VALUE_LENGTH;
        if (isLong || numbers.size === MAX_VALUES) return undefined;
        number = numbers.size;
        numbers.set(value, number);
      }
      numberAt.push(number);
    }
    const sections = Array.from(numbers.keys(), (value) => {
      return { first: value, last: value, rows: emptyMask() };
    });
    for (let i = 0; i < numberAt.length; i++) {
      const section = sections[numberAt[i] ?? 0];
      if (section) addIndex(section.rows, i);
    }
    return sections;
  }

  #byRange(column: string, kind: Kind): readonly Section[] {
    const compare = comparatorOf(kind);
    const valueAt = (index: number) => this.entries[index]?.row[column] ?? null;
    const { length } = this.entries;
    let [least, greatest] = [valueAt(0), valueAt(0)];
    for (let i = 1; i < length; i++) {
      const value = valueAt(i);
      if (compare(value, least) < 0) least = value;
      if (compare(value, greatest) > 0) greatest = value;
    }
    const [lowest, between, highest] = [emptyMask(), emptyMask(), emptyMask()];
    for (let i = 0; i < length; i++) {
      const value = valueAt(i);
      addIndex(value === least ? lowest : value === greatest ? highest : between, i);
    }
    return [
      { first: least, last: least, rows: lowest },
      { first: least, last: greatest, rows: between },
      { first: greatest, last: greatest, rows: highest },
    ];
  }
}

/** Returns the slot of an id in its chunk. Exact for ids of 64 bits. */
function slotOf(id: Integer): number {
  const mask = CHUNK_SLOTS - 1;
  return typeof id === 'number' ? id & mask : Number(id & BigInt(mask));
}

/** Returns an array with `after` in the place of `before`; undefined stands for no element. */
export function replaceAt<T>(
  all: readonly T[],
  index: number,
  before: T | undefined,
  after: T | undefined,
): readonly T[] {
  if (after === undefined) return before === undefined ? all : all.toSpliced(index, 1);
  return before === undefined ? all.toSpliced(index, 0, after) : all.with(index, after);
}
