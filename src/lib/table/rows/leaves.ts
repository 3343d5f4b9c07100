import { firstNotBefore } from '../binary-search.ts';
import type { Mask } from '../bits.ts';
import type { StoredRow } from '../schema/column.ts';
import { leafOf, offsetOf } from '../schema/identity.ts';
import type { Integer } from '../schema/integer.ts';
import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import { Leaf } from './leaf.ts';
import { type LeafList, OpenSnapshots, type Snapshot } from './open-snapshots.ts';
import { Signer } from './signer.ts';
import { ValueMasks } from './value-masks.ts';

/** A slot with its row. Valid until the next write. */
export interface Place {
  /** The number of the leaf, and the slot in it. */
  readonly leafNumber: Integer;
  readonly at: number;
  readonly row: StoredRow | undefined;
  /** The number of the commit that wrote the row; 0 if there is no row, or for a replacement. */
  readonly revision: number;
}

/** The deletion, or the change, of rows of a leaf. */
export interface LeafWrite {
  readonly leaf: Leaf;
  /** The version that replaces it; undefined if all of its rows are deleted. */
  readonly newer: Leaf | undefined;
  /** The number of rows that match the conditions of the write. */
  readonly matched: number;
  /** The slots of the rows that are written, and their number. */
  readonly mask: Mask;
  readonly written: number;
  /** The written rows in order of their slots: none if they are deleted. */
  readonly after: readonly StoredRow[];
}

/** The leaves of a table. A leaf that an open snapshot shares is copied before a write. */
export class Leaves implements LeafList {
  leaves: Leaf[] = [];
  size = 0;
  readonly schema: ResolvedSchema;
  readonly values: ValueMasks;
  readonly signer: Signer;
  #snapshots = new OpenSnapshots();
  #leafBytes = 0;

  constructor(schema: ResolvedSchema, limits: { readonly maxBytes: number }) {
    this.schema = schema;
    this.values = new ValueMasks(schema.bitmaps);
    this.signer = new Signer(schema.substrings, () => limits.maxBytes - this.bytes);
  }

  /** Memory held, in bytes, with leaves that open snapshots retain. */
  get bytes(): number {
    return this.#leafBytes + this.#snapshots.bytes;
  }

  /** Bytes of the leaves that the table has replaced for open snapshots. */
  get retainedBytes(): number {
    return this.#snapshots.bytes;
  }

  /** Memory of the masks of values and of the signatures. */
  get indexBytes(): number {
    return this.leaves.reduce((sum, { indexBytes }) => sum + indexBytes, 0);
  }

  /** Opens a snapshot. The caller must close it. */
  snapshot(): Snapshot {
    return this.#snapshots.open(this);
  }

  /** Replaces other leaves in the commit `revision`, and takes over their open snapshots. */
  takeOverFrom(previous: Leaves, revision: number): void {
    const snapshots = previous.#snapshots;
    for (const leaf of this.leaves) {
      leaf.epoch = snapshots.epoch;
      leaf.revision = revision;
    }
    for (const leaf of previous.leaves) snapshots.retain(leaf);
    this.#snapshots = snapshots;
  }

  /** Looks up the place of an id. */
  find(id: unknown): Place {
    const slot = this.schema.identity.slotOf(id);
    return this.placeAt(leafOf(slot), offsetOf(slot));
  }

  /** Returns the place of a slot of a leaf. */
  placeAt(leafNumber: Integer, at: number): Place {
    const leaf = this.#leafOf(leafNumber);
    const index = leaf ? leaf.indexOf(at) : -1;
    if (!leaf || index < 0) return { leafNumber, at, row: undefined, revision: 0 };
    return { leafNumber, at, row: leaf.rows[index], revision: leaf.revisionOf(index) };
  }

  /**
   * Puts a row at a place, or deletes the row there. Idempotent.
   * @returns the growth of the rows with their values, in bytes
   */
  put(
    { leafNumber, at, row: before }: Place,
    row: StoredRow | undefined,
    revision: number,
  ): number {
    if (!row && !before) return 0;
    const leaf = this.#leafToWrite(leafNumber);
    const { bytes, rowBytes, size } = leaf;
    if (row) leaf.put(at, row, revision, this.schema, this.values);
    else leaf.remove(at, this.schema);
    this.#leafBytes += leaf.bytes - bytes;
    this.size += leaf.size - size;
    // Last, because it may take all of the remaining memory.
    if (row) this.#leafBytes += this.signer.put(leaf, at, row, before);
    else this.#leafBytes -= this.signer.dropIfSparse(leaf);
    if (leaf.size === 0) this.#drop(leaf);
    return leaf.rowBytes - rowBytes;
  }

  /** Replaces leaves by versions with fewer or changed rows. */
  swap(writes: readonly LeafWrite[]): void {
    const newerOf = new Map(writes.map(({ leaf, newer }) => [leaf, newer]));
    for (const { leaf, newer } of writes) {
      this.#snapshots.retain(leaf);
      if (newer) newer.epoch = this.#snapshots.epoch;
    }
    this.leaves = this.leaves.flatMap((leaf) =>
      newerOf.has(leaf) ? (newerOf.get(leaf) ?? []) : leaf,
    );
    this.#recount();
  }

  /** Puts back a leaf that was replaced. The counts are wrong until `recompute`. Idempotent. */
  restore({ leaf }: LeafWrite): void {
    const index = this.#indexFrom(leaf.number);
    const newer = this.leaves[index];
    if (newer === leaf) return;
    this.#snapshots.restore(leaf);
    const isThere = newer?.number === leaf.number;
    if (isThere) this.#snapshots.retain(newer);
    this.leaves.splice(index, isThere ? 1 : 0, leaf);
  }

  /**
   * Counts rows and bytes again, because a write that was undone may have failed halfway.
   * @param numbers the numbers of the leaves whose rows were put back
   */
  recompute(numbers: readonly Integer[]): void {
    for (const number of new Set(numbers)) this.#leafOf(number)?.recompute(this.schema);
    this.leaves = this.leaves.filter((leaf) => leaf.size > 0);
    this.#recount();
  }

  #recount(): void {
    let [size, bytes] = [0, 0];
    for (const leaf of this.leaves) {
      size += leaf.size;
      bytes += leaf.bytes;
    }
    this.size = size;
    this.#leafBytes = bytes;
  }

  /** Returns the index of the first leaf whose number is not lower. */
  #indexFrom(number: Integer): number {
    const { leaves } = this;
    // Right unless a leaf is missing.
    const guess = Number(number) - Number(leaves[0]?.number);
    if (leaves[guess]?.number === number) return guess;
    return firstNotBefore(leaves.length, (index) => (leaves[index]?.number ?? number) < number);
  }

  #leafOf(number: Integer): Leaf | undefined {
    const leaf = this.leaves[this.#indexFrom(number)];
    return leaf?.number === number ? leaf : undefined;
  }

  /** Returns the leaf of a number, in a version that no snapshot sees. */
  #leafToWrite(number: Integer): Leaf {
    const index = this.#indexFrom(number);
    const leaf = this.leaves[index];
    const snapshots = this.#snapshots;
    if (leaf?.number !== number) {
      const added = new Leaf(number, snapshots.epoch, this.values.count, this.schema.ordered);
      this.leaves.splice(index, 0, added);
      this.#leafBytes += added.bytes;
      return added;
    }
    if (!snapshots.sees(leaf)) return leaf;
    const copy = leaf.copy(snapshots.epoch);
    this.leaves[index] = copy;
    snapshots.retain(leaf);
    return copy;
  }

  #drop(leaf: Leaf): void {
    this.leaves.splice(this.leaves.indexOf(leaf), 1);
    this.#leafBytes -= leaf.bytes;
  }
}
