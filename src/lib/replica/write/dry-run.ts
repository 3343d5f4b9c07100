import { type Integer, type Synchronous, UncommittedError } from '../../table/index.ts';
import type { ReplicaTable, RowToStore } from '../read/replica-table.ts';

/**
 * The maximum number of rows in a transaction. By default, etcd accepts 128 operations; two of them
 * put and get the head.
 */
export const MAX_TRANSACTION_ROWS = 126;

/**
 * The maximum UTF-16 units of a transaction's rows. A unit takes up to four bytes, as base64 of
 * UTF-8. By default, etcd accepts requests of 1.5 MiB.
 */
export const MAX_TRANSACTION_TEXT = 350_000;

/** After this many postponed rows, no more writes are tried, because each would run again later. */
const MAX_POSTPONED = 200;

/** A write that is not settled. */
export interface PendingWrite {
  readonly work: () => Synchronous;
  /** `sent` while etcd may apply its transaction; `waiting` again if etcd has not. */
  state: 'waiting' | 'sent';
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
  /** Settles the write, unless it is settled. @param number the number of the commit */
  readonly settle: (result: Result, number: number) => void;
}

/** The result of work: returns its value, or throws its error. */
export type Result = () => unknown;

/** Work for one transaction: each write with its result, and all rows that they write. */
export interface Batch {
  readonly results: ReadonlyMap<PendingWrite, Result>;
  readonly rows: readonly RowToStore[];
  /** The `idsAssigned` of the table after these writes. */
  readonly idsAssigned: bigint;
}

/** Thrown to undo work that is left for a later transaction. */
const POSTPONED = new Error('postponed');

/**
 * Runs as many writes against the table as fit one transaction, and undoes them all. Postpones a
 * second write to a row, because a transaction can write each key only one time. Also postpones a
 * write that reads `table.version` after a write.
 */
export function dryRun(replica: ReplicaTable, waiting: Iterable<PendingWrite>): Batch {
  const { table } = replica;
  const results = new Map<PendingWrite, Result>();
  const rows = new Map<Integer, RowToStore>();
  let length = 0;
  let postponed = 0;

  const idsAssigned = table.dryRun((writtenAfter) => {
    for (const pending of waiting) {
      if (rows.size >= MAX_TRANSACTION_ROWS || postponed >= MAX_POSTPONED) break;
      try {
        const value = table.transaction(() => {
          const value = pending.work();
          const written = writtenAfter(rows.size).map((change) => replica.toStore(change));
          const total = written.reduce((sum, { text = '' }) => sum + text.length, length);
          const isTooLarge =
            total > MAX_TRANSACTION_TEXT || rows.size + written.length > MAX_TRANSACTION_ROWS;
          const isRepeated = written.some(({ id }) => rows.has(id));
          if (isRepeated || (isTooLarge && rows.size > 0)) {
            postponed += written.length;
            throw POSTPONED;
          }
          for (const row of written) rows.set(row.id, row);
          length = total;
          return value;
        });
        results.set(pending, () => value);
      } catch (thrown) {
        if (thrown instanceof UncommittedError) postponed++;
        else if (thrown !== POSTPONED) results.set(pending, () => raise(thrown));
      }
    }
    return table.idsAssigned;
  });
  return { results, rows: [...rows.values()], idsAssigned };
}

/** Throws as an expression. */
export function raise(thrown: unknown): never {
  throw thrown;
}
