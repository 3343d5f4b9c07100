import { UncommittedError } from '../../table/errors.ts';
import type { Change } from '../../table/write/commit.ts';
import type { ItemFields } from '../../todo/item-api.ts';
import type { ReplicaTable, RowChange } from '../read/replica-table.ts';
import type { Operation, Result } from './operation.ts';

/**
 * The maximum number of rows in a transaction. By default, etcd accepts 128 operations; two are for
 * the head.
 */
export const MAX_ROWS = 100;

/** By default, etcd accepts requests of 1.5 MiB. */
const MAX_BYTES = 1024 * 1024;

/** How many operations to postpone before the batch is closed. */
const MAX_POSTPONED = 200;

/** A row to write or delete. */
export interface UnwrittenRow extends RowChange {
  /** The encoded row; undefined if it is to be deleted. */
  readonly text: string | undefined;
}

/** Operations that become one transaction, the result of each, and everything they write. */
export interface Batch {
  readonly results: readonly { readonly operation: Operation; readonly result: Result }[];
  readonly rows: readonly UnwrittenRow[];
  readonly idsAssigned: number;
}

/** Thrown to undo an operation that is left for a later transaction. */
const POSTPONED = new Error('postponed');

/**
 * Runs as many operations against the table as fit one transaction, and undoes them all. An
 * operation that throws does not affect the others. An operation that writes the same row as an
 * earlier one is left for later, because an etcd transaction may write a key only once. So is one
 * that asks which commit wrote what an earlier one has written.
 */
export function dryRun(shown: ReplicaTable, operations: Iterable<Operation>): Batch {
  const { table } = shown;
  const results: { operation: Operation; result: Result }[] = [];
  const rows = new Map<number | bigint, UnwrittenRow>();
  let bytes = 0;
  let postponed = 0;

  const idsAssigned = table.rehearse((writtenAfter) => {
    for (const operation of operations) {
      if (operation.isSettled) continue;
      if (rows.size >= MAX_ROWS || postponed >= MAX_POSTPONED) break;
      let written: readonly UnwrittenRow[] = [];
      const result = resultOf(() =>
        table.transaction(() => {
          const value = operation.work();
          written = writtenAfter(rows.size).map((change) => rowOf(change, shown));
          const size = written.reduce((sum, row) => sum + bytesOf(row), bytes);
          const isTooLarge = size > MAX_BYTES || rows.size + written.length > MAX_ROWS;
          if ((isTooLarge && rows.size > 0) || written.some(({ id }) => rows.has(id)))
            throw POSTPONED;
          bytes = size;
          return value;
        }),
      );
      if (isPostponed(result)) {
        postponed++;
        continue;
      }
      if (result.error === undefined) for (const row of written) rows.set(row.id, row);
      results.push({ operation, result });
    }
    return table.idsAssigned;
  });
  return { results, rows: [...rows.values()], idsAssigned };
}

function isPostponed({ error }: Result): boolean {
  return error?.thrown === POSTPONED || error?.thrown instanceof UncommittedError;
}

function resultOf(work: () => unknown): Result {
  try {
    return { value: work() };
  } catch (thrown) {
    return { error: { thrown } };
  }
}

function rowOf({ put, deleted }: Change<ItemFields>, shown: ReplicaTable): UnwrittenRow {
  if (put !== undefined) return { id: put.id, row: put, ...shown.stored(put) };
  return { id: deleted.id, row: undefined, unknown: undefined, text: undefined };
}

/** An upper bound: UTF-8 needs at most three bytes per UTF-16 code unit. */
function bytesOf({ text = '' }: UnwrittenRow): number {
  return text.length * 3;
}
