import {
  isJsonObject,
  MalformedJsonError,
  mapValues,
  parseExactJson,
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
import { valueShape } from '../content-shape.ts';
import { isDateAlone, nextDate } from '../date-time.ts';
import type { Field, Fields } from '../field.ts';
import { list, type Member, mapped, object, type Shape } from '../shape.ts';
import type { Validation } from '../validation.ts';
import { VALUE_KINDS } from '../value-kind.ts';
import { type Filter, fitsDate } from './filters.ts';
import { invalidParameter, mustBe, readParameter } from './parameters.ts';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/**
 * Reads the conditions of a request. A filter is read as its JSON, `{"priority": {"gte": 4}}`, so
 * filters and `where` have the same rules. Each function throws Problem `invalid-parameter`, which
 * names the parameter, or the place within it.
 */
export class ConditionReader {
  readonly #fields: Fields;
  /** Comparisons by name, such as `priority.gte`. Made by the first use, as all take 1 ms. */
  readonly #comparisons = new Map<string, Member<Condition>>();
  #where: Shape<Condition> | undefined;
  #count = 0;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  /** To be called at the start of each request. Counts its comparisons from zero. */
  startRequest(): void {
    this.#count = 0;
  }

  /** Reads a filter. @param texts its values, of which only `in` and `notIn` have several */
  filter({ name, column, field, op, kind }: Filter, texts: readonly string[]): Condition {
    const { fromText, textForm } = VALUE_KINDS[kind];
    const isList = takes(op, 'values');
    const elements = isList && kind !== 'text' ? texts.flatMap((text) => text.split(',')) : texts;
    const operands = elements.map((text) => {
      const operand = fromText(text);
      if (operand === undefined) throw invalidParameter([name], mustBe(textForm, text));
      return operand;
    });
    const comparison = this.#comparison(column, field, op);
    return readParameter(comparison, isList ? operands : operands[0], [name]);
  }

  /** Reads a `where`. Returns undefined for `{}`, which matches every item. */
  where(text: string): Condition | undefined {
    const json = jsonOf(text);
    if (isJsonObject(json) && Object.keys(json).length === 0) return undefined;
    this.#where ??= this.#whereShape();
    return readParameter(this.#where, json, ['where']);
  }

  /** An object whose members must all hold: comparisons of fields, `and`, `or` and `not`. */
  #whereShape(): Shape<Condition> {
    // Shapes of conditions contain each other.
    const condition: Shape<Condition> = {
      schema: {},
      read: (given, validation) => whole.read(given, validation),
    };
    const several = list(condition, 0);
    const members = object<Record<string, Condition | null>>({
      ...mapValues(this.#fields, (field, column) => this.#fieldShape(column, field)),
      and: mapped(several, (conditions) => combineConditions(and, conditions)),
      or: mapped(several, (conditions) => combineConditions(or, conditions)),
      not: mapped(condition, not),
    });
    const whole = mapped(members, (given, validation) => {
      const conditions = Object.entries(given).map(([column, each]) => {
        if (each === null) this.#countOne(validation);
        return each ?? conditionOn(column, 'isNull', []);
      });
      return combineConditions(and, conditions);
    });
    return whole;
  }

  /** A value that the field must have, or an object of operators that must all hold. */
  #fieldShape(column: string, field: Field): Member<Condition> {
    const names = operatorsOf(field);
    const operators = object<Record<string, Condition>>(
      Object.fromEntries(names.map((op) => [op, this.#comparison(column, field, op)])),
    );
    const equal = this.#comparison(column, field, 'eq');
    return {
      schema: {},
      aliases: field.aliases,
      ...(field.nullable ? { ifNull: 'is a value' } : { ifMissing: 'is never null' }),
      read(given, validation) {
        if (Array.isArray(given)) {
          const detail = 'must be a value, or an object of operators; in takes an array';
          return validation.violate('type', detail);
        }
        if (!isJsonObject(given)) return equal.read(given, validation);
        const conditions = Object.values(operators.read(given, validation) ?? {});
        if (conditions.length > 0) return combineConditions(and, conditions);
        return validation.violate('value', `must have an operator: ${names.join(', ')}`);
      },
    };
  }

  /** An operator on a field: reads its operand, or the array of its operands. */
  #comparison(column: string, field: Field, op: OperatorName): Member<Condition> {
    const name = `${column}.${op}`;
    const comparison = this.#comparisons.get(name) ?? this.#newComparison(column, field, op);
    this.#comparisons.set(name, comparison);
    return comparison;
  }

  #newComparison(column: string, { kind, nullable }: Field, op: OperatorName): Member<Condition> {
    const isNullTest = takes(op, 'nothing');
    const value = valueShape({ kind: isNullTest ? 'boolean' : kind });
    const operand =
      kind === 'timestamp' && !isNullTest && !fitsDate(op) ? momentShape(column, value) : value;
    const operands: Shape<readonly Value[]> = takes(op, 'values')
      ? list(operand, 0)
      : mapped(operand, (one) => [one]);
    const remedy = nullable ? '; use isNull or isNotNull' : '';
    return {
      ...mapped(operands, (all, validation) => {
        this.#countOne(validation);
        if (!isNullTest) return conditionOn(column, op, all);
        const condition = conditionOn(column, op, []);
        return all.includes(true) ? condition : not(condition);
      }),
      ifMissing: `must not be null${remedy}`,
    };
  }

  #countOne(validation: Pick<Validation, 'violate'>): void {
    this.#count++;
    if (this.#count <= MAX_COMPARISONS) return;
    const detail = `is one comparison too many; a request has at most ${MAX_COMPARISONS}`;
    validation.violate('max-items', detail);
  }
}

/** A date-time with a time of day. */
function momentShape(column: string, dateTime: Shape<Value>): Shape<Value> {
  return mapped(dateTime, (value, validation, given) => {
    if (typeof given !== 'string' || !isDateAlone(given)) return value;
    const end = nextDate(given);
    const day = `${column}.gte=${given}${end === undefined ? '' : `&${column}.lt=${end}`}`;
    return validation.violate('value', `must have a time of day; for a whole day, use ${day}`);
  });
}

function jsonOf(text: string): unknown {
  try {
    return parseExactJson(text, (place) => {
      throw invalidParameter(['where', ...place], 'must not be repeated');
    });
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw invalidParameter(['where'], `${error.message}; it must be a condition as JSON`);
  }
}

function combineConditions(
  operator: typeof and | typeof or,
  conditions: readonly Condition[],
): Condition {
  const [only, ...others] = conditions;
  return only !== undefined && others.length === 0 ? only : operator(...conditions);
}
