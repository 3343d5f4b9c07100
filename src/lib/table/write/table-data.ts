import { TableFullError } from '../errors.ts';
import { Leaves, type Place } from '../rows/leaves.ts';
import type { StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/** The leaves of a table, and the next id. A replacement of all rows fills another instance. */
export class TableData {
  readonly limits: Limits;
  leaves: Leaves;
  /** The id of the next inserted row. */
  nextId: Integer;

  constructor(schema: ResolvedSchema, limits: Limits) {
    this.limits = limits;
    this.leaves = new Leaves(schema, limits);
    this.nextId = schema.identity.first;
  }

  /** Switches to the leaves of a replacement, in a commit with this number. */
  replaceBy({ leaves, nextId }: TableData, commitNumber: number): void {
    leaves.takeOverFrom(this.leaves, commitNumber);
    this.leaves = leaves;
    this.nextId = nextId;
  }

  /** Looks up the place of an id. */
  find(id: unknown): Place {
    return this.leaves.find(id);
  }

  /** The number of ids assigned so far. */
  get idsAssigned(): bigint {
    return this.leaves.schema.identity.countBefore(this.nextId);
  }

  set idsAssigned(count: bigint) {
    this.nextId = this.leaves.schema.identity.afterCount(count);
  }

  /**
   * Makes a row for the next id, without storing it.
   * @throws ColumnError, TableFullError if there are too many rows, IdsExhaustedError
   */
  newRow(values: object, id = this.nextId): StoredRow {
    const { maxRows } = this.limits;
    const { schema, size } = this.leaves;
    if (size >= maxRows) throw new TableFullError('rows', maxRows);
    schema.identity.checkNext(id);
    return newRow(schema, id, values);
  }

  /** Called after rows have grown. @throws TableFullError when there are too many bytes */
  checkBytes(): void {
    const { maxBytes } = this.limits;
    if (this.leaves.bytes > maxBytes) throw new TableFullError('bytes', maxBytes);
  }
}
