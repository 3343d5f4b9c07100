import { WORD_BITS } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { CHUNK_SLOTS, LEAF_SLOTS } from '../slots.ts';
import { fold } from '../text/case-folding.ts';
import { SPARSE, TextBlock } from '../texts/text-block.ts';
import type { Chunk } from './chunk.ts';

/** With fewer rows, a chunk has no block: reading takes as long. With half, it gives it up. */
const MIN_ROWS = 64;

/** With a smaller share of its rows left, a block is given up, and made again for these rows. */
const FEW = 1 / 4;

/** UTF-16 units of texts that are signed with each write, in some 10 µs. */
const UNITS_PER_WRITE = 1024;
/** And with each search, in a fraction of the time that reading the unsigned rows takes. */
export const UNITS_PER_SEARCH = 16_384;

/** Blocks grow by a half, unless that takes more than an eighth of the memory left. */
const GROWTH = 1.5;
const SHARE_OF_ROOM = 1 / 8;

/** The least growth, so that rows in a full table do not copy the block each time. */
const WORD_STEP = 4;

/** A block, and the offset up to which the rows of its chunk have been added: a chunk is one. */
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
 * Keeps the blocks of texts of a table. Rows are signed little by little, with each write and each
 * search, so neither a first block nor a new one, when that is worn, takes long.
 */
export class TextIndex {
  readonly #columns: readonly string[];
  readonly #chunkOf: (number: number) => Chunk | undefined;
  readonly #room: () => number;
  /** The block that is going to replace that of a chunk, one at a time. */
  #renewal: Renewal | undefined;
  /** The numbers of chunks whose blocks may be worn. */
  readonly #worn = new Set<number>();
  bytes = 0;

  /**
   * @param chunkOf returns the current chunk of a number
   * @param room returns how many more bytes may be taken
   */
  constructor(
    columns: readonly string[],
    chunkOf: (number: number) => Chunk | undefined,
    room: () => number,
  ) {
    this.#columns = columns;
    this.#chunkOf = chunkOf;
    this.#room = room;
  }

  /** Adds the texts of a row that was put at an offset, where it did not have them before. */
  written(chunk: Chunk, offset: number, before: StoredRow | undefined, row: StoredRow): void {
    const renewal = this.#renewalOf(chunk);
    if (!before && (lacks(chunk, offset) || lacks(renewal, offset))) this.release(chunk);
    this.#addTo(chunk, offset, row, before);
    if (renewal) this.#addTo(renewal, offset, row, before);
    this.#sign(chunk, UNITS_PER_WRITE);
  }

  /** Signs rows from an offset on again, because some of them have texts that are not added. */
  signAgainFrom(chunk: Chunk, offset: number): void {
    chunk.signed = Math.min(chunk.signed, offset);
    const renewal = this.#renewalOf(chunk);
    if (renewal) renewal.signed = Math.min(renewal.signed, offset);
  }

  /** Signs rows, unless only snapshots have the chunk. Returns how many units are left. */
  signMore(chunk: Chunk, units: number): number {
    return this.#chunkOf(chunk.number) === chunk ? this.#sign(chunk, units) : units;
  }

  /** Follows deletions of rows of a chunk. */
  thin(chunk: Chunk): void {
    const { block, size } = chunk;
    if (2 * size < MIN_ROWS || (block && size < FEW * block.end)) this.release(chunk);
    this.#sign(chunk, UNITS_PER_WRITE);
  }

  /** Gives up the block of a chunk. Snapshots of the chunk read its rows then. */
  release(chunk: Chunk): void {
    if (this.#renewalOf(chunk)) this.#abandonRenewal();
    const { block } = chunk;
    if (!block) return;
    // First, so that a fault leaves no released block that seems to have rows.
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

  #sign(chunk: Chunk, units: number): number {
    let { block } = chunk;
    if (!block) {
      if (this.#columns.length === 0 || chunk.size < MIN_ROWS) return units;
      block = this.#newBlock(chunk);
      chunk.block = block;
      chunk.signed = 0;
    }
    const left = this.#signRows(block, chunk, chunk, units);
    if (block.isWorn(chunk.size)) this.#worn.add(chunk.number);
    if (!this.#renewal && this.#worn.size > 0) this.#beginRenewal();
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

  /** Makes a new block beside a worn one, as far as the units suffice. Returns what is left. */
  #renew(renewal: Renewal, units: number): number {
    const chunk = this.#chunkOf(renewal.number);
    if (!chunk?.block) {
      this.#abandonRenewal();
      return units;
    }
    const left = this.#signRows(renewal.block, renewal, chunk, units);
    if (renewal.signed < chunk.end) return left;
    this.#renewal = undefined;
    const worn = chunk.block;
    chunk.block = renewal.block;
    chunk.signed = renewal.signed;
    this.bytes -= worn.bytes;
    worn.release();
    return left;
  }

  #beginRenewal(): void {
    const [number = 0] = this.#worn;
    const chunk = this.#chunkOf(number);
    this.#worn.delete(number);
    if (!chunk?.block?.isWorn(chunk.size)) return;
    const block = this.#newBlock(chunk);
    if (block.bytesWith(Math.ceil(chunk.size / WORD_BITS)) > this.#room()) return;
    this.#renewal = { number, block, signed: 0 };
  }

  /** Makes a block for the texts of a chunk. If too many slots have no row, it numbers the others. */
  #newBlock(chunk: Chunk): TextBlock {
    const meanUnits = this.#meanUnits(chunk);
    if (chunk.size > SPARSE * chunk.end) return new TextBlock(meanUnits);
    const offsets = chunk.leaves.flatMap(
      (leaf, i) => leaf?.slots().map((at) => i * LEAF_SLOTS + at) ?? [],
    );
    return new TextBlock(meanUnits, Uint16Array.from(offsets));
  }

  /** Adds rows to a block, from where it is signed on. Returns how many units are left. */
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
        if (!this.#add(block, at.signed, row)) return 0;
        left -= unitsOf(row, this.#columns);
      }
      at.signed++;
      left--;
    }
    return left;
  }

  /** Adds the texts of a row that is written, if the block has the rows before it. */
  #addTo(to: Signed, offset: number, row: StoredRow, before: StoredRow | undefined): void {
    if (!to.block || offset >= to.signed) return;
    if (!this.#add(to.block, offset, row, before)) to.signed = offset;
  }

  /** Adds the texts of a row that another row did not have. Returns false without memory for it. */
  #add(block: TextBlock, offset: number, row: StoredRow, before?: StoredRow): boolean {
    const position = block.positionOf(offset);
    if (!this.#makeRoom(block, position, offset)) return false;
    block.number(position, offset);
    for (let i = 0; i < this.#columns.length; i++) {
      const column = this.#columns[i] ?? '';
      const text = row[column];
      if (typeof text === 'string' && text !== before?.[column]) block.mark(position, fold(text));
    }
    return true;
  }

  /** Lets a block grow to a position, if there is memory for that. */
  #makeRoom(block: TextBlock, position: number, offset: number): boolean {
    const { words } = block;
    if (position < words * WORD_BITS) return true;
    const end = Math.max(position + 1, block.end);
    const least = Math.ceil(end / WORD_BITS / WORD_STEP) * WORD_STEP;
    const room = this.#room();
    const growth = (grown: number) => block.bytesWith(grown) - block.bytes;
    const most = Math.ceil((end + CHUNK_SLOTS - offset) / WORD_BITS);
    let grown = Math.max(least, Math.min(most, Math.ceil(words * GROWTH)));
    if (growth(grown) > room * SHARE_OF_ROOM) grown = least;
    if (growth(grown) > room) return false;
    this.bytes += growth(grown);
    block.grow(grown);
    return true;
  }

  /** Returns the UTF-16 units of the texts of a row, of as many rows as a leaf may have. */
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

/** Whether a block that numbers rows has no number for a row that comes back between others. */
function lacks(signed: Signed | undefined, offset: number): boolean {
  return signed?.block !== undefined && signed.block.positionOf(offset) < 0;
}

function unitsOf(row: StoredRow | undefined, columns: readonly string[]): number {
  let units = 0;
  for (let i = 0; row && i < columns.length; i++) {
    const text = row[columns[i] ?? ''];
    if (typeof text === 'string') units += text.length;
  }
  return units;
}
