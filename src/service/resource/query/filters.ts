import {
  type Kind,
  OPERATORS,
  type OperatorName,
  operatorsOf,
  takes,
} from '../../../lib/table/index.ts';
import { type ParameterDescription, queryParameter } from '../../operation.ts';
import { MOMENT_PATTERN } from '../date-time.ts';
import type { Field, Fields } from '../field.ts';
import { NOT_BLANK, VALUE_KINDS } from '../value-kind.ts';
import { requestSchemaOf } from '../value-shape.ts';

/** A query parameter that filters rows, such as `priority.gte`. */
export interface Filter {
  readonly name: string;
  readonly column: string;
  readonly field: Field;
  readonly op: OperatorName;
  /** The kind of the parameter's values: boolean for `isNull` and `isNotNull`, else the field's. */
  readonly kind: Kind;
}

/** The filters of a resource by name: every field with every operator that fits it; alone, `eq`. */
export function filtersOf(fields: Fields): ReadonlyMap<string, Filter> {
  const filters = new Map<string, Filter>();
  for (const [column, field] of Object.entries(fields)) {
    const add = (name: string, op: OperatorName) => {
      const kind = takes(op, 'nothing') ? 'boolean' : field.kind;
      filters.set(name, { name, column, field, op, kind });
    };
    const operators = operatorsOf(field);
    if (operators.includes('eq')) add(column, 'eq');
    for (const op of operators) add(`${column}.${op}`, op);
  }
  return filters;
}

/** Whether the values of a kind are date-times. */
export function isDateTime(kind: Kind): boolean {
  return kind === 'timestamp' || kind === 'instant';
}

/** Whether an operator takes a date without a time (api.md: "Date-times"). */
export function takesDateAlone(op: OperatorName): boolean {
  return op === 'gte' || op === 'lt';
}

/** Describes a filter for the API document. @param allowsBlank whether a text may be blank */
export function filterDescription(
  { name, column, op, kind }: Filter,
  allowsBlank: boolean,
): ParameterDescription {
  const { example } = VALUE_KINDS[kind];
  const description = `Only items whose ${column} ${OPERATORS[op].meaning}.`;
  const isList = takes(op, 'values');
  const valueSchema =
    kind === 'text' && !allowsBlank
      ? NOT_BLANK
      : {
          ...requestSchemaOf(kind),
          ...(kind === 'timestamp' && !takesDateAlone(op) && { pattern: MOMENT_PATTERN }),
        };
  const schema = isList ? { type: 'array', items: valueSchema } : valueSchema;
  return queryParameter(name, description, schema, isList ? [example] : example);
}
