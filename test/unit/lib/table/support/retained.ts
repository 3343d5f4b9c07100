import type { ReadView, Snapshot } from '../../../../../src/lib/table/read-view.ts';
import { bytesOfRow } from '../../../../../src/lib/table/schema/byte-size.ts';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { asStoredRow, resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';

/** The bytes of the rows that snapshots show and the table does not: they retain at least those. */
export function leastRetained<S extends Schema>(
  schema: S,
  table: ReadView<S>,
  snapshots: readonly Snapshot<S>[],
): number {
  const sizes = resolveSchema(schema);
  const current = new Set(table.search());
  const retained = new Set<Row<S>>();
  for (const snapshot of snapshots) {
    for (const row of snapshot.search()) if (!current.has(row)) retained.add(row);
  }
  let bytes = 0;
  for (const row of retained) bytes += bytesOfRow(sizes, asStoredRow(row));
  return bytes;
}
