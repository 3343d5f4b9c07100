import type { Change, Integer, Synchronous } from '../../lib/table/index.ts';
import { raise } from './errors.ts';
import { put, remove } from './etcd/gateway.ts';
import type { Head } from './head.ts';
import type { ReplicatedList } from './list.ts';
import type { ListItems, ListSchema } from './rows.ts';

/** The maximum number of rows in a commit. By default, etcd accepts 128 operations. */
export const MAX_COMMIT_ROWS = 126;

/**
 * The maximum UTF-16 units of a commit's rows. A unit takes up to four bytes, as base64 of UTF-8. By
 * default, etcd accepts requests of 1.5 MiB.
 */
export const MAX_COMMIT_TEXT = 350_000;

/** The number of a commit that etcd has not stored: it is later than all others. */
export const UNSTORED = Number.POSITIVE_INFINITY;

/** A write that is not settled. */
export interface PendingWrite {
  readonly work: (items: ListItems) => Synchronous;
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
  /** The `idsAssigned` of the items after these writes. */
  readonly idsAssigned: bigint;
}

/**
 * Runs waiting writes on a fork of the items in their order, as many as fit a commit. Stops at a
 * write that would make the commit too large, or that writes a row again, because etcd refuses a
 * transaction that writes a key twice.
 */
export function dryRun(
  { items, codec, keys }: ReplicatedList,
  { members: { generation } }: Head,
  waiting: Iterable<PendingWrite>,
): Batch {
  const results = new Map<PendingWrite, Result>();
  const rows = new Map<Integer, object>();
  let textLength = 0;
  const fork = items.fork();
  const { table } = fork;
  let { idsAssigned } = table;
  let changes: readonly Change<ListSchema>[] = [];
  table.onCommit((commit) => {
    changes = [...commit.changes];
  });
  for (const pending of waiting) {
    changes = [];
    const result = resultOf(() => table.transaction(() => pending.work(fork), UNSTORED));
    const written = changes.map(({ put: row, deleted }) => ({
      id: (row ?? deleted).id,
      text: row && codec.encode(row),
    }));
    for (const { text = '' } of written) textLength += text.length;
    const isTooLarge = rows.size + written.length > MAX_COMMIT_ROWS || textLength > MAX_COMMIT_TEXT;
    const isRepeated = written.some(({ id }) => rows.has(id));
    // Without rows, even a write that is too large is taken, because waiting would not help.
    if (rows.size > 0 && (isTooLarge || isRepeated)) break;
    for (const { id, text } of written) {
      const key = keys.row(generation, id);
      rows.set(id, text === undefined ? remove(key) : put(key, text));
    }
    idsAssigned = table.idsAssigned;
    results.set(pending, result);
  }
  return { results, operations: [...rows.values()], idsAssigned };
}

/** Runs work, and keeps the error that it throws. */
function resultOf(work: () => unknown): Result {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => raise(error);
  }
}
