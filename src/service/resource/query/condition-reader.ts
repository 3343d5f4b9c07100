import {
  isJsonObject,
  MalformedJsonError,
  mapValues,
  parseJson,
  repeatedMember,
} from '../../../lib/json/index.ts';
import {
  and,
  type Condition,
  conditionOn,
  not,
  type OperatorName,
  operatorsOf,
  or,
  takes,
  type Value,
} from '../../../lib/table/index.ts';
import { isDateAlone, nextDate } from '../date-time.ts';
import type { Field, Fields } from '../field.ts';
import { array, type Member, mapped, object, type Shape } from '../shape.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import { operandShape } from '../value-shape.ts';
import { type Filter, isDateTime, takesDateAlone } from './filters.ts';
import { invalidParameter, mustBe, readParameter } from './parameters.ts';

/* Filters and `where` have the same rules: `priority.gte=4` is `{"priority": {"gte": 4}}`. */

/** Reads a filter. @throws Problem `invalid-parameter` */
export function readFilter({ name, column, field, op, kind }: Filter, text: string): Condition {
  const { fromText, textForm } = VALUE_KINDS[kind];
  const isList = takes(op, 'values');
  // A text may contain commas, so several texts need several parameters.
  const elements = isList && kind !== 'text' ? text.split(',') : [text];
  const operands = elements.map((element) => {
    const operand = fromText(element);
    if (operand === undefined) throw invalidParameter([name], mustBe(textForm, element));
    return operand;
  });
  return readParameter(comparison(column, field, op), isList ? operands : operands[0], [name]);
}

/**
 * Creates the reader of `where`. It returns undefined for `{}`, which matches every item. It throws
 * Problem `invalid-parameter`, which names the place.
 */
export function createWhereReader(fields: Fields): (text: string) => Condition | undefined {
  // Made by the first use, because it takes a millisecond.
  let shape: Shape<Condition> | undefined;
  return (text) => {
    const json = jsonOf(text);
    if (isJsonObject(json) && Object.keys(json).length === 0) return undefined;
    shape ??= conditionShape(fields);
    return readParameter(shape, json, ['where']);
  };
}

/** An object whose members must all hold: comparisons of fields, `and`, `or` and `not`. */
function conditionShape(fields: Fields): Shape<Condition> {
  // Uses `whole` before it exists, because `and`, `or` and `not` contain conditions.
  const condition: Shape<Condition> = {
    schema: {},
    read: (given, validation) => whole.read(given, validation),
  };
  const conditionList = array(condition, 0);
  const members = object<Record<string, Condition | null>>({
    ...mapValues(fields, (field, column) => fieldShape(column, field)),
    and: mapped(conditionList, (conditions) => combineConditions(and, conditions)),
    or: mapped(conditionList, (conditions) => combineConditions(or, conditions)),
    not: mapped(condition, not),
  });
  const whole = mapped(members, (given) => {
    // The null of a nullable column means `isNull`.
    const conditions = Object.entries(given).map(
      ([column, each]) => each ?? conditionOn(column, 'isNull', []),
    );
    return combineConditions(and, conditions);
  });
  return whole;
}

/** A value that the field must have, or an object of operators that must all hold. */
function fieldShape(column: string, field: Field): Member<Condition> {
  const names = operatorsOf(field);
  const operators = object<Record<string, Condition>>(
    Object.fromEntries(names.map((op) => [op, comparison(column, field, op)])),
  );
  const equal = comparison(column, field, 'eq');
  return {
    schema: {},
    aliases: field.aliases,
    ...(field.nullable ? { ifNull: 'is a value' } : { ifMissing: 'is never null' }),
    read(given, validation) {
      const isCompared = names.includes('eq');
      if (!isCompared && names.length === 0) {
        return validation.violate('type', 'is an array or object, which has no operators');
      }
      if (Array.isArray(given) && isCompared) {
        const detail = 'must be a value, or an object of operators; in takes an array';
        return validation.violate('type', detail);
      }
      if (isCompared && !isJsonObject(given)) return equal.read(given, validation);
      const conditions = Object.values(operators.read(given, validation) ?? {});
      if (conditions.length > 0) return combineConditions(and, conditions);
      return validation.violate('value', `must have an operator: ${names.join(', ')}`);
    },
  };
}

/** An operator on a field: reads its operand, or the array of its operands. */
function comparison(
  column: string,
  { kind, nullable }: Field,
  op: OperatorName,
): Member<Condition> {
  const isNullTest = takes(op, 'nothing');
  const value = operandShape(isNullTest ? 'boolean' : kind);
  const operand =
    isDateTime(kind) && !isNullTest && !takesDateAlone(op) ? momentShape(column, value) : value;
  const operands: Shape<readonly Value[]> = takes(op, 'values')
    ? array(operand, 0)
    : mapped(operand, (one) => [one]);
  const remedy = nullable ? '; use isNull or isNotNull' : '';
  return {
    ...mapped(operands, (all) => {
      if (!isNullTest) return conditionOn(column, op, all);
      // `isNull` and `isNotNull` take true or false.
      const condition = conditionOn(column, op, []);
      return all.includes(true) ? condition : not(condition);
    }),
    ifMissing: `must not be null${remedy}`,
  };
}

/** A date-time with a time of day. @param column completes the hint on a date alone */
function momentShape(column: string, dateTime: Shape<Value>): Shape<Value> {
  return mapped(dateTime, (value, validation, given) => {
    if (typeof given !== 'string' || !isDateAlone(given)) return value;
    const end = nextDate(given);
    const day = `${column}.gte=${given}${end === undefined ? '' : `&${column}.lt=${end}`}`;
    return validation.violate('value', `must have a time of day; for a whole day, use ${day}`);
  });
}

function jsonOf(text: string): unknown {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw invalidParameter(['where'], `${error.message}; it must be a condition as JSON`);
  }
  const place = repeatedMember(text);
  if (place) throw invalidParameter(['where', ...place], 'must not be repeated');
  return json;
}

function combineConditions(
  operator: typeof and | typeof or,
  conditions: readonly Condition[],
): Condition {
  const [only, ...others] = conditions;
  return only !== undefined && others.length === 0 ? only : operator(...conditions);
}
