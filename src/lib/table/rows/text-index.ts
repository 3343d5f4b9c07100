import { WORD_BITS } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { CHUNK_SLOTS, LEAF_SLOTS } from '../slots.ts';
import { fold } from '../text/case-folding.ts';
import { SPARSE, TextBlock } from '../texts/text-block.ts';
import type { Chunk } from './chunk.ts';

/** A chunk with fewer rows gets no block, as reading is as fast. With half, it drops its block. */
const MIN_ROWS = 64;

/** A block with a smaller share of its rows left is dropped, and a new one is made. */
const FEW = 1 / 4;

/** UTF-16 units of texts that each write adds to a block, in some 10 µs. */
export const UNITS_PER_WRITE = 1024;
/** The units for each search. Reading the rows without a block would take much longer. */
export const UNITS_PER_SEARCH = 16_384;

/** Blocks grow by a half, unless that takes more than an eighth of the memory left. */
const GROWTH = 1.5;
const MAX_SHARE_OF_FREE = 1 / 8;

/** A degraded block is dropped early if less memory than this share of its size is left. */
const LEAST_FREE = 1 / 16;

/** A block, and the offset up to which it has the rows of its chunk. Chunks implement it. */
interface Signed {
  readonly block: TextBlock | undefined;
  signed: number;
}

/** A new block for a chunk. */
interface Renewal extends Signed {
  readonly number: number;
  readonly block: TextBlock;
}

/**
 * Maintains the text blocks of a table. Each write and each search adds a few rows ("signs" them),
 * so no single operation waits for a whole block, whether it is new or replaces a degraded one.
 */
export class TextIndex {
  readonly #columns: readonly string[];
  readonly #chunkOf: (number: number) => Chunk | undefined;
  readonly #freeBytes: () => number;
  /** The replacement of a degraded block, while it is filled. One at a time. */
  #renewal: Renewal | undefined;
  /** The numbers of the chunks whose blocks may be degraded. */
  readonly #degraded = new Set<number>();
  bytes = 0;

  /**
   * @param chunkOf returns the current chunk of a number
   * @param freeBytes returns the bytes that may still be allocated
   */
  constructor(
    columns: readonly string[],
    chunkOf: (number: number) => Chunk | undefined,
    freeBytes: () => number,
  ) {
    this.#columns = columns;
    this.#chunkOf = chunkOf;
    this.#freeBytes = freeBytes;
  }

  /**
   * Adds the new texts of a row that was put at an offset. If all of its texts are new, the earlier
   * ones are removed, unless a snapshot may use the block. Without new texts, does nothing.
   */
  written(
    chunk: Chunk,
    offset: number,
    before: StoredRow | undefined,
    row: StoredRow,
    isShared: boolean,
  ): void {
    if (before) {
      const columns = this.#columns;
      let changed = 0;
      for (let i = 0; i < columns.length; i++) {
        if (row[columns[i] ?? ''] !== before[columns[i] ?? '']) changed++;
      }
      if (changed === 0) return;
      if (changed === columns.length && !isShared && offset < chunk.signed) {
        chunk.block?.clear(chunk.block.positionOf(offset));
      }
    }
    const renewal = this.#renewalOf(chunk);
    this.#addTo(chunk, offset, row, before);
    if (renewal) this.#addTo(renewal, offset, row, before);
    this.sign(chunk, UNITS_PER_WRITE);
  }

  /** Signs rows from an offset on again, because the block lacks some of their texts. */
  signAgainFrom(chunk: Chunk, offset: number): void {
    chunk.signed = Math.min(chunk.signed, offset);
    const renewal = this.#renewalOf(chunk);
    if (renewal) renewal.signed = Math.min(renewal.signed, offset);
  }

  /** Drops the block of a chunk. Searches of the chunk in snapshots then read its rows. */
  release(chunk: Chunk): void {
    if (this.#renewalOf(chunk)) this.#abandonRenewal();
    const { block } = chunk;
    if (!block) return;
    // First, so that an exception cannot leave a released block in use.
    chunk.block = undefined;
    chunk.signed = 0;
    this.bytes -= block.bytes;
    block.release();
  }

  /** Counts the bytes again, after a write that has failed. */
  recount(chunks: readonly Chunk[]): void {
    const renewed = this.#renewal?.block.bytes ?? 0;
    this.bytes = chunks.reduce((sum, { block }) => sum + (block?.bytes ?? 0), renewed);
  }

  /** Called when rows of a chunk are gone. Drops its block if few of the block's rows are left. */
  thin(chunk: Chunk): void {
    const { block, size, number } = chunk;
    if (2 * size < MIN_ROWS || size < FEW * (block?.end ?? 0)) this.release(chunk);
    else if (block?.isDegraded(size)) this.#degraded.add(number);
  }

  /**
   * Signs rows, unless only snapshots have the chunk.
   * @param units the UTF-16 units of texts to add
   * @returns the remaining units
   */
  sign(chunk: Chunk, units: number): number {
    if (this.#chunkOf(chunk.number) !== chunk) return units;
    this.thin(chunk);
    let { block } = chunk;
    if (!block) {
      if (this.#columns.length === 0 || chunk.size < MIN_ROWS) return units;
      block = this.#newBlock(chunk);
      chunk.block = block;
      chunk.signed = 0;
    }
    const left = this.#signRows(block, chunk, chunk, units);
    if (!this.#renewal && this.#degraded.size > 0) this.#beginRenewal();
    return this.#renewal ? this.#renew(this.#renewal, left) : left;
  }

  #renewalOf({ number }: Chunk): Renewal | undefined {
    return this.#renewal?.number === number ? this.#renewal : undefined;
  }

  #abandonRenewal(): void {
    if (!this.#renewal) return;
    this.bytes -= this.#renewal.block.bytes;
    this.#renewal = undefined;
  }

  /** Continues the replacement of a degraded block. Returns the remaining units. */
  #renew(renewal: Renewal, units: number): number {
    const chunk = this.#chunkOf(renewal.number);
    if (!chunk?.block) {
      this.#abandonRenewal();
      return units;
    }
    const degraded = chunk.block;
    const left = this.#signRows(renewal.block, renewal, chunk, units);
    // In a full table, rows are worth more than fast searches until the block is complete.
    const isFull = this.#freeBytes() < degraded.bytes * LEAST_FREE;
    if (renewal.signed < chunk.end && !isFull) return left;
    this.#renewal = undefined;
    chunk.block = renewal.block;
    chunk.signed = renewal.signed;
    this.bytes -= degraded.bytes;
    degraded.release();
    return left;
  }

  #beginRenewal(): void {
    const [number = 0] = this.#degraded;
    const chunk = this.#chunkOf(number);
    this.#degraded.delete(number);
    if (!chunk?.block?.isDegraded(chunk.size)) return;
    const block = this.#newBlock(chunk);
    if (block.bytesWith(Math.ceil(chunk.size / WORD_BITS)) > this.#freeBytes()) return;
    this.#renewal = { number, block, signed: 0 };
  }

  /** Makes a block for the texts of a chunk. If too many slots are empty, it numbers the rows. */
  #newBlock(chunk: Chunk): TextBlock {
    const meanUnits = this.#meanUnits(chunk);
    if (chunk.size > SPARSE * chunk.end) return new TextBlock(meanUnits);
    const offsets = chunk.leaves.flatMap(
      (leaf, i) => leaf?.slots().map((at) => i * LEAF_SLOTS + at) ?? [],
    );
    return new TextBlock(meanUnits, Uint16Array.from(offsets));
  }

  /** Adds the next rows to a block. Returns the remaining units. */
  #signRows(block: TextBlock, at: Signed, chunk: Chunk, units: number): number {
    let left = units;
    while (left > 0 && at.signed < chunk.end) {
      const index = at.signed >> 9;
      const leaf = chunk.leaves[index];
      if (!leaf) {
        at.signed = Math.min(chunk.end, (index + 1) * LEAF_SLOTS);
        continue;
      }
      const row = leaf.rowAt(at.signed % LEAF_SLOTS);
      if (row) {
        if (!this.#add(block, at.signed, row)) {
          // A rollback has put this row back, but the block numbers rows written meanwhile.
          if (block.positionOf(at.signed) < 0) this.release(chunk);
          return 0;
        }
        left -= unitsOf(row, this.#columns);
      }
      at.signed++;
      left--;
    }
    return left;
  }

  /** Adds the texts of a written row, if the block has the rows before it. */
  #addTo(to: Signed, offset: number, row: StoredRow, before: StoredRow | undefined): void {
    if (!to.block || offset >= to.signed) return;
    if (!this.#add(to.block, offset, row, before)) to.signed = offset;
  }

  /**
   * Adds the texts that differ from the row `before`. Returns false if there is no memory for them,
   * or if the block numbers its rows and this one cannot have a number.
   */
  #add(block: TextBlock, offset: number, row: StoredRow, before?: StoredRow): boolean {
    const position = block.positionOf(offset);
    if (position < 0 || !this.#growTo(block, position, offset)) return false;
    block.number(position, offset);
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i] ?? '';
      const text = row[column];
      if (typeof text === 'string' && text !== before?.[column]) block.mark(position, fold(text));
    }
    return true;
  }

  /** Grows a block to include a position. Returns false if there is no memory for it. */
  #growTo(block: TextBlock, position: number, offset: number): boolean {
    const { words } = block;
    if (position < words * WORD_BITS) return true;
    const end = Math.max(position + 1, block.end);
    const least = Math.ceil(end / WORD_BITS);
    const free = this.#freeBytes();
    const growth = (grown: number) => block.bytesWith(grown) - block.bytes;
    const most = Math.ceil((end + CHUNK_SLOTS - offset) / WORD_BITS);
    let grown = Math.max(least, Math.min(most, Math.ceil(words * GROWTH)));
    if (growth(grown) > free * MAX_SHARE_OF_FREE) grown = least;
    if (growth(grown) > free) return false;
    this.bytes += growth(grown);
    block.grow(grown);
    return true;
  }

  /** Returns the mean UTF-16 units of the texts of a row, from a sample of a leaf's size. */
  #meanUnits({ leaves, size }: Chunk): number {
    const step = Math.ceil(size / LEAF_SLOTS);
    let [units, count] = [0, 0];
    for (const leaf of leaves) {
      for (let i = 0; leaf && i < leaf.rows.length; i += step) {
        units += unitsOf(leaf.rows[i], this.#columns);
        count++;
      }
    }
    return units / Math.max(1, count);
  }
}

function unitsOf(row: StoredRow | undefined, columns: readonly string[]): number {
  let units = 0;
  for (let i = 0; row && i < columns.length; i++) {
    const text = row[columns[i] ?? ''];
    if (typeof text === 'string') units += text.length;
  }
  return units;
}
