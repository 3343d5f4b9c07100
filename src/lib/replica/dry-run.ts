import { type Integer, type Synchronous, UncommittedError } from '../table/index.ts';
import { raise } from './errors.ts';
import { put, remove } from './etcd/gateway.ts';
import type { Head } from './head.ts';
import type { ReplicatedList } from './list.ts';

/** The maximum number of rows in a commit. By default, etcd accepts 128 operations. */
export const MAX_COMMIT_ROWS = 126;

/**
 * The maximum UTF-16 units of a commit's rows. A unit takes up to four bytes, as base64 of UTF-8. By
 * default, etcd accepts requests of 1.5 MiB.
 */
export const MAX_COMMIT_TEXT = 350_000;

/** A write that is not settled. */
export interface PendingWrite {
  readonly work: () => Synchronous;
  /** When to give up, by `clock.now()`. */
  readonly deadline: number;
  /** Settles the write. @param number the number of the commit */
  readonly settle: (result: Result, number: number) => void;
}

/** The result of work: returns its value, or throws its error. */
type Result = () => unknown;

/** Work for one commit: each write with its result, and all rows that they write. */
export interface Batch {
  readonly results: ReadonlyMap<PendingWrite, Result>;
  readonly operations: readonly object[];
  /** The `idsAssigned` of the table after these writes. */
  readonly idsAssigned: bigint;
}

/**
 * Runs waiting writes against the table in their order, as many as fit a commit, and takes them all
 * back. Stops at a write that would make the commit too large, that writes a row again (etcd
 * refuses a transaction that writes a key twice), or that needs the commit number of an earlier
 * write.
 */
export function dryRun(
  { table, codec, keys }: ReplicatedList,
  { members: { generation } }: Head,
  waiting: Iterable<PendingWrite>,
): Batch {
  const results = new Map<PendingWrite, Result>();
  const rows = new Map<Integer, object>();
  let textLength = 0;
  let { idsAssigned } = table;

  table.dryRun((changesAfter) => {
    for (const pending of waiting) {
      const hasRows = rows.size > 0;
      try {
        const value = table.transaction(pending.work);
        const written = changesAfter(rows.size).map(({ put: row, deleted }) => ({
          id: (row ?? deleted).id,
          text: row && codec.encode(row),
        }));
        for (const { text = '' } of written) textLength += text.length;
        const isTooLarge =
          rows.size + written.length > MAX_COMMIT_ROWS || textLength > MAX_COMMIT_TEXT;
        // Without rows, even a write that is too large is taken, because waiting would not help.
        if (hasRows && (isTooLarge || written.some(({ id }) => rows.has(id)))) return;
        for (const { id, text } of written) {
          const key = keys.row(generation, id);
          rows.set(id, text === undefined ? remove(key) : put(key, text));
        }
        idsAssigned = table.idsAssigned;
        results.set(pending, () => value);
      } catch (error) {
        if (error instanceof UncommittedError && hasRows) return;
        results.set(pending, () => raise(error));
      }
    }
  });
  return { results, operations: [...rows.values()], idsAssigned };
}
