import { firstNotBefore } from '../binary-search.ts';
import type { Mask } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { LEAF_SLOTS } from '../slots.ts';
import { CHUNK_BYTES, Chunk } from './chunk.ts';
import { Leaf } from './leaf.ts';
import { type ChunkSnapshot, type Chunks, OpenSnapshots } from './open-snapshots.ts';
import { TextIndex, UNITS_PER_WRITE } from './text-index.ts';
import { ValueMasks } from './value-masks.ts';

/** A place, and the row there until the next write. A transaction keeps it, to undo the write. */
export interface Located {
  /** The number of a chunk, and the offset in it. */
  readonly number: number;
  readonly offset: number;
  readonly row: StoredRow | undefined;
  /** The number of the commit that wrote the row; 0 if there is no row, or for a replacement. */
  readonly revision: number;
  /** The row that a write puts there. */
  after: StoredRow | undefined;
}

/** The deletion, or the change, of rows of a leaf. */
export interface LeafWrite {
  /** The number of the chunk, and the index of the leaf in it. */
  readonly number: number;
  readonly leafIndex: number;
  readonly leaf: Leaf;
  /** The leaf that replaces it; undefined if all of its rows are deleted, or none is written. */
  readonly newer: Leaf | undefined;
  /** The number of rows that match the conditions of the write. */
  readonly matching: number;
  /** The slots of the rows that are written, and the number of these rows. */
  readonly mask: Mask;
  readonly count: number;
  /** The written rows in order of their slots: none if they are deleted. */
  readonly after: readonly StoredRow[];
  /** Whether the newer leaf has texts that no block has yet. */
  readonly hasNewTexts: boolean;
}

/** Returns the index of the first chunk whose number is not lower. */
function indexFrom(chunks: readonly Chunk[], number: number): number {
  // Right unless a chunk is missing.
  const guess = number - (chunks[0]?.number ?? number);
  if (chunks[guess]?.number === number) return guess;
  return firstNotBefore(chunks.length, (index) => (chunks[index]?.number ?? 0) < number);
}

/** Looks up a place. */
export function locate({ chunks }: Chunks, number: number, offset: number): Located {
  const chunk = chunks[indexFrom(chunks, number)];
  const leaf = chunk?.number === number ? chunk.leaves[offset >> 9] : undefined;
  const index = leaf ? leaf.indexOf(offset % LEAF_SLOTS) : -1;
  const row = index < 0 ? undefined : leaf?.rows[index];
  const revision = index < 0 ? 0 : (leaf?.revisions[index] ?? 0);
  return { number, offset, row, revision, after: undefined };
}

/** The chunks of a table. Snapshots share leaves, so a write to a shared leaf copies it first. */
export class ChunkList {
  /** In order of their numbers. Changed by copying, because snapshots share it. */
  chunks: readonly Chunk[] = [];
  size = 0;
  readonly schema: ResolvedSchema;
  readonly values: ValueMasks;
  readonly texts: TextIndex;
  #snapshots = new OpenSnapshots();
  #leafBytes = 0;

  constructor(schema: ResolvedSchema, limits: { readonly maxBytes: number }) {
    this.schema = schema;
    this.values = new ValueMasks(schema.bitmaps);
    const chunkOf = (number: number) => this.#chunkOf(number);
    this.texts = new TextIndex(schema.substrings, chunkOf, () => limits.maxBytes - this.bytes);
  }

  /** Memory held, in bytes, with rows and leaves that open snapshots retain. */
  get bytes(): number {
    const structure = this.chunks.length * CHUNK_BYTES + this.texts.bytes;
    return this.#leafBytes + structure + this.#snapshots.bytes;
  }

  /** Bytes of the leaves and chunks that the table has replaced for open snapshots. */
  get retainedBytes(): number {
    return this.#snapshots.bytes;
  }

  /** Memory of the masks of values and of the texts. */
  get indexBytes(): number {
    let bytes = this.texts.bytes;
    for (const { leaves } of this.chunks) {
      for (const leaf of leaves) if (leaf) bytes += leaf.maskBytes;
    }
    return bytes;
  }

  /** Opens a snapshot. The caller must close it. */
  snapshot(): ChunkSnapshot {
    return this.#snapshots.open(this);
  }

  /** Replaces another list of chunks, which open snapshots may still use. */
  supersede(other: ChunkList): void {
    const snapshots = other.#snapshots;
    for (const chunk of this.chunks) {
      chunk.epoch = snapshots.epoch;
      for (const leaf of chunk.leaves) if (leaf) leaf.epoch = snapshots.epoch;
    }
    for (const chunk of other.chunks) {
      snapshots.retain(chunk);
      for (const leaf of chunk.leaves) if (leaf) snapshots.retain(leaf);
      other.texts.release(chunk);
    }
    this.#snapshots = snapshots;
  }

  /**
   * Puts a row at a place, or deletes the row there. Idempotent.
   * @returns the growth of the rows with their values, in bytes
   */
  put(
    { number, offset, row: before }: Located,
    row: StoredRow | undefined,
    revision: number,
  ): number {
    if (!row && !before) return 0;
    if (row) this.values.number(row);
    const chunk = this.#chunkToWrite(number);
    const leafIndex = offset >> 9;
    const written = this.#leafToWrite(chunk, leafIndex);
    const { bytes, rowBytes } = written;
    if (row) written.put(offset % LEAF_SLOTS, row, revision, this.schema, this.values);
    else written.remove(offset % LEAF_SLOTS, this.schema);
    this.#leafBytes += written.bytes - bytes;
    const added = Number(row !== undefined) - Number(before !== undefined);
    chunk.size += added;
    this.size += added;
    if (offset >= chunk.end) chunk.end = offset + 1;
    if (row) this.texts.written(chunk, offset, before, row, this.#snapshots.areOpen);
    else {
      this.#dropEmpty(chunk, leafIndex);
      this.texts.sign(chunk, UNITS_PER_WRITE);
    }
    return written.rowBytes - rowBytes;
  }

  /** Replaces a leaf by one with fewer or changed rows. */
  swap(swap: LeafWrite): void {
    const { number, leafIndex, leaf, newer } = swap;
    const chunk = this.#chunkToWrite(number);
    this.#snapshots.retain(leaf);
    if (newer) newer.epoch = this.#snapshots.epoch;
    if (swap.hasNewTexts) this.texts.signAgainFrom(chunk, leafIndex * LEAF_SLOTS);
    this.#setLeaf(chunk, leafIndex, newer);
    this.#dropEmpty(chunk, leafIndex);
    this.texts.thin(chunk);
  }

  /** Undoes {@link swap}. Idempotent. */
  restore(swap: LeafWrite): void {
    const { number, leafIndex, leaf } = swap;
    const chunk = this.#chunkToWrite(number);
    const newer = chunk.leaves[leafIndex];
    if (newer === leaf) return;
    this.#snapshots.restore(leaf);
    if (newer) this.#snapshots.retain(newer);
    chunk.end = Math.max(chunk.end, (leafIndex + 1) * LEAF_SLOTS);
    // A block that was made after the swap may lack some of its texts.
    this.texts.signAgainFrom(chunk, leafIndex * LEAF_SLOTS);
    this.#setLeaf(chunk, leafIndex, leaf);
  }

  /**
   * Counts rows and bytes again, because a write that was undone may have failed halfway.
   * @param undone the places of rows that were put back
   */
  recount(undone: readonly Pick<Located, 'number' | 'offset'>[]): void {
    const leaves = new Set(
      undone.map(({ number, offset }) => this.#chunkOf(number)?.leaves[offset >> 9]),
    );
    for (const leaf of leaves) leaf?.recompute(this.schema);
    let [size, bytes] = [0, 0];
    for (const chunk of this.chunks) {
      chunk.size = 0;
      for (const leaf of chunk.leaves) {
        if (!leaf) continue;
        chunk.size += leaf.size;
        bytes += leaf.bytes;
      }
      size += chunk.size;
    }
    this.size = size;
    this.#leafBytes = bytes;
    if (this.chunks.some((chunk) => chunk.size === 0)) {
      this.chunks = this.chunks.filter((chunk) => chunk.size > 0);
    }
    this.texts.recount(this.chunks);
  }

  #chunkOf(number: number): Chunk | undefined {
    const chunk = this.chunks[indexFrom(this.chunks, number)];
    return chunk?.number === number ? chunk : undefined;
  }

  /** Returns a chunk that no snapshot sees. */
  #chunkToWrite(number: number): Chunk {
    const index = indexFrom(this.chunks, number);
    const chunk = this.chunks[index];
    const snapshots = this.#snapshots;
    if (chunk?.number !== number) {
      const added = new Chunk(number, snapshots.epoch);
      this.chunks = this.chunks.toSpliced(index, 0, added);
      return added;
    }
    if (!snapshots.sees(chunk)) return chunk;
    const copy = chunk.copy(snapshots.epoch);
    this.chunks = this.chunks.with(index, copy);
    snapshots.retain(chunk);
    return copy;
  }

  /** Returns a leaf of a chunk that no snapshot sees. */
  #leafToWrite(chunk: Chunk, index: number): Leaf {
    const leaf = chunk.leaves[index];
    const { epoch } = this.#snapshots;
    if (leaf && !this.#snapshots.sees(leaf)) return leaf;
    const copy = leaf ? leaf.copy(epoch) : new Leaf(epoch, this.values.count, this.schema.ordered);
    if (leaf) this.#snapshots.retain(leaf);
    else this.#leafBytes += copy.bytes;
    chunk.leaves[index] = copy;
    return copy;
  }

  /** Drops a leaf of a chunk that has lost rows, and the chunk, if no row is left. */
  #dropEmpty(chunk: Chunk, leafIndex: number): void {
    if (chunk.leaves[leafIndex]?.size === 0) this.#setLeaf(chunk, leafIndex, undefined);
    if (chunk.size > 0) return;
    this.texts.release(chunk);
    this.chunks = this.chunks.filter((each) => each !== chunk);
  }

  #setLeaf(chunk: Chunk, index: number, leaf: Leaf | undefined): void {
    const before = chunk.leaves[index];
    const growth = (leaf?.size ?? 0) - (before?.size ?? 0);
    this.#leafBytes += (leaf?.bytes ?? 0) - (before?.bytes ?? 0);
    chunk.size += growth;
    this.size += growth;
    chunk.leaves[index] = leaf;
  }
}
