import type { Integer } from './schema/integer.ts';

/** Base class of all errors that the engine throws deliberately. Any other error is a bug. */
export abstract class TableError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The schema is not valid. Thrown when a table is created. */
export class SchemaError extends TableError {}

/** A value does not fit its column. `column` is the name of the column. */
export class ColumnError extends TableError {
  readonly column: string;

  constructor(column: string, problem: string) {
    super(`column "${column}" ${problem}`);
    this.column = column;
  }
}

/** A condition, order, limit or offset that is not valid, or a bulk write without a condition. */
export class ConditionError extends TableError {}

/** The table has reached its limit of rows or bytes. Deletes still succeed. */
export class TableFullError extends TableError {
  readonly bound: 'rows' | 'bytes';
  readonly limit: number;

  constructor(bound: 'rows' | 'bytes', limit: number) {
    super(
      bound === 'rows'
        ? `the table holds at most ${limit} rows`
        : `the table would take more than its maximum of ${limit} bytes`,
    );
    this.bound = bound;
    this.limit = limit;
  }
}

/** The last id of the identity column has been assigned. Ids are never reused. */
export class IdsExhaustedError extends TableError {
  readonly last: Integer;

  constructor(last: Integer) {
    super(`the last id, ${last}, has been assigned`);
    this.last = last;
  }
}

/** A commit was to be repeated within a transaction. */
export class CommitError extends TableError {}
