import type { ReplayedRow, Table } from '../table/table.ts';
import type { Change } from '../table/write/commit.ts';
import type { Synchronous } from '../table/write/synchronous.ts';
import type { TodoFields } from '../todo/fields.ts';
import type { Operation, Result } from './operation.ts';
import type { RowCodec } from './row-codec.ts';

/** etcd takes 128 operations in a transaction, unless it is told otherwise; one is the head. */
const MAX_ROWS = 100;

/** etcd takes 1.5 MiB in a request, unless it is told otherwise. */
const MAX_BYTES = 1024 * 1024;

/** Operations that are left for later, one after the other, before no more are tried. */
const MAX_POSTPONED = 200;

/** A row as it is to be written. */
export interface RehearsedRow extends ReplayedRow<TodoFields> {
  /** Undefined where it is to be deleted. */
  readonly text: string | undefined;
}

/** Operations that become one transaction, what each of them gave, and all that they write. */
export interface Batch {
  readonly results: readonly { readonly operation: Operation; readonly result: Result }[];
  readonly rows: readonly RehearsedRow[];
  readonly idsGiven: number;
}

/** Undoes an operation that is to become a part of a later transaction. */
const POSTPONED = new Error('postponed');

/**
 * Runs operations against a table, as many as fit one transaction, each so that it fails by itself,
 * and undoes them all. An operation on a row that another one has written is left for later,
 * because a transaction writes a row once.
 */
export function rehearse(
  table: Table<TodoFields>,
  codec: RowCodec,
  operations: Iterable<Operation>,
): Batch {
  const results: { operation: Operation; result: Result }[] = [];
  const rows = new Map<number | bigint, RehearsedRow>();
  let bytes = 0;
  let postponed = 0;

  const idsGiven = table.rehearse((writtenAfter) => {
    for (const operation of operations) {
      if (operation.isOver) continue;
      if (rows.size >= MAX_ROWS || postponed >= MAX_POSTPONED) break;
      let written: readonly RehearsedRow[] = [];
      const result = resultOf(() =>
        table.transaction(() => {
          // Only what a route does in one go gets here.
          const value = operation.work() as Synchronous;
          written = writtenAfter(rows.size).map((change) => rowOf(change, codec));
          const size = written.reduce((sum, row) => sum + bytesOf(row), bytes);
          const isTooLarge = size > MAX_BYTES && rows.size > 0;
          if (isTooLarge || written.some(({ id }) => rows.has(id))) throw POSTPONED;
          bytes = size;
          return value;
        }),
      );
      if (result.error?.thrown === POSTPONED) {
        postponed++;
        continue;
      }
      if (result.error === undefined) for (const row of written) rows.set(row.id, row);
      results.push({ operation, result });
    }
    return table.idsGiven;
  });
  return { results, rows: [...rows.values()], idsGiven };
}

function resultOf(work: () => unknown): Result {
  try {
    return { value: work() };
  } catch (thrown) {
    return { error: { thrown } };
  }
}

function rowOf({ put, deleted }: Change<TodoFields>, codec: RowCodec): RehearsedRow {
  if (put === undefined) return { id: deleted.id, row: undefined, text: undefined };
  return { id: put.id, row: put, text: codec.encode(put) };
}

function bytesOf({ text = '' }: RehearsedRow): number {
  return text.length * 3;
}
