import type { Condition } from '../condition/condition.ts';
import { type Criteria, compile } from '../query/criteria.ts';
import { entriesOf, findMatches, type Part } from '../query/matches.ts';
import { type Pace, runToEnd } from '../query/pace.ts';
import { WORD } from '../schema/byte-size.ts';
import type { Schema } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import { type Chunk, type CommitNumber, entryOf, newBytesOf, type Write } from '../state/chunk.ts';
import type { Transactions } from './transactions.ts';

type TransactionsOfAny = Pick<
  Transactions<Schema>,
  'schema' | 'state' | 'depth' | 'open' | 'writeAll'
>;

/** The bytes of a write without its entries: the object, and the word that refers to it. */
const WRITE_BYTES = 6 * WORD;

/** The prepared write of a chunk. */
interface PreparedWrite {
  readonly writes: readonly Write[];
  /** The next version; undefined if all rows are deleted. */
  readonly newer: Chunk | undefined;
  /** The number of rows that match, also those that do not differ after the change. */
  readonly matched: number;
}

/**
 * Deletes or changes the rows that match conditions, in one commit. Prepares new chunks in steps.
 * The commit installs them, and examines only the chunks that were written meanwhile again.
 */
export class BulkWrite {
  readonly #transactions: TransactionsOfAny;
  readonly #criteria: Criteria;
  readonly #pace: Pace;
  readonly #change: RowChange | undefined;
  /** The commit of all new rows. */
  readonly #commit: CommitNumber = { number: 0 };
  /** By the version of the chunk that was examined; undefined if no row matches. */
  readonly #prepared = new Map<Chunk, PreparedWrite | undefined>();
  #close: (() => void) | undefined;
  #bytes = 0;

  /** @param change makes the new row from a matching one; by default, rows are deleted */
  constructor(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    pace: Pace,
    change?: RowChange,
  ) {
    this.#transactions = transactions;
    this.#criteria = compile(transactions.schema, conditions);
    this.#pace = pace;
    this.#change = change;
  }

  /** The memory that it holds besides the table, in bytes. */
  get bytes(): number {
    return this.#criteria.bytes + this.#bytes;
  }

  /** The number of rows that `find` has found. */
  get found(): number {
    let found = 0;
    for (const write of this.#prepared.values()) found += write?.matched ?? 0;
    return found;
  }

  /** Finds the rows, in steps of a fraction of a millisecond. */
  *find(): Generator<undefined, void> {
    this.#close ??= this.#transactions.open();
    this.#pace.beginStep();
    for (const _ of this.#prepare(this.#transactions.state.chunks)) {
      yield;
      this.#pace.beginStep();
    }
  }

  /**
   * Deletes or changes the matching rows, including rows written meanwhile. Rows that do not differ
   * after the change are counted, but not written. Closes it, unless a transaction is running, which
   * may take the rows back: then it can be committed again.
   * @returns the number of rows that match
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(): number {
    const { state } = this.#transactions;
    runToEnd(this.#prepare(state.chunks.filter((chunk) => !this.#prepared.has(chunk))));
    const writes: (readonly Write[])[] = [];
    const chunks: Chunk[] = [];
    let { size, bytes } = state;
    let [matched, growth] = [0, 0];
    for (const chunk of state.chunks) {
      const prepared = this.#prepared.get(chunk);
      const newer = prepared ? prepared.newer : chunk;
      matched += prepared?.matched ?? 0;
      if (newer) chunks.push(newer);
      if (!prepared || newer === chunk) continue;
      writes.push(prepared.writes);
      growth += (newer?.entryBytes ?? 0) - chunk.entryBytes;
      size += (newer?.entries.length ?? 0) - chunk.entries.length;
      bytes += (newer?.bytes ?? 0) - chunk.bytes;
    }
    if (this.#transactions.depth === 0) this.close();
    const next = { ...state, chunks, size, bytes };
    this.#transactions.writeAll(next, writes, growth, this.#commit);
    return matched;
  }

  /** Frees the memory. Call it to abandon the write, and after the transaction of its commit. */
  close(): void {
    this.#close?.();
    this.#close = undefined;
    this.#prepared.clear();
    this.#bytes = 0;
  }

  *#prepare(chunks: readonly Chunk[]): Generator<undefined, void> {
    const prepared = this.#prepared;
    for (const part of yield* findMatches(chunks, this.#criteria, this.#pace)) {
      const write = yield* this.#prepareChunk(part);
      prepared.set(part.chunk, write);
      this.#bytes += WORD * (write.newer?.entries.length ?? 0);
      for (const { before, after } of write.writes) {
        this.#bytes +=
          WRITE_BYTES + (after ? newBytesOf(this.#transactions.schema, after, before) : 0);
      }
    }
    for (const chunk of chunks) if (!prepared.has(chunk)) prepared.set(chunk, undefined);
  }

  /** Prepares the write of a chunk. */
  *#prepareChunk(part: Part): Generator<undefined, PreparedWrite> {
    const { schema } = this.#transactions;
    const { chunk, count: matched } = part;
    const change = this.#change;
    const writes: Write[] = [];
    for (const entry of entriesOf(part)) {
      const row = change?.(entry.row);
      if (row === entry.row) continue;
      const after = row && entryOf(schema, entry.id, row, this.#commit);
      writes.push({ before: entry, after });
      if (this.#pace.count()) yield;
    }
    const newer = writes.length === 0 ? chunk : chunk.withAll(schema, writes);
    return { writes, newer, matched };
  }
}
