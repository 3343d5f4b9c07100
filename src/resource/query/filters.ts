import type { Query } from '../../http/core/target.ts';
import type { ParameterDescription } from '../../http/routing/operation.ts';
import { type Condition, conditionOn, not } from '../../table/condition/condition.ts';
import {
  OPERATORS,
  type Operator,
  type OperatorName,
  type OperatorTaking,
  operatorsOf,
} from '../../table/condition/operators.ts';
import type { Kind, Value } from '../../table/schema/column.ts';
import type { Field, Fields } from '../field.ts';
import { typeSchema } from '../schema.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import { mustBe, type OnInvalid } from './invalid-parameter.ts';

/** A query parameter that filters rows, such as `priority.gte`. */
interface Filter {
  readonly describe: () => ParameterDescription;
  /**
   * Makes the condition of one value of the parameter, or of all values if it takes a list.
   * @param onInvalid told of invalid values; if there are any, the condition has no meaning
   */
  readonly conditionOf: (values: readonly string[], onInvalid: OnInvalid) => Condition;
  /** Whether all values of the parameter make one condition. */
  readonly isList: boolean;
}

/** The maximum number of filters of a query: each takes about a kilobyte during the search. */
const MAX_FILTERS = 512;

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
   */
  conditionsOf(query: Query, onInvalid: OnInvalid): Condition[] {
    const conditions: Condition[] = [];
    const lists = new Map<Filter, string[]>();
    let count = 0;
    for (const [name, value] of query.parameters) {
      const filter = this.#filterOf(name, onInvalid);
      if (filter === undefined) continue;
      if (++count > MAX_FILTERS) {
        onInvalid(name, 'max-items', `is one filter too many; the maximum is ${MAX_FILTERS}`);
        return [];
      }
      const values = lists.get(filter);
      if (!filter.isList) conditions.push(filter.conditionOf([value], onInvalid));
      else if (values === undefined) lists.set(filter, [value]);
      else values.push(value);
    }
    for (const [filter, values] of lists) {
      conditions.push(filter.conditionOf(values, onInvalid));
    }
    return conditions;
  }

  #filterOf(name: string, onInvalid: OnInvalid): Filter | undefined {
    const filter = this.#filters.get(name);
    if (filter !== undefined) return filter;
    const [fieldName = ''] = name.split('.', 1);
    const field = Object.hasOwn(this.#fields, fieldName) ? this.#fields[fieldName] : undefined;
    if (field === undefined) return undefined;
    const allowed = filterOperatorsOf(field).join(', ');
    const rule = `is not a filter; the operators of ${fieldName} are ${allowed}`;
    onInvalid(name, 'unknown', rule);
    return undefined;
  }
}

/** The operators of clients: one with two operands would need two values; two conditions do. */
export type FilterOperator = Exclude<OperatorName, OperatorTaking<'range'>>;

/** The operators that clients can use on a field. */
export function filterOperatorsOf(field: Field): readonly FilterOperator[] {
  return operatorsOf(field).filter((operator) => operator !== 'between');
}

/** The example of a kind, as a JSON value. */
function exampleOf(kind: Kind): unknown {
  return JSON.parse(VALUE_KINDS[kind].toJson(VALUE_KINDS[kind].example));
}

function filterOf(name: string, column: string, field: Field, op: FilterOperator): Filter {
  const { fromText, textForm } = VALUE_KINDS[field.kind];
  const { meaning, takes, form }: Operator = OPERATORS[op];
  const parse = (text: string, onInvalid: OnInvalid): readonly Value[] => {
    const value = fromText(text);
    if (value === undefined) onInvalid(name, 'type', mustBe(textForm, text));
    else if (!form || form.isText(text)) return [value];
    else onInvalid(name, 'value', mustBe(form.requirement, text));
    return [];
  };
  const element = () => ({ schema: typeSchema(field.kind), example: exampleOf(field.kind) });
  const described = ({ schema, example } = element()) => ({
    name,
    in: 'query' as const,
    description: `Only items whose ${column} ${meaning}.`,
    schema,
    example,
  });
  if (takes === 'nothing') {
    const { fromText: isTrue, textForm: flagForm } = VALUE_KINDS.boolean;
    return {
      describe: () => described({ schema: typeSchema('boolean'), example: true }),
      isList: false,
      conditionOf: ([text = ''], onInvalid) => {
        const isPlain = isTrue(text);
        if (isPlain === undefined) onInvalid(name, 'type', mustBe(flagForm, text));
        const condition = conditionOn(column, op, []);
        return isPlain ? condition : not(condition);
      },
    };
  }
  if (takes === 'values') {
    return {
      describe: () => {
        const { schema, example } = element();
        return described({ schema: { type: 'array', items: schema }, example: [example] });
      },
      isList: true,
      conditionOf: (texts, onInvalid) => {
        const elements = field.kind === 'text' ? texts : texts.flatMap((text) => text.split(','));
        const operands = elements.flatMap((text) => parse(text, onInvalid));
        return conditionOn(column, op, operands);
      },
    };
  }
  return {
    describe: () => described(),
    isList: false,
    conditionOf: ([text = ''], onInvalid) => conditionOn(column, op, parse(text, onInvalid)),
  };
}
