import { type Chunk, type ChunkWrite, writesOf } from '../state/chunk.ts';
import type { Entry } from '../state/entry.ts';
import { chunkAt, find, type State } from '../state/state.ts';

/** A state that a cursor or a bulk write reads. */
interface OpenState {
  readonly state: State;
  /** The bytes of this state that the next open one, or the state of the table, does not have. */
  bytes: number;
}

/** The states of a table that are being read, and the bytes that only they have. */
export class OpenStates {
  /** The sum of the bytes of all open states. */
  bytes = 0;
  /** From the oldest to the newest. */
  readonly #open: OpenState[] = [];

  /** Opens a state. @returns the function that closes it, which is idempotent */
  open(state: State, current: () => State): () => void {
    const opened = { state, bytes: 0 };
    this.#open.push(opened);
    return () => this.#close(opened, current());
  }

  /**
   * Counts an entry that the table has replaced, if an open state has it. Then the newest one has
   * it, because the table had it until now.
   */
  replace(entry: Entry): void {
    const newest = this.#open.at(-1);
    if (!newest || find(newest.state, entry.id) !== entry) return;
    newest.bytes += entry.bytes;
    this.bytes += entry.bytes;
  }

  /** Counts the entries of chunks that the table has replaced, as {@link replace} does. */
  replaceChunks(written: readonly ChunkWrite[]): void {
    const newest = this.#open.at(-1);
    if (!newest) return;
    for (const write of written) {
      if (chunkAt(newest.state, write.before.number) === write.before) {
        newest.bytes += write.replacedBytes;
        this.bytes += write.replacedBytes;
      } else {
        // Some of its entries were replaced before.
        for (const { before } of writesOf(write)) if (before) this.replace(before);
      }
    }
  }

  /** Counts the bytes of the newest state again, after the table has taken another state. */
  recount(current: State): void {
    const newest = this.#open.at(-1);
    if (newest) this.#count(newest, current);
  }

  #close(opened: OpenState, current: State): void {
    const index = this.#open.indexOf(opened);
    if (index < 0) return;
    this.#open.splice(index, 1);
    this.bytes -= opened.bytes;
    const older = this.#open[index - 1];
    const next = this.#open[index]?.state ?? current;
    if (older && next !== opened.state) this.#count(older, next);
  }

  #count(opened: OpenState, next: State): void {
    let bytes = 0;
    for (const chunk of opened.state.chunks) bytes += bytesWithout(chunk, next);
    this.bytes += bytes - opened.bytes;
    opened.bytes = bytes;
  }
}

/** Returns the bytes of a chunk that the next state does not have. */
function bytesWithout(chunk: Chunk, next: State): number {
  const newer = chunkAt(next, chunk.number);
  if (newer === chunk) return 0;
  if (!newer) return chunk.bytes;
  let bytes = 0;
  for (const [i, entry] of chunk.entries.entries()) {
    const other = newer.entries[i];
    // At the same index, unless ids before it were inserted or deleted.
    const now = other?.id === entry.id ? other : newer.find(entry.id);
    if (now !== entry) bytes += entry.bytes;
  }
  return bytes;
}
