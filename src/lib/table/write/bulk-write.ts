import type { Condition } from '../condition/condition.ts';
import { CommitError } from '../errors.ts';
import { type Criteria, compile } from '../query/criteria.ts';
import { entriesOf, findMatches, type Part } from '../query/matches.ts';
import { ENDLESS, type Pace, runToEnd } from '../query/pace.ts';
import { WORD } from '../schema/byte-size.ts';
import type { Schema } from '../schema/column.ts';
import type { RowChange } from '../schema/resolved-schema.ts';
import { type Chunk, type CommitNumber, type Entry, entryOf } from '../state/chunk.ts';
import type { Transactions, Write } from './transactions.ts';

type TransactionsOfAny = Pick<
  Transactions<Schema>,
  'schema' | 'state' | 'depth' | 'open' | 'writeAll'
>;

/** The prepared write of a chunk. */
interface PreparedWrite extends Write {
  /** The next version; undefined if all rows are deleted. */
  readonly newer: Chunk | undefined;
  /** The growth of the rows, in bytes. */
  readonly growth: number;
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

  /** Finds and writes the rows in one step, even within a transaction. Returns their number. */
  static now(
    transactions: TransactionsOfAny,
    conditions: readonly Condition[],
    change?: RowChange,
  ): number {
    return new BulkWrite(transactions, conditions, ENDLESS, change).#write();
  }

  /** The memory that it holds besides the table, in bytes. */
  get bytes(): number {
    return this.#criteria.bytes + this.#bytes;
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
   * after the change are counted, but not written.
   * @returns the number of rows that match
   * @throws CommitError within a transaction
   * @throws TableFullError when changed rows exceed `maxBytes`, unless they do not grow
   */
  commit(): number {
    if (this.#transactions.depth === 0) return this.#write();
    throw new CommitError('a bulk write cannot be committed within a transaction');
  }

  #write(): number {
    const { state } = this.#transactions;
    runToEnd(this.#prepare(state.chunks.filter((chunk) => !this.#prepared.has(chunk))));
    const writes: PreparedWrite[] = [];
    const chunks: Chunk[] = [];
    let { size, bytes } = state;
    let [matched, growth] = [0, 0];
    for (const chunk of state.chunks) {
      const write = this.#prepared.get(chunk);
      const newer = write ? write.newer : chunk;
      matched += write?.matched ?? 0;
      if (newer) chunks.push(newer);
      if (!write || newer === chunk) continue;
      writes.push(write);
      growth += write.growth;
      size += (newer?.entries.length ?? 0) - chunk.entries.length;
      bytes += (newer?.bytes ?? 0) - chunk.bytes;
    }
    this.close();
    const next = { ...state, chunks, size, bytes };
    this.#transactions.writeAll(next, writes, growth, this.#commit);
    return matched;
  }

  /** Frees the memory. Call it instead of `commit` to abandon the write. */
  close(): void {
    this.#close?.();
    this.#close = undefined;
    this.#prepared.clear();
    this.#bytes = 0;
  }

  *#prepare(chunks: readonly Chunk[]): Generator<undefined, void> {
    const prepared = this.#prepared;
    for (const part of yield* findMatches(chunks, this.#criteria, this.#pace)) {
      const write = yield* this.#writeTo(part);
      prepared.set(part.chunk, write);
      this.#bytes += WORD * (2 * write.before.length + (write.newer?.entries.length ?? 0));
      for (const after of write.after) this.#bytes += after?.bytes ?? 0;
    }
    for (const chunk of chunks) if (!prepared.has(chunk)) prepared.set(chunk, undefined);
  }

  /** Prepares the write of a chunk. */
  *#writeTo(part: Part): Generator<undefined, PreparedWrite> {
    const { schema } = this.#transactions;
    const { chunk, count: matched } = part;
    const change = this.#change;
    const [before, after]: [Entry[], Entry[]] = [[], []];
    let growth = 0;
    for (const entry of entriesOf(part)) {
      const row = change?.(entry.row);
      if (row === entry.row) continue;
      before.push(entry);
      growth -= entry.bytes;
      if (row) {
        const newer = entryOf(schema, entry.id, row, this.#commit);
        chunk.sign(newer, entry);
        after.push(newer);
        growth += newer.bytes;
      }
      if (this.#pace.count()) yield;
    }
    const newer = before.length === 0 ? chunk : chunk.replace(schema, before, after, growth);
    return { newer, before, after, growth, matched };
  }
}
