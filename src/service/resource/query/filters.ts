import {
  type Kind,
  OPERATORS,
  type OperatorName,
  operatorsOf,
  takes,
} from '../../../lib/table/index.ts';
import { type ParameterDescription, queryParameter } from '../../operation.ts';
import type { Fields } from '../field.ts';
import { typeSchema } from '../field-shape.ts';
import { VALUE_KINDS } from '../value-kind.ts';

/** A query parameter that filters rows, such as `priority.gte`. */
export interface Filter {
  readonly name: string;
  readonly column: string;
  readonly op: OperatorName;
  /** The kind of its values. */
  readonly kind: Kind;
}

/** The filters of a resource by name: every field with every operator that fits it. */
export function filtersOf(fields: Fields): ReadonlyMap<string, Filter> {
  const filters = new Map<string, Filter>();
  for (const [column, field] of Object.entries(fields)) {
    const add = (name: string, op: OperatorName) => {
      const kind = takes(op, 'nothing') ? 'boolean' : field.kind;
      filters.set(name, { name, column, op, kind });
    };
    add(column, 'eq');
    for (const op of operatorsOf(field)) add(`${column}.${op}`, op);
  }
  return filters;
}

/** Describes a filter for the API document. @param allowsEmpty whether a text may be empty */
export function filterDescription(
  { name, column, op, kind }: Filter,
  allowsEmpty: boolean,
): ParameterDescription {
  const { example, operandNote } = VALUE_KINDS[kind];
  const sentences = [`Only items whose ${column} ${OPERATORS[op].meaning}.`, operandNote ?? []];
  const description = sentences.flat().join(' ');
  const isList = takes(op, 'values');
  const valueSchema = {
    ...typeSchema(kind),
    ...(kind === 'text' && !allowsEmpty && { minLength: 1 }),
  };
  const schema = isList ? { type: 'array', items: valueSchema } : valueSchema;
  return queryParameter(name, description, schema, isList ? [example] : example);
}
