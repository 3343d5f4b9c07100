import { Problem } from '../http/core/problem.ts';
import type { Query } from '../http/core/query.ts';
import { quoted } from '../http/request/quoted.ts';
import type { ParameterDescription } from '../http/routing/operation.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { Condition } from '../table/condition/condition.ts';
import { operatorsOf } from '../table/condition/operator-kinds.ts';
import type { Kind, Value } from '../table/schema/column.ts';
import { isLikePattern } from '../table/text/like-pattern.ts';
import type { Field, Fields } from './field.ts';
import { invalidParameter } from './invalid-parameter.ts';
import { typeSchema } from './schema.ts';
import { VALUE_KINDS } from './value-kind.ts';

/** `between` would need two values; use two parameters instead. */
type Operator = Exclude<ReturnType<typeof operatorsOf>[number], 'between'>;

/** A query parameter that filters rows, such as `priority.gte`. */
interface Filter {
  readonly describe: () => ParameterDescription;
  /**
   * Makes the condition of one value of the parameter, or of all values if it takes a list.
   * @throws Problem `invalid-parameter`
   */
  readonly conditionOf: (values: readonly string[]) => Condition;
  /** Whether all values of the parameter make one condition. */
  readonly isList: boolean;
}

/** What each operator means; completes "Only items whose priority …". */
const MEANINGS: Readonly<Record<Operator, string>> = {
  eq: 'is this',
  ne: 'is not this',
  gt: 'is greater than this',
  gte: 'is this or greater',
  lt: 'is less than this',
  lte: 'is this or less',
  in: 'is one of these',
  notIn: 'is none of these',
  isNull: 'is null (true) or is not (false)',
  isNotNull: 'is not null (true) or is (false)',
  contains: 'contains this text',
  containsIgnoreCase: 'contains this text, ignoring case',
  startsWith: 'starts with this text',
  endsWith: 'ends with this text',
  like: 'matches this pattern: % is any text, _ one character, \\ takes the next one literally',
};

/** The filters of a resource: every field with every operator that fits it. */
export class Filters {
  readonly #fields: Fields;
  readonly #filters = new Map<string, Filter>();

  constructor(fields: Fields) {
    this.#fields = fields;
    for (const [name, field] of Object.entries(fields)) {
      this.#filters.set(name, filterOf(name, name, field, 'eq'));
      for (const operator of filterOperatorsOf(field)) {
        const parameter = `${name}.${operator}`;
        this.#filters.set(parameter, filterOf(parameter, name, field, operator));
      }
    }
  }

  /** The names of all parameters. */
  get names(): Iterable<string> {
    return this.#filters.keys();
  }

  get descriptions(): readonly ParameterDescription[] {
    return [...this.#filters.values()].map(({ describe }) => describe());
  }

  /**
   * The conditions of a query, all of which must hold. Parameters that name no field are ignored.
   * @throws Problem `invalid-parameter`
   */
  conditionsOf(query: Query): Condition[] {
    const conditions: Condition[] = [];
    const lists = new Map<Filter, string[]>();
    for (const [name, value] of query.parameters) {
      const filter = this.#filterOf(name);
      if (filter === undefined) continue;
      if (!filter.isList) conditions.push(filter.conditionOf([value]));
      else lists.set(filter, [...(lists.get(filter) ?? []), value]);
    }
    for (const [filter, values] of lists) conditions.push(filter.conditionOf(values));
    return conditions;
  }

  #filterOf(name: string): Filter | undefined {
    const filter = this.#filters.get(name);
    if (filter !== undefined) return filter;
    const [fieldName = ''] = name.split('.', 1);
    const field = Object.hasOwn(this.#fields, fieldName) ? this.#fields[fieldName] : undefined;
    if (field === undefined) return undefined;
    const allowed = filterOperatorsOf(field).join(', ');
    const has = `the operators of ${fieldName} are ${allowed}`;
    throw new Problem('invalid-parameter', `Unknown filter ${quoted(name)}; ${has}`);
  }
}

function filterOperatorsOf(field: Field): readonly Operator[] {
  return operatorsOf(field).filter((operator) => operator !== 'between');
}

/** The example of a kind, as a JSON value. */
function exampleOf(kind: Kind): unknown {
  return JSON.parse(VALUE_KINDS[kind].toJson(VALUE_KINDS[kind].example));
}

function filterOf(name: string, column: string, field: Field, op: Operator): Filter {
  const { fromText, textForm } = VALUE_KINDS[field.kind];
  const parse = (text: string): Value => {
    const value = fromText(text);
    if (value === undefined) throw invalidParameter(name, textForm, text);
    return value;
  };
  const described = (schema: JsonSchema, example: unknown) => ({
    name,
    in: 'query' as const,
    description: `Only items whose ${column} ${MEANINGS[op]}.`,
    schema,
    example,
  });
  const describe = () => described(typeSchema(field.kind), exampleOf(field.kind));
  switch (op) {
    case 'in':
    case 'notIn':
      return {
        describe: () => {
          const { schema, example } = describe();
          return described({ type: 'array', items: schema }, [example]);
        },
        isList: true,
        conditionOf: (texts) => {
          const elements = field.kind === 'text' ? texts : texts.flatMap((text) => text.split(','));
          return { op, column, values: elements.map(parse) };
        },
      };
    case 'isNull':
    case 'isNotNull':
      return {
        describe: () => described(typeSchema('boolean'), true),
        isList: false,
        conditionOf: ([text = '']) => {
          const isPlain = VALUE_KINDS.boolean.fromText(text);
          if (isPlain === undefined) {
            throw invalidParameter(name, VALUE_KINDS.boolean.textForm, text);
          }
          return { op: isPlain === (op === 'isNull') ? 'isNull' : 'isNotNull', column };
        },
      };
    case 'contains':
    case 'containsIgnoreCase':
    case 'startsWith':
    case 'endsWith':
      return {
        describe,
        isList: false,
        conditionOf: ([value = '']) => ({ op, column, value }),
      };
    case 'like':
      return {
        describe,
        isList: false,
        conditionOf: ([value = '']) => {
          if (!isLikePattern(value)) {
            throw invalidParameter(name, 'a pattern that does not end in a lone backslash', value);
          }
          return { op, column, value };
        },
      };
    default:
      return {
        describe,
        isList: false,
        conditionOf: ([text = '']) => ({ op, column, value: parse(text) }),
      };
  }
}
