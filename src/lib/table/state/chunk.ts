import { bytesOfRow } from '../schema/byte-size.ts';
import type { StoredRow, Value } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import type { Compare } from '../schema/kinds.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { firstIndex } from './bisect.ts';
import { addSlot, CHUNK_SLOTS, emptyMask, isEmpty, lowestSlot, type Mask, wordAt } from './mask.ts';
import { Signature } from './signature.ts';

/** Measured with V8: an entry, and the word that refers to it. */
const ENTRY_BYTES = 64;
/**
 * Measured with V8: a chunk without its entries. Masks are not counted, which take some 2 % of the
 * memory of the rows.
 */
const CHUNK_BYTES = 360;
/** A chunk with fewer rows gets no signature, because testing its rows is as fast. */
const MIN_SIGNED = CHUNK_SLOTS / 8;
/** The mask of chunks without a signature, which has no texts to add. */
const NO_ROWS = emptyMask();
/** The maximum number of values with sections of their own. With more, masks gain nothing. */
const MAX_VALUES = 64;

/**
 * The number of a commit. The rows of a bulk write share one, which it sets when it commits, because
 * other commits may come before it.
 */
export interface CommitNumber {
  number: number;
}

/** A row, and what the table keeps with it. */
export interface Entry {
  readonly id: Integer;
  readonly row: StoredRow;
  /** The commit that wrote the row. */
  readonly commit: number | CommitNumber;
  readonly bytes: number;
}

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
  /** The bytes of the rows before, which only states that are older than the write have. */
  readonly replacedBytes: number;
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

/** Creates the entry of a row. */
export function entryOf(
  schema: ResolvedSchema,
  id: Integer,
  row: StoredRow,
  commit: Entry['commit'],
): Entry {
  return { id, row, commit, bytes: ENTRY_BYTES + bytesOfRow(schema, row) };
}

/** Returns the bytes of an entry, without the values that its row shares with the row before. */
export function newBytesOf(schema: ResolvedSchema, { row }: Entry, before?: Entry): number {
  return ENTRY_BYTES + bytesOfRow(schema, row, before?.row);
}

/** Returns the number of the commit that wrote a row. */
export function commitNumberOf({ commit }: Entry): number {
  return typeof commit === 'number' ? commit : commit.number;
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
 * version of the chunk. A query derives masks when it first needs them, and completes the signature.
 * The chunk keeps both.
 */
export class Chunk {
  /** The ids of the chunk, divided by `CHUNK_SLOTS`. */
  readonly number: Integer;
  /** At least one. */
  readonly entries: readonly Entry[];
  /** Has the texts of all entries, except those to be added. Absent if there are few entries. */
  readonly signature: Signature | undefined;
  /** The rows whose texts the signature may lack. */
  readonly #unadded: Mask;
  readonly #firstSlot: number;
  /** Whether no id is missing between the first and the last one. */
  readonly #isDense: boolean;
  /** The bytes of the entries and the chunk, without the signature. */
  readonly entryBytes: number;
  #rows: Mask | undefined;
  #sections: Map<string, readonly Section[]> | undefined;

  private constructor(
    number: Integer,
    entries: readonly Entry[],
    signature: Signature | undefined,
    unadded: Mask,
    entryBytes: number,
  ) {
    this.number = number;
    this.entries = entries;
    this.signature = signature;
    this.#unadded = unadded;
    this.entryBytes = entryBytes;
    this.#firstSlot = this.#slotAt(0);
    this.#isDense = this.#slotAt(entries.length - 1) - this.#firstSlot === entries.length - 1;
  }

  get bytes(): number {
    return this.entryBytes + (this.signature?.bytes ?? 0);
  }

  /**
   * Creates a chunk, or the next version of one; undefined if it has no entries.
   * @param entries its entries
   * @param previous the version before it
   * @param writes the writes since then
   */
  static of(
    { substrings }: ResolvedSchema,
    number: Integer,
    entries: readonly Entry[],
    previous: Chunk | undefined,
    writes: readonly Write[],
  ): Chunk | undefined {
    if (entries.length === 0) return undefined;
    let signature = previous?.signature;
    let unadded = previous && signature ? previous.#unadded.slice() : NO_ROWS;
    let entryBytes = previous?.entryBytes ?? CHUNK_BYTES;
    for (const { before, after } of writes) {
      entryBytes += (after?.bytes ?? 0) - (before?.bytes ?? 0);
      // A query adds the texts. All versions share the signature, because bits are only added.
      const hasNewTexts = after && signature?.announce(after.row, before?.row);
      if (hasNewTexts) addSlot(unadded, slotOf(after.id));
    }
    if (entries.length < MIN_SIGNED || substrings.length === 0) signature = undefined;
    else if (!signature || signature.isDegraded) {
      const rows = entries.map(({ row }) => row);
      signature = new Signature(substrings, rows);
      unadded = emptyMask();
      for (const { id, row } of entries) {
        const hasTexts = signature.announce(row);
        if (hasTexts) addSlot(unadded, slotOf(id));
      }
    }
    return new Chunk(number, entries, signature, unadded, entryBytes);
  }

  /** Creates the version after a write, as {@link of} does. @param id the id of the written row */
  with(schema: ResolvedSchema, id: Integer, write: Write): Chunk | undefined {
    const index = this.indexFrom(slotOf(id));
    const entries = replaceAt(this.entries, index, write.before, write.after);
    return Chunk.of(schema, this.number, entries, this, [write]);
  }

  /**
   * Creates the version after writes, as {@link of} does.
   * @param writes to entries of this chunk, in their order
   */
  withAll(schema: ResolvedSchema, writes: readonly Write[]): Chunk | undefined {
    const entries: Entry[] = [];
    let replaced = 0;
    for (const entry of this.entries) {
      const write = writes[replaced];
      const isReplaced = entry === write?.before;
      const newer = isReplaced ? write.after : entry;
      if (isReplaced) replaced++;
      if (newer) entries.push(newer);
    }
    return Chunk.of(schema, this.number, entries, this, writes);
  }

  /**
   * Adds to the signature texts that it may lack, those of some rows.
   * @returns whether there were any, so that more may be left
   */
  completeSignature(): boolean {
    if (!this.signature || isEmpty(this.#unadded)) return false;
    const word = this.#unadded.findIndex((bits) => bits !== 0);
    for (let left = wordAt(this.#unadded, word); left !== 0; left &= left - 1) {
      const slot = lowestSlot(word, left);
      const entry = this.entries[this.indexFrom(slot)];
      // Its row may have been deleted.
      if (entry && slotOf(entry.id) === slot) this.signature.add(slot, entry.row);
    }
    this.#unadded[word] = 0;
    return true;
  }

  /** Returns the entry with an id; undefined if there is none. */
  find(id: Integer): Entry | undefined {
    const entry = this.entries[this.indexFrom(slotOf(id))];
    return entry?.id === id ? entry : undefined;
  }

  /** Returns the index of the first entry whose slot is not lower. */
  indexFrom(slot: number): number {
    const { length } = this.entries;
    // Exact if no id is missing. Otherwise too high, by one for each that is missing.
    const high = Math.max(0, Math.min(length, slot - this.#firstSlot));
    if (this.#isDense) return high;
    // Counted back from the last entry, it is exact or too low.
    const low = Math.max(0, Math.min(length, length - 1 + slot - this.#slotAt(length - 1)));
    return firstIndex(low, high, (index) => this.#slotAt(index) >= slot);
  }

  #slotAt(index: number): number {
    return slotOf(this.entries[index]?.id ?? 0);
  }

  /** The number of masks, and divisions by a column, that queries have derived so far. */
  get derived(): number {
    return (this.#rows ? 1 : 0) + (this.#sections?.size ?? 0);
  }

  /** The mask of all rows. */
  get rows(): Mask {
    this.#rows ??= this.#maskOf(() => true);
    return this.#rows;
  }

  #maskOf(isWanted: (entry: Entry) => boolean): Mask {
    const mask = emptyMask();
    for (const entry of this.entries) if (isWanted(entry)) addSlot(mask, slotOf(entry.id));
    return mask;
  }

  /**
   * Divides the rows by a column: a section for each value. If there are many values, a section for
   * the least, one for the greatest, and one for those between.
   */
  sectionsOf(column: string, compare: Compare<Value | null>): readonly Section[] {
    this.#sections ??= new Map();
    let sections = this.#sections.get(column);
    sections ??= this.#byValue(column) ?? this.#byRange(column, compare);
    this.#sections.set(column, sections);
    return sections;
  }

  #byValue(column: string): readonly Section[] | undefined {
    const masks = new Map<Value | null, Mask>();
    for (const { id, row } of this.entries) {
      const value = row[column] ?? null;
      const mask = masks.get(value) ?? emptyMask();
      addSlot(mask, slotOf(id));
      masks.set(value, mask);
      if (masks.size > MAX_VALUES) return undefined;
    }
    return Array.from(masks, ([value, rows]) => ({ first: value, last: value, rows }));
  }

  #byRange(column: string, compare: Compare<Value | null>): readonly Section[] {
    const valueIn = ({ row }: Entry) => row[column] ?? null;
    const values = this.entries.map(valueIn);
    const least = values.reduce((a, b) => (compare(b, a) < 0 ? b : a));
    const greatest = values.reduce((a, b) => (compare(b, a) > 0 ? b : a));
    const section = (first: Value | null, last = first): Section => ({
      first,
      last,
      rows: this.#maskOf((entry) => {
        const value = valueIn(entry);
        return first === last ? value === first : value !== first && value !== last;
      }),
    });
    return [section(least), section(least, greatest), section(greatest)];
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
