import {
  type HeaderFields,
  type ParameterDescription,
  Problem,
  type Query,
  queryParameter,
  quoted,
  type ViolationCode,
} from '../../../lib/http/index.ts';
import { integerOf, type JsonNode, type JsonSchema, scalarOf } from '../../../lib/json/index.ts';
import {
  type Condition,
  conditionOn,
  type Kind,
  not,
  OPERATORS,
  type Operator,
  type OperatorName,
  type OperatorTaking,
  type Order,
  operatorsOf,
  or,
  takes,
} from '../../../lib/table/index.ts';
import type { Field, Fields } from '../field.ts';
import { typeSchema } from '../schema.ts';
import { jsonText } from '../serializer.ts';
import { VALUE_KINDS } from '../value-kind.ts';

/** Told that a parameter breaks a rule. It throws, or notes that and lets the rest be read. */
export type OnInvalid = (name: string, code: ViolationCode, rule: string) => void;

/** Refuses a query string at its first invalid parameter. @throws Problem `invalid-parameter` */
export function throwInvalid(
  name: string,
  code: ViolationCode,
  rule: string,
  headers: HeaderFields = {},
): never {
  const subject = code === 'unknown' ? quoted(name) : name;
  throw new Problem('invalid-parameter', `${subject} ${rule}`, { headers });
}

/** What is allowed instead of a text. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}

/** A query parameter that filters rows, such as `priority.gte`. */
interface Filter {
  readonly name: string;
  readonly column: string;
  readonly op: FilterOperator;
  /** The kind of its values. */
  readonly kind: Kind;
}

/** The maximum number of filters of a query: each takes about a kilobyte during the search. */
const MAX_FILTERS = 512;

/** The filters of a resource: every field with every operator that fits it. */
export function filtersOf(fields: Fields) {
  const filters = new Map<string, Filter>();
  for (const [column, field] of Object.entries(fields)) {
    const add = (name: string, op: FilterOperator) => {
      const kind = takes(op, 'nothing') ? 'boolean' : field.kind;
      filters.set(name, { name, column, op, kind });
    };
    add(column, 'eq');
    for (const op of filterOperatorsOf(field)) add(`${column}.${op}`, op);
  }
  return { names: () => filters.keys(), fieldOf, descriptions, conditionsOf };

  /** The field that a parameter names, with an operator or without. */
  function fieldOf(name: string): Field | undefined {
    const [column = ''] = name.split('.', 1);
    return Object.hasOwn(fields, column) ? fields[column] : undefined;
  }

  function descriptions(): readonly ParameterDescription[] {
    return [...filters.values()].map(({ name, column, op, kind }) => {
      const example = JSON.parse(jsonText(VALUE_KINDS[kind].example));
      const description = `Only items whose ${column} ${OPERATORS[op].meaning}.`;
      const schema = operandSchema(op, kind);
      return queryParameter(name, description, schema, takes(op, 'values') ? [example] : example);
    });
  }

  /** The conditions of a query, which must all hold. It ignores what names no field. */
  function conditionsOf(query: Query, onInvalid: OnInvalid): Condition[] {
    const conditions: Condition[] = [];
    const lists = new Map<Filter, string[]>();
    let count = 0;
    for (const [name, value] of query.parameters) {
      const filter = filters.get(name) ?? refuse(name, onInvalid);
      if (filter === undefined) continue;
      if (++count > MAX_FILTERS) {
        onInvalid(name, 'max-items', `is one filter too many; the maximum is ${MAX_FILTERS}`);
        return [];
      }
      const values = lists.get(filter);
      // All values of a list make one condition.
      if (!takes(filter.op, 'values')) conditions.push(conditionOf(filter, [value], onInvalid));
      else if (values === undefined) lists.set(filter, [value]);
      else values.push(value);
    }
    for (const [filter, values] of lists) conditions.push(conditionOf(filter, values, onInvalid));
    return conditions;
  }

  /** Refuses a parameter that names a field, but no operator that fits it. */
  function refuse(name: string, onInvalid: OnInvalid): undefined {
    const field = fieldOf(name);
    if (field === undefined) return;
    const [column] = name.split('.', 1);
    const allowed = filterOperatorsOf(field).join(', ');
    onInvalid(name, 'unknown', `is not a filter; the operators of ${column} are ${allowed}`);
  }
}

/** The operators of clients: one with two operands would need two values; two conditions do. */
export type FilterOperator = Exclude<OperatorName, OperatorTaking<'range'>>;

/** The operators that clients can use on a field. */
export function filterOperatorsOf(field: Field): readonly FilterOperator[] {
  return operatorsOf(field).filter((operator) => operator !== 'between');
}

/** The schema of what clients give an operator on a field of a kind. */
export function operandSchema(operator: FilterOperator, kind: Kind): JsonSchema {
  if (takes(operator, 'nothing')) return typeSchema('boolean');
  return takes(operator, 'values') ? { type: 'array', items: typeSchema(kind) } : typeSchema(kind);
}

function conditionOf(
  { name, column, op, kind }: Filter,
  texts: readonly string[],
  onInvalid: OnInvalid,
): Condition {
  const { form }: Operator = OPERATORS[op];
  const { fromText, textForm } = VALUE_KINDS[kind];
  const isSplit = takes(op, 'values') && kind !== 'text';
  const elements = isSplit ? texts.flatMap((text) => text.split(',')) : texts;
  const values = elements.flatMap((text) => {
    const value = fromText(text);
    if (value === undefined) onInvalid(name, 'type', mustBe(textForm, text));
    else if (!form || form.isText(text)) return value;
    else onInvalid(name, 'value', mustBe(form.requirement, text));
    return [];
  });
  // A request with an invalid value is refused, whatever it would find.
  if (values.length === 0) return or();
  if (!takes(op, 'nothing')) return conditionOn(column, op, values);
  const condition = conditionOn(column, op, []);
  return values.includes(true) ? condition : not(condition);
}

/** The order of a list, and the part of it to return. */
export interface ListOptions {
  readonly orderBy: readonly Order[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** Whether a client wants a part of a list. */
export function isPaged({ limit, offset }: ListOptions): boolean {
  return limit !== undefined || offset !== undefined;
}

/** The parameters `sort`, `limit` and `offset`. */
export function listOptions(fields: Fields): readonly ParameterDescription[] {
  const names = Object.keys(fields);
  const name = `-?(${names.join('|')})`;
  return [
    queryParameter(
      'sort',
      'Fields to sort by, separated by commas; "-" before a field means descending. A repeated ' +
        'field is ignored; items that compare equal come by ascending id.',
      { type: 'string', pattern: `^${name}(,${name})*$` },
      `-${names.at(-1)},${names[0]}`,
    ),
    queryParameter('limit', 'The maximum number of items to return.', COUNT, 20),
    queryParameter('offset', 'How many items to skip.', COUNT, 0),
  ];
}

const COUNT = { type: 'integer', minimum: 0 };

/** Reads `sort`, `limit` and `offset`. */
export function listOptionsOf(query: Query, fields: Fields, onInvalid: OnInvalid): ListOptions {
  const count = (name: string) => {
    const text = query.get(name);
    if (text === undefined) return undefined;
    if (DIGITS.test(text)) return Math.min(Number(text), MAX_COUNT);
    onInvalid(name, 'type', mustBe('a decimal integer, 0 or more', text));
    return undefined;
  };
  const orderBy = orderOf(query.get('sort'), fields, onInvalid);
  return { orderBy, limit: count('limit'), offset: count('offset') };
}

/** Parses `-priority,title`. A field that is repeated is ignored. */
export function orderOf(sort: string | undefined, fields: Fields, onInvalid: OnInvalid): Order[] {
  const orders = new Map<string, Order>();
  for (const item of sort?.split(',') ?? []) {
    const direction = item.startsWith('-') ? 'desc' : 'asc';
    const column = item.replace(/^-/, '');
    if (!Object.hasOwn(fields, column)) {
      const list = `a comma-separated list of fields (${Object.keys(fields).join(', ')})`;
      const allowed = `${list}, with "-" before a field for descending order`;
      onInvalid('sort', 'value', mustBe(allowed, sort ?? ''));
      break;
    }
    if (!orders.has(column)) orders.set(column, { column, direction });
  }
  return [...orders.values()];
}

const DIGITS = /^[0-9]+$/;

/** More than every possible number of rows. */
const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** Reads a number of items in JSON. */
export function countFromJson(name: string, node: JsonNode, onInvalid: OnInvalid) {
  const count = scalarOf(node);
  // An integer may have any number of digits; 1e400, as JSON.parse reads it, is none.
  const isInteger = DIGITS.test(node.source) || integerOf(count, () => node.source) !== undefined;
  if (typeof count !== 'number' || !isInteger) onInvalid(name, 'type', 'must be an integer');
  else if (count < 0) onInvalid(name, 'minimum', 'must be at least 0');
  else return Math.min(count, MAX_COUNT);
  return undefined;
}
