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
} from '../../../lib/table/index.ts';
import type { Field, Fields } from '../field.ts';
import { operandShape } from '../field-shape.ts';
import { list, type Member, mapped, object, type Shape } from '../shape.ts';
import type { Validation } from '../validation.ts';
import { conditionFrom, type Operand, VALUE_KINDS } from '../value-kind.ts';
import type { Filter } from './filters.ts';
import { invalidParameter, mustBe, parameterValidation, readParameter } from './parameters.ts';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/** Operators that are true for every text if the operand is empty. */
const TRUE_OF_EMPTY: readonly OperatorName[] = [
  'contains',
  'containsIgnoreCase',
  'startsWith',
  'endsWith',
  'gte',
];

const EMPTY = 'must not be empty';

/**
 * Reads the conditions of a request: filters as text, and `where` as JSON. Each function throws
 * Problem `invalid-parameter`, which names the parameter or the place within it.
 */
export class ConditionReader {
  readonly #fields: Fields;
  readonly #allowsEmpty: boolean;
  /** Made by the first `where`, because it takes a millisecond. */
  #where: Shape<Condition> | undefined;
  #comparisons = 0;

  /** @param allowsEmpty whether an operand may be empty, as in reads */
  constructor(fields: Fields, allowsEmpty: boolean) {
    this.#fields = fields;
    this.#allowsEmpty = allowsEmpty;
  }

  /** To be called at the start of each request. Counts its comparisons from zero. */
  startRequest(): void {
    this.#comparisons = 0;
  }

  /** Reads a filter. @param texts its values, of which only `in` and `notIn` have several */
  filter({ name, column, op, kind }: Filter, texts: readonly string[]): Condition {
    this.#count(parameterValidation([name]));
    const { fromText, textForm } = VALUE_KINDS[kind];
    const isSplit = takes(op, 'values') && kind !== 'text';
    const elements = isSplit ? texts.flatMap((text) => text.split(',')) : texts;
    const operands = elements.map((text) => {
      if (text === '' && !this.#allowsEmpty) {
        const remedy = `; for items with an empty ${column}, send where={"${column}":""}`;
        throw invalidParameter([name], kind === 'text' ? EMPTY + remedy : EMPTY);
      }
      const operand = fromText(text);
      if (operand === undefined) throw invalidParameter([name], mustBe(textForm, text));
      return operand;
    });
    return conditionFrom(column, op, operands);
  }

  /** Reads a `where`. Returns `all` for `{}`, which matches every item. */
  where(text: string): Condition | 'all' {
    const json = jsonOf(text);
    const isAll = isJsonObject(json) && Object.keys(json).length === 0;
    if (isAll) return 'all';
    this.#where ??= this.#whereShape(this.#fields);
    return readParameter(this.#where, json, ['where']);
  }

  /** An object whose members must all hold: comparisons of fields, `and`, `or` and `not`. */
  #whereShape(fields: Fields): Shape<Condition> {
    // Shapes of conditions contain each other.
    const condition: Shape<Condition> = {
      schema: {},
      read: (given, validation) => whole.read(given, validation),
    };
    const several = list(condition, this.#allowsEmpty ? 0 : 1);
    const members = object<Record<string, Condition | null>>({
      ...mapValues(fields, (field, column) => this.#fieldShape(column, field)),
      and: mapped(several, (conditions) => combineConditions(and, conditions)),
      or: mapped(several, (conditions) => combineConditions(or, conditions)),
      not: mapped(condition, not),
    });
    const whole = mapped(members, (given, validation) => {
      const conditions = Object.entries(given).map(([column, each]) => {
        if (each === null) this.#count(validation);
        return each ?? conditionOn(column, 'isNull', []);
      });
      if (conditions.length > 0 || this.#allowsEmpty) return combineConditions(and, conditions);
      return validation.violate(
        'value',
        'must have a condition; {} is every item, and stands alone',
      );
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

  /** The operand of an operator, or the array of its operands. */
  #comparison(column: string, { kind, nullable }: Field, op: OperatorName): Member<Condition> {
    const value = operandShape({ kind: takes(op, 'nothing') ? 'boolean' : kind });
    const operand = mapped(value, (read, validation) =>
      read === '' && TRUE_OF_EMPTY.includes(op) && !this.#allowsEmpty
        ? validation.violate('value', EMPTY)
        : read,
    );
    const operands: Shape<readonly Operand[]> = takes(op, 'values')
      ? list(operand, this.#allowsEmpty ? 0 : 1)
      : mapped(operand, (one) => [one]);
    const remedy = nullable ? '; use isNull or isNotNull' : '';
    return {
      ...mapped(operands, (all, validation) => {
        this.#count(validation);
        return conditionFrom(column, op, all);
      }),
      aliases: op === 'contains' ? ['like', 'ilike'] : [],
      ifMissing: `must not be null${remedy}`,
    };
  }

  #count(validation: Pick<Validation, 'violate'>): void {
    this.#comparisons++;
    if (this.#comparisons <= MAX_COMPARISONS) return;
    const detail = `is one comparison too many; a request has at most ${MAX_COMPARISONS}`;
    validation.violate('max-items', detail);
  }
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
