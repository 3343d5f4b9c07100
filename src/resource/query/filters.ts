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
import type { Value } from '../../table/schema/column.ts';
import type { Field, Fields } from '../field.ts';
import { typeSchema } from '../schema.ts';
import { jsonText } from '../serializer.ts';
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

function filterOf(name: string, column: string, field: Field, op: FilterOperator): Filter {
  const { meaning, takes, form }: Operator = OPERATORS[op];
  const isFlag = takes === 'nothing';
  const isList = takes === 'values';
  const kind = isFlag ? 'boolean' : field.kind;
  const { fromText, textForm, example } = VALUE_KINDS[kind];
  const read = (text: string, onInvalid: OnInvalid): readonly Value[] => {
    const value = fromText(text);
    if (value === undefined) onInvalid(name, 'type', mustBe(textForm, text));
    else if (!form || form.isText(text)) return [value];
    else onInvalid(name, 'value', mustBe(form.requirement, text));
    return [];
  };
  return {
    isList,
    describe: () => {
      const [items, shown] = [typeSchema(kind), JSON.parse(jsonText(example))];
      const description = `Only items whose ${column} ${meaning}.`;
      return isList
        ? { name, in: 'query', description, schema: { type: 'array', items }, example: [shown] }
        : { name, in: 'query', description, schema: items, example: shown };
    },
    conditionOf: (texts, onInvalid) => {
      const isSplit = isList && kind !== 'text';
      const elements = isSplit ? texts.flatMap((text) => text.split(',')) : texts;
      const values = elements.flatMap((text) => read(text, onInvalid));
      if (!isFlag) return conditionOn(column, op, values);
      const condition = conditionOn(column, op, []);
      return values.includes(true) ? condition : not(condition);
    },
  };
}
