import { checkValue } from './check-value.ts';
import type { Value } from './column.ts';
import { ColumnError } from './errors.ts';
import type { Layout, StoredRow } from './layout.ts';
import { members } from './typed.ts';

/**
 * Makes the row that an insert stores: where no value is given, the default, and else null.
 *
 * @throws ColumnError when a value does not fit its column
 */
export function newRow(layout: Layout, id: Value, values: object): StoredRow {
  checkNames(layout, values);
  const given = members(values);
  const row = { ...layout.template };
  for (const [name, column] of layout.columns) {
    const value = given[name];
    row[name] = column.identity
      ? id
      : checkValue(name, column, value === undefined ? (column.default ?? null) : value);
  }
  return row;
}

/**
 * Makes the row that an update stores.
 *
 * @throws ColumnError when a value does not fit its column
 */
export function changedRow(layout: Layout, before: StoredRow, changes: object): StoredRow {
  checkNames(layout, changes);
  const row = { ...before };
  for (const [name, value] of Object.entries(members(changes))) {
    const column = layout.columns.get(name);
    if (column && value !== undefined) row[name] = checkValue(name, column, value);
  }
  return row;
}

function checkNames(layout: Layout, values: object): void {
  for (const name of Object.keys(values)) {
    const column = layout.columns.get(name);
    if (!column) throw new ColumnError(name, 'does not exist');
    if (column.identity) throw new ColumnError(name, 'is generated and cannot be set');
  }
}
