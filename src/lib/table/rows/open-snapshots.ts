import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Chunk } from './chunk.ts';
import type { TextIndex } from './text-index.ts';
import type { ValueMasks } from './value-masks.ts';

/** A version of a leaf or chunk. While a snapshot sees it, it does not change. */
interface Version {
  /** The epoch in which it was made. */
  epoch: number;
  readonly bytes: number;
}

/** Chunks to read: of a table, or of a snapshot. */
export interface Chunks {
  readonly schema: ResolvedSchema;
  /** In order of their numbers. */
  readonly chunks: readonly Chunk[];
  /** The number of rows. */
  readonly size: number;
  readonly texts: TextIndex;
  readonly values: ValueMasks;
}

/** The chunks of a table at one moment. */
export interface ChunkSnapshot extends Chunks {
  /** The snapshot sees versions made in this epoch or before. */
  readonly epoch: number;
  /** Must be called one time. */
  readonly close: () => void;
  /** The versions that were replaced while this snapshot was the newest. */
  readonly retained: Set<Version>;
}

/**
 * The open snapshots of a table, and the bytes of the versions that the table has replaced for them.
 * A leaf counts as a whole, although its next version shares most rows with it. A version belongs to
 * the newest snapshot that sees it. When that closes, the version passes to the next older snapshot
 * that sees it, or is freed.
 */
export class OpenSnapshots {
  /** The epoch of current writes. Snapshots see versions of earlier epochs. */
  epoch = 1;
  bytes = 0;
  /** From the oldest to the newest. */
  readonly #open: ChunkSnapshot[] = [];

  /** Whether any snapshot is open. */
  get areOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether a snapshot sees a version, so that it must not change. */
  sees({ epoch }: Version): boolean {
    const newest = this.#open.at(-1);
    return newest !== undefined && epoch <= newest.epoch;
  }

  open({ schema, chunks, size, texts, values }: Chunks): ChunkSnapshot {
    const snapshot: ChunkSnapshot = {
      schema,
      chunks,
      size,
      texts,
      values,
      epoch: this.epoch++,
      close: () => this.#close(snapshot),
      retained: new Set(),
    };
    this.#open.push(snapshot);
    return snapshot;
  }

  /** Counts a version that the table has replaced, if a snapshot sees it. Idempotent. */
  retain(version: Version): void {
    const newest = this.#open.at(-1);
    if (!newest || !this.sees(version) || newest.retained.has(version)) return;
    newest.retained.add(version);
    this.bytes += version.bytes;
  }

  /** Counts a replaced version no longer, because the table uses it again. */
  restore(version: Version): void {
    const isCounted = this.#open.some(({ retained }) => retained.delete(version));
    if (isCounted) this.bytes -= version.bytes;
    // No snapshot has it, also none that was opened after it was replaced.
    else version.epoch = this.epoch;
  }

  #close(snapshot: ChunkSnapshot): void {
    const index = this.#open.indexOf(snapshot);
    this.#open.splice(index, 1);
    const older = this.#open[index - 1];
    for (const version of snapshot.retained) {
      if (older && version.epoch <= older.epoch) older.retained.add(version);
      else this.bytes -= version.bytes;
    }
  }
}
