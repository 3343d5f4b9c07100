import type { Condition } from '../condition/condition.ts';
import { type Criterion, compile } from '../query/criteria.ts';
import { type ChunkMatches, entriesOf, findMatches } from '../query/matches.ts';
import type { Pace } from '../query/pace.ts';
import type { Schema } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import { WORD } from '../state/byte-size.ts';
import type { Chunk, ChunkWrite, Write } from '../state/chunk.ts';
import { type Entry, entryOf, newBytesOf, type PendingCommit } from '../state/entry.ts';
import type { Transactions } from './transactions.ts';

type TransactionsOfAny = Pick<Transactions<Schema>, 'schema' | 'state' | 'depth' | 'commitState'>;

/** The prepared write of a chunk. */
interface PreparedWrite extends ChunkWrite {
  /** The number of rows that match, also those that do not differ after the change. */
  readonly matched: number;
  /** The memory that the new rows and the new chunk take besides the table, in bytes. */
  readonly bytes: number;
}

/**
 * Deletes or changes the rows that match conditions, in one commit. Prepares the next version of each
 * chunk, in steps. The commit installs them, and prepares those that were written meanwhile again.
 */
export class BulkWrite {
  readonly #transactions: TransactionsOfAny;
  readonly #criteria: readonly Criterion[];
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  readonly #isSlow: boolean;
  /** The commit of all new rows. */
  readonly #commit: PendingCommit = { number: 0 };
  /** By the version of the chunk that was examined; undefined if no row matches. */
  readonly #prepared = new Map<Chunk, PreparedWrite | undefined>();
  #bytes = 0;
  /** The last changed row. The next one shares its foldings where the texts are equal. */
  #changed: Entry | undefined;

  /**
   * @param change makes the new row from a matching one; by default, rows are deleted
   * @param isSlow whether the change of a row takes long, so that the clock is read after each
   */
  constructor(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    pace: Pace,
    change?: RowChange,
    isSlow = false,
  ) {
    this.#transactions = transactions;
    this.#criteria = compile(transactions.schema, conditions);
    this.#pace = pace;
    this.#change = change;
    this.#isSlow = isSlow;
  }

  /** The memory of the new rows and chunks, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of rows that `find` has found. */
  get found(): number {
    let found = 0;
    for (const write of this.#prepared.values()) found += write?.matched ?? 0;
    return found;
  }

  /** Whether all chunks are prepared as they are now, so that the commit is one short step. */
  get isPrepared(): boolean {
    return this.#transactions.state.chunks.every((chunk) => this.#prepared.has(chunk));
  }

  /**
   * Finds the rows, in steps of a fraction of a millisecond. Call it again to find those in chunks
   * that were written meanwhile.
   */
  *find(): Generator<undefined, void> {
    const { chunks } = this.#transactions.state;
    this.#forgetAllBut(chunks);
    this.#pace.beginStep();
    for (const _ of this.#prepare(chunks)) {
      yield;
      this.#pace.beginStep();
    }
  }

  /**
   * Deletes or changes the matching rows, including rows written meanwhile. Rows that do not differ
   * after the change are counted, but not written. Closes it, unless a transaction is running, which
   * may take the rows back: then it can be committed again.
   * @param transactions those of the table, or of a fork of it
   * @returns the number of rows that match
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(transactions = this.#transactions): number {
    const { state } = transactions;
    for (const _ of this.#prepare(state.chunks));
    const written: ChunkWrite[] = [];
    const chunks: Chunk[] = [];
    let { size } = state;
    let [matched, growth] = [0, 0];
    for (const chunk of state.chunks) {
      const prepared = this.#prepared.get(chunk);
      matched += prepared?.matched ?? 0;
      if (!prepared || prepared.count === 0) {
        chunks.push(chunk);
        continue;
      }
      const { after } = prepared;
      if (after) chunks.push(after);
      written.push(prepared);
      growth += (after?.bytes ?? 0) - chunk.bytes;
      size += (after?.entries.length ?? 0) - chunk.entries.length;
    }
    if (transactions.depth === 0) this.close();
    const bytes = state.bytes + growth;
    transactions.commitState({ ...state, chunks, size, bytes }, written, growth, this.#commit);
    return matched;
  }

  /** Frees the memory. Call it to abandon the write, and after the transaction of its commit. */
  close(): void {
    this.#prepared.clear();
    this.#changed = undefined;
    this.#bytes = 0;
  }

  /** Keeps what is prepared of these chunks. */
  #forgetAllBut(chunks: readonly Chunk[]): void {
    if (this.#prepared.size === 0) return;
    const kept = new Set(chunks);
    for (const [chunk, write] of this.#prepared) {
      if (kept.has(chunk)) continue;
      this.#prepared.delete(chunk);
      this.#bytes -= write?.bytes ?? 0;
    }
  }

  /** Prepares the writes of those chunks that are not prepared. */
  *#prepare(chunks: readonly Chunk[]): Generator<undefined, void> {
    const prepared = this.#prepared;
    const missing = chunks.filter((chunk) => !prepared.has(chunk));
    for (const matches of yield* findMatches(missing, this.#criteria, this.#pace)) {
      const write = yield* this.#prepareChunk(matches);
      prepared.set(matches.chunk, write);
      this.#bytes += write.bytes;
    }
    for (const chunk of missing) if (!prepared.has(chunk)) prepared.set(chunk, undefined);
  }

  /** Prepares the write of a chunk. */
  *#prepareChunk(matches: ChunkMatches): Generator<undefined, PreparedWrite> {
    const { schema } = this.#transactions;
    const { chunk: before, count: matched } = matches;
    const change = this.#change;
    const writes: Write[] = [];
    let bytes = 0;
    for (const entry of entriesOf(matches)) {
      const row = change?.(entry.row);
      if (this.#isSlow && this.#pace.isOver()) yield;
      if (row === entry.row) continue;
      // Often, all changed rows have the same new texts.
      const like = this.#changed;
      const after = row && entryOf(schema, entry.id, row, this.#commit, entry, like);
      this.#changed = after;
      writes.push({ before: entry, after });
      if (after) bytes += newBytesOf(schema, after, entry);
      if (this.#pace.spend(entry.bytes)) yield;
    }
    const count = writes.length;
    const after = count === 0 ? before : before.withAll(writes);
    if (after && after !== before) bytes += WORD * after.entries.length;
    return { before, after, count, matched, bytes };
  }
}
