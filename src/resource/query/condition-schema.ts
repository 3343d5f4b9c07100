import { type JsonSchema, NamedSchema } from '../../json/schema.ts';
import { OPERATORS } from '../../table/condition/operators.ts';
import type { Field, Fields } from '../field.ts';
import { nullableSchema, typeSchema } from '../schema.ts';
import { type FilterOperator, filterOperatorsOf } from './filters.ts';

/** Describes conditions as JSON (api.md: "QUERY, where, DELETE by condition"). */
export function conditionSchema(fields: Fields): NamedSchema {
  const condition: NamedSchema = new NamedSchema('Condition', () => {
    const conditions = { type: 'array', items: condition };
    const columns = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]);
    return {
      description:
        'All members must hold: fields that have a value, or for which operators hold; `and`, ' +
        '`or` and `not` of other conditions. An empty object holds for every item.',
      type: 'object',
      properties: {
        ...Object.fromEntries(columns),
        and: { ...conditions, description: 'All of them hold; so does an empty list.' },
        or: { ...conditions, description: 'One of them holds; an empty list does not.' },
        not: condition,
      },
      additionalProperties: false,
    };
  });
  return condition;
}

function fieldSchema(field: Field): JsonSchema {
  const value = typeSchema(field.kind);
  return {
    anyOf: [
      nullableSchema(value, field.nullable),
      {
        type: 'object',
        minProperties: 1,
        properties: Object.fromEntries(
          filterOperatorsOf(field).map((operator) => [operator, operandSchema(operator, value)]),
        ),
        additionalProperties: false,
      },
    ],
  };
}

function operandSchema(operator: FilterOperator, value: JsonSchema): JsonSchema {
  switch (OPERATORS[operator].takes) {
    case 'nothing':
      return typeSchema('boolean');
    case 'values':
      return { type: 'array', items: value };
    default:
      return value;
  }
}
