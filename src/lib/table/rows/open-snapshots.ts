import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Leaf } from './leaf.ts';
import type { ValueMasks } from './value-masks.ts';

/** Leaves to read: of a table, or of a snapshot. */
export interface LeafList {
  readonly schema: ResolvedSchema;
  readonly values: ValueMasks;
  /** In order of their numbers. No leaf is empty. */
  readonly leaves: readonly Leaf[];
  /** The number of rows. */
  readonly size: number;
}

/** The leaves of a table at one moment. */
export interface Snapshot extends LeafList {
  /** The snapshot sees leaves made in this epoch or before. */
  readonly epoch: number;
  /** Must be called one time. */
  readonly close: () => void;
  /** The leaves that were replaced while this snapshot was the newest. */
  readonly retained: Set<Leaf>;
}

/**
 * The open snapshots of a table, and the bytes of the leaves that the table has replaced for them.
 * A leaf counts as a whole, although its next version shares most rows with it. It belongs to the
 * newest snapshot that sees it. When that closes, the leaf passes to the next older snapshot that
 * sees it, or is freed.
 */
export class OpenSnapshots {
  /** The epoch of current writes. Snapshots see leaves of earlier epochs. */
  epoch = 1;
  bytes = 0;
  /** From the oldest to the newest. */
  readonly #open: Snapshot[] = [];

  /** Whether a snapshot sees a leaf, so that it must not change. */
  sees(leaf: Leaf): boolean {
    const { length } = this.#open;
    return length > 0 && leaf.epoch <= (this.#open[length - 1]?.epoch ?? 0);
  }

  open({ schema, values, leaves, size }: LeafList): Snapshot {
    const snapshot: Snapshot = {
      schema,
      values,
      leaves: leaves.slice(),
      size,
      epoch: this.epoch++,
      close: () => this.#close(snapshot),
      retained: new Set(),
    };
    this.#open.push(snapshot);
    return snapshot;
  }

  /** Counts a leaf that the table has replaced, if a snapshot sees it. Idempotent. */
  retain(leaf: Leaf): void {
    const newest = this.#open.at(-1);
    if (!newest || !this.sees(leaf) || newest.retained.has(leaf)) return;
    newest.retained.add(leaf);
    this.bytes += leaf.bytes;
  }

  /** Stops counting a replaced leaf, because the table uses it again. */
  restore(leaf: Leaf): void {
    const isCounted = this.#open.some(({ retained }) => retained.delete(leaf));
    if (isCounted) this.bytes -= leaf.bytes;
    // No open snapshot contains the leaf, so it may change, even if its epoch is earlier.
    else leaf.epoch = this.epoch;
  }

  #close(snapshot: Snapshot): void {
    const index = this.#open.indexOf(snapshot);
    this.#open.splice(index, 1);
    const older = this.#open[index - 1];
    for (const leaf of snapshot.retained) {
      if (older && leaf.epoch <= older.epoch) older.retained.add(leaf);
      else this.bytes -= leaf.bytes;
    }
  }
}
