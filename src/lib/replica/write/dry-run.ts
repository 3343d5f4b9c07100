import { type Synchronous, UncommittedError } from '../../table/index.ts';
import type { ReplicaTable, UnwrittenRow } from '../read/replica-table.ts';

/** The maximum number of rows in a transaction. By default, etcd accepts 128 operations. */
export const MAX_ROWS = 100;

/**
 * The maximum text of their rows, in UTF-16 code units, each of which takes at most four bytes as
 * base64 of UTF-8. By default, etcd accepts requests of 1.5 MiB.
 */
export const MAX_TEXT = 350_000;

/** How many operations to postpone before the batch is closed. */
const MAX_POSTPONED = 200;

/** An operation that waits to be committed. */
export interface Operation {
  readonly work: () => Synchronous;
  /** By `clock.now()`. */
  readonly deadline: number;
  /** Answers it, unless it has been answered. @param number that of the commit */
  readonly settle: (result: Result, number: number) => void;
}

/** The result of an operation's work: returns its value, or throws what it threw. */
export type Result = () => unknown;

/** Operations that become one transaction, each with its result, and everything they write. */
export type Batch = ReturnType<typeof dryRun>;

/** Thrown to undo an operation that is left for a later transaction. */
const POSTPONED = new Error('postponed');

/**
 * Runs as many operations against the table as fit one transaction, and undoes them all. One that
 * throws does not affect the others. One that writes the same row as an earlier one is left for
 * later, because a transaction may write a key only once; and so is one that asks which commit
 * wrote what an earlier one has written.
 */
export function dryRun(shown: ReplicaTable, operations: Iterable<Operation>) {
  const { table } = shown;
  const results = new Map<Operation, Result>();
  const rows = new Map<number | bigint, UnwrittenRow>();
  let length = 0;
  let postponed = 0;

  const idsAssigned = table.rehearse((writtenAfter) => {
    for (const operation of operations) {
      if (rows.size >= MAX_ROWS || postponed >= MAX_POSTPONED) break;
      try {
        const value = table.transaction(() => {
          const value = operation.work();
          const written = writtenAfter(rows.size).map((change) => shown.toStore(change));
          const total = written.reduce((sum, { text = '' }) => sum + text.length, length);
          const isTooLarge = total > MAX_TEXT || rows.size + written.length > MAX_ROWS;
          const isRepeated = written.some(({ id }) => rows.has(id));
          if (isRepeated || (isTooLarge && rows.size > 0)) throw POSTPONED;
          for (const row of written) rows.set(row.id, row);
          length = total;
          return value;
        });
        results.set(operation, () => value);
      } catch (thrown) {
        if (thrown === POSTPONED || thrown instanceof UncommittedError) postponed++;
        else results.set(operation, () => raise(thrown));
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
