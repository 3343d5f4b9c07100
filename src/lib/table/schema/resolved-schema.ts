import { ColumnError, SchemaError } from '../errors.ts';
import type { Column, Row, Schema, StoredRow, Value } from './column.ts';
import { Identity } from './identity.ts';
import { checkValue, KINDS } from './kinds.ts';

/** A checked schema, with its identity. */
export interface ResolvedSchema {
  readonly columns: ReadonlyMap<string, Column>;
  /** The names of the columns, in their order. */
  readonly names: readonly string[];
  /** The names of the columns with texts. */
  readonly texts: readonly string[];
  readonly identity: Identity;
  /** The columns that an insert must set. */
  readonly required: readonly string[];
  /** A row of defaults, else nulls, to clone for each new row: so all rows share a hidden class. */
  readonly template: StoredRow;
}

/** Schemas that were resolved. Programs make many tables of one schema. */
const resolvedSchemas = new WeakMap<Schema, ResolvedSchema>();

/** Checks a schema, once for each object. @throws SchemaError that describes the first problem */
export function resolveSchema(schema: Schema): ResolvedSchema {
  const resolved = resolvedSchemas.get(schema) ?? resolve(schema);
  resolvedSchemas.set(schema, resolved);
  return resolved;
}

function resolve(schema: Schema): ResolvedSchema {
  const columns = new Map(Object.entries(schema));
  const identities: Identity[] = [];
  for (const [name, column] of columns) {
    checkColumn(name, column);
    if (column.identity) identities.push(new Identity(name, column.identity));
  }
  const [identity, ...others] = identities;
  if (!identity || others.length > 0) {
    throw new SchemaError('a schema must have exactly one identity column');
  }
  const names = [...columns.keys()];
  // Parsed, because V8 stores the members of parsed JSON in the object, which is a third smaller.
  const template = JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))),
  );
  for (const [name, column] of columns) {
    if (column.default !== undefined) template[name] = checkValue(name, column, column.default);
  }
  return {
    columns,
    names,
    texts: names.filter((name) => columns.get(name)?.kind === 'text'),
    identity,
    required: names.filter((name) => {
      const { nullable, identity: isIdentity, default: value } = columns.get(name) ?? {};
      return !nullable && !isIdentity && value === undefined;
    }),
    template,
  };
}

/** Returns a column by its name, which has been checked. */
export function columnOf({ columns }: ResolvedSchema, name: string): Column {
  const column = columns.get(name);
  if (column) return column;
  throw new TypeError(`the name of column "${name}" has not been checked`);
}

function checkColumn(name: string, column: Column): void {
  const refuseIf = (isWrong: boolean, problem: string) => {
    if (isWrong) throw new SchemaError(`column "${name}" ${problem}`);
  };
  const { kind, identity } = column;
  const isText = kind === 'text';
  refuseIf(!Object.hasOwn(KINDS, kind), `has the unknown kind "${kind}"`);
  refuseIf(name in Object.prototype, 'has the name of a member of every object');
  refuseIf(column.maxLength !== undefined && !isText, 'has a maxLength but is not text');
  if (identity) {
    const { from, to } = identity;
    const takesMore = column.nullable === true || column.default !== undefined;
    refuseIf(kind !== 'integer' && kind !== 'bigint', 'is an identity but not an integer');
    refuseIf(from > to, `has an identity range from ${from} to ${to}, which is empty`);
    refuseIf(takesMore, 'is an identity, which takes neither null nor a default');
    for (const end of [from, to]) checkValue(name, { kind }, end);
  }
}

/**
 * Creates the row of an insert: a missing value becomes the default, or null.
 * @param id a checked id
 * @throws ColumnError
 */
export function newRow(schema: ResolvedSchema, id: Value, values: object): StoredRow {
  const row = changedRow(schema, schema.template, values);
  for (let i = 0; i < schema.required.length; i++) {
    const name = schema.required[i] ?? '';
    if (row[name] === null) throw new ColumnError(name, 'must not be null');
  }
  row[schema.identity.column] = id;
  return row;
}

/** Creates the row of an update; undefined values change nothing. @throws ColumnError */
export function changedRow(
  schema: ResolvedSchema,
  before: StoredRow,
  changes: object,
): Record<string, Value | null> {
  const given = asRecord(changes);
  const row = { ...before };
  for (const name of Object.keys(changes)) {
    const column = settableColumn(schema, name);
    const value = given[name];
    if (value !== undefined) row[name] = checkValue(name, column, value);
  }
  return row;
}

/** Returns the changed row, or the same row if nothing changes. */
export type RowChange = (row: StoredRow) => StoredRow;

/**
 * Returns a function that changes each row of a bulk update.
 * @param changes those of all rows, or a function that returns those of a row @throws ColumnError
 */
export function rowChange(
  schema: ResolvedSchema,
  changes: object | ((row: StoredRow) => object),
  also: object = {},
): RowChange {
  const checkedEntries = (given: object) => Object.entries(changedRow(schema, {}, given));
  const ofAll = typeof changes === 'function' ? undefined : checkedEntries(changes);
  const others = changedRow(schema, {}, also);
  return (before) => {
    const checked = typeof changes === 'function' ? checkedEntries(changes(before)) : (ofAll ?? []);
    if (checked.every(([name, value]) => before[name] === value)) return before;
    const row = { ...before, ...others };
    for (const [name, value] of checked) row[name] = value;
    return row;
  };
}

function settableColumn(schema: ResolvedSchema, name: string): Column {
  const column = schema.columns.get(name);
  if (!column) throw new ColumnError(name, 'does not exist');
  if (column.identity) throw new ColumnError(name, 'is generated and cannot be set');
  return column;
}

/*
 * The engine handles rows of any schema; callers see the types of their own. The two meet only in
 * these casts, which are sound because `checkValue` has checked every column of a stored row.
 */

/** Types a stored row by its schema. */
export function asRow<S extends Schema>(row: StoredRow): Row<S> {
  return row as Row<S>;
}

/** Types stored rows by their schema. */
export function asRows<S extends Schema>(rows: StoredRow[]): Row<S>[] {
  return rows as Row<S>[];
}

function asRecord(values: object): Readonly<Record<string, unknown>> {
  return values as Readonly<Record<string, unknown>>;
}
