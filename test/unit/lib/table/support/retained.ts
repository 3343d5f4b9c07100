import type { Queries } from '../../../../../src/lib/table/queries.ts';
import { bytesOfRow } from '../../../../../src/lib/table/schema/byte-size.ts';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { asStoredRow, resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';

/** The bytes of rows that only open cursors have. The cursors retain at least these bytes. */
export function leastRetained<S extends Schema>(
  schema: S,
  table: Queries<S>,
  held: readonly { readonly rows: readonly Row<S>[] }[],
): number {
  const sizes = resolveSchema(schema);
  const current = new Set(table.search());
  const retained = new Set<Row<S>>();
  for (const { rows } of held) {
    for (const row of rows) if (!current.has(row)) retained.add(row);
  }
  let bytes = 0;
  for (const row of retained) bytes += bytesOfRow(sizes, asStoredRow(row));
  return bytes;
}
