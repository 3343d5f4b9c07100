import type { ResolvedSchema } from '../schema/resolved-schema.ts';
import type { Chunk } from './chunk.ts';
import type { TextIndex } from './text-index.ts';
import type { ValueMasks } from './value-masks.ts';

/** Bytes that only snapshots use, and the epoch or commit that made them. */
interface Retained {
  readonly epoch: number;
  readonly revision: number;
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
  /** The snapshot sees leaves and chunks made in this epoch or before. */
  readonly epoch: number;
  /** The number of the last commit that it shows. */
  readonly revision: number;
  /** Must be called one time. */
  readonly close: () => void;
  /** The rows and leaves that were replaced while this snapshot was the newest. */
  readonly retained: Retained[];
}

/**
 * The open snapshots of a table, and the bytes that only they use. An old row or leaf belongs to
 * the newest snapshot that shows it. When that closes, the row or leaf passes to the next older
 * snapshot that shows it, or is freed.
 */
export class OpenSnapshots {
  /** The epoch of current writes. Snapshots see objects of earlier epochs. */
  epoch = 1;
  bytes = 0;
  /** The number of the last commit that has written. */
  #revision = 0;
  /** From the oldest to the newest. */
  readonly #open: ChunkSnapshot[] = [];

  /** Whether any snapshot is open. */
  get areOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether a snapshot sees objects of an epoch, so that they must not change. */
  sees(epoch: number): boolean {
    return this.#newest !== undefined && epoch <= this.#newest.epoch;
  }

  /** Whether a snapshot shows a row of a commit. */
  shows(revision: number): boolean {
    return this.#newest !== undefined && revision <= this.#newest.revision;
  }

  /** Records a write of a commit. */
  noteWrite(revision: number): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  open({ schema, chunks, size, texts, values }: Chunks): ChunkSnapshot {
    const snapshot: ChunkSnapshot = {
      schema,
      chunks,
      size,
      texts,
      values,
      epoch: this.epoch++,
      revision: this.#revision,
      close: () => this.#close(snapshot),
      retained: [],
    };
    this.#open.push(snapshot);
    return snapshot;
  }

  /** Counts the bytes of an object that the table no longer uses, if a snapshot shows it. */
  retain(bytes: number, of: Partial<Omit<Retained, 'bytes'>> = {}): void {
    const { epoch = 0, revision = -1 } = of;
    if (!this.sees(epoch) || !this.shows(revision)) return;
    this.#newest?.retained.push({ epoch, revision, bytes });
    this.bytes += bytes;
  }

  get #newest(): ChunkSnapshot | undefined {
    return this.#open.at(-1);
  }

  #close(snapshot: ChunkSnapshot): void {
    const index = this.#open.indexOf(snapshot);
    this.#open.splice(index, 1);
    const older = this.#open[index - 1];
    for (const each of snapshot.retained) {
      const isShown = older && each.epoch <= older.epoch && each.revision <= older.revision;
      if (isShown) older.retained.push(each);
      else this.bytes -= each.bytes;
    }
  }
}
