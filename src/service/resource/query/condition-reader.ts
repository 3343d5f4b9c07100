import {
  isJsonObject,
  type JsonObject,
  MalformedJsonError,
  parseExactJson,
} from '../../../lib/json/index.ts';
import { type Aliases, didYouMean } from '../../../lib/nearest.ts';
import {
  and,
  type Condition,
  conditionOn,
  type Kind,
  not,
  type OperatorName,
  operatorsOf,
  or,
  takes,
} from '../../../lib/table/index.ts';
import type { Field, Fields } from '../field.ts';
import { operandShape } from '../field-shape.ts';
import type { Shape } from '../shape.ts';
import type { Path } from '../validation.ts';
import { conditionFrom, type Operand, VALUE_KINDS } from '../value-kind.ts';
import type { Filter } from './filters.ts';
import { invalidParameter, mustBe, readParameter } from './parameters.ts';
import { aliasesOf, suggestionsFor } from './suggestions.ts';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/** The operators that every text satisfies if their operand is empty. */
const TRUE_OF_EMPTY: readonly OperatorName[] = [
  ...(['contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'gte'] as const),
];

/** The shapes of operands, which need not satisfy the rules of a field. */
const OPERANDS: Readonly<Record<Kind, Shape<Operand>>> = {
  integer: operandShape({ kind: 'integer' }),
  bigint: operandShape({ kind: 'bigint' }),
  boolean: operandShape({ kind: 'boolean' }),
  text: operandShape({ kind: 'text' }),
  timestamp: operandShape({ kind: 'timestamp' }),
};

const EMPTY = 'must not be empty';
const EMPTY_TEXT = `${EMPTY}; a where can compare with the empty text, as in {"title": ""}`;

/**
 * Reads the conditions of a request: filters as text, and `where` as JSON. Each function throws
 * Problem `invalid-parameter`, which names the parameter or the path within it.
 */
export class ConditionReader {
  readonly #fields: Fields;
  readonly #allowsEmpty: boolean;
  #comparisons = 0;

  /** @param allowsEmpty whether an operand may be empty, as in reads */
  constructor(fields: Fields, allowsEmpty: boolean) {
    this.#fields = fields;
    this.#allowsEmpty = allowsEmpty;
  }

  /** Reads a filter. @param texts its values, of which only `in` and `notIn` have several */
  filter({ name, column, op, kind }: Filter, texts: readonly string[]): Condition {
    this.#countComparison([name]);
    const { fromText, textForm } = VALUE_KINDS[kind];
    const isSplit = takes(op, 'values') && kind !== 'text';
    const elements = isSplit ? texts.flatMap((text) => text.split(',')) : texts;
    const operands = elements.map((text) => {
      if (text === '') this.#refuseEmpty([name], kind === 'text' ? EMPTY_TEXT : EMPTY);
      const operand = fromText(text);
      if (operand === undefined) throw invalidParameter([name], mustBe(textForm, text));
      return operand;
    });
    return conditionFrom(column, op, operands);
  }

  /** Reads a `where`. Returns `all` for `{}`, which matches every item. */
  where(text: string): Condition | 'all' {
    const path = ['where'];
    const json = jsonOf(text, path);
    const isAll = isJsonObject(json) && Object.keys(json).length === 0;
    return isAll ? 'all' : this.#condition(json, path);
  }

  #condition(json: unknown, path: Path): Condition {
    const members = Object.entries(objectOf(json, path));
    if (members.length === 0) {
      this.#refuseEmpty(path, 'must have a condition; {} is every item, and stands alone');
    }
    return combined(
      and,
      members.map(([name, member]) => this.#member(name, member, [...path, name])),
    );
  }

  #member(name: string, json: unknown, path: Path): Condition {
    if (name === 'and') return combined(and, this.#conditions(json, path));
    if (name === 'or') return combined(or, this.#conditions(json, path));
    if (name === 'not') return not(this.#condition(json, path));
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (field) return this.#fieldCondition(name, field, json, path);
    const names = [...Object.keys(this.#fields), 'and', 'or', 'not'];
    throw unknownMember(path, 'a field', names, aliasesOf(this.#fields));
  }

  #conditions(json: unknown, path: Path): readonly Condition[] {
    const elements = arrayOf(json, path, 'conditions');
    if (elements.length === 0) this.#refuseEmpty(path, 'must have a condition');
    return elements.map((element, i) => this.#condition(element, [...path, i]));
  }

  #fieldCondition(column: string, field: Field, json: unknown, path: Path): Condition {
    if (json === null) {
      this.#countComparison(path);
      if (field.nullable) return conditionOn(column, 'isNull', []);
      throw invalidParameter(path, 'must not be null, because the field never is');
    }
    if (typeof json !== 'object') return this.#comparison(column, field, 'eq', json, path);
    if (!isJsonObject(json)) {
      throw invalidParameter(path, 'must be a value, or an object of operators; in takes an array');
    }
    const operators = operatorsOf(field);
    const members = Object.entries(json);
    if (members.length === 0) {
      throw invalidParameter(path, `must have an operator: ${operators.join(', ')}`);
    }
    const conditions = members.map(([name, operand]) => {
      const op = operators.find((each) => each === name);
      const at = [...path, name];
      if (op === undefined) throw unknownMember(at, `an operator of ${column}`, operators);
      return this.#comparison(column, field, op, operand, at);
    });
    return combined(and, conditions);
  }

  #comparison(
    column: string,
    field: Field,
    op: OperatorName,
    json: unknown,
    path: Path,
  ): Condition {
    this.#countComparison(path);
    if (takes(op, 'nothing')) {
      if (typeof json === 'boolean') return conditionFrom(column, op, [json]);
      throw invalidParameter(path, `must be ${VALUE_KINDS.boolean.jsonForm}`);
    }
    if (!takes(op, 'values')) {
      return conditionFrom(column, op, [this.#operand(field, op, json, path)]);
    }
    const elements = arrayOf(json, path, 'values');
    if (elements.length === 0) this.#refuseEmpty(path);
    const operands = elements.map((element, i) => this.#operand(field, op, element, [...path, i]));
    return conditionFrom(column, op, operands);
  }

  #operand({ kind, nullable }: Field, op: OperatorName, json: unknown, path: Path): Operand {
    if (json === null) {
      const hint = nullable ? '; use isNull or isNotNull' : '';
      throw invalidParameter(path, `must not be null${hint}`);
    }
    if (json === '' && TRUE_OF_EMPTY.includes(op)) this.#refuseEmpty(path);
    return readParameter(OPERANDS[kind], json, path);
  }

  #refuseEmpty(path: Path, detail = EMPTY): void {
    if (!this.#allowsEmpty) throw invalidParameter(path, detail);
  }

  #countComparison(path: Path): void {
    this.#comparisons++;
    if (this.#comparisons <= MAX_COMPARISONS) return;
    const detail = `is one comparison too many; a request has at most ${MAX_COMPARISONS}`;
    throw invalidParameter(path, detail);
  }
}

function jsonOf(text: string, path: Path): unknown {
  try {
    return parseExactJson(text, (place) => {
      throw invalidParameter([...path, ...place], 'must not be repeated');
    });
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw invalidParameter(path, `${error.message}; it must be a condition as JSON`);
  }
}

function objectOf(json: unknown, path: Path): JsonObject {
  if (isJsonObject(json)) return json;
  throw invalidParameter(path, 'must be an object');
}

function arrayOf(json: unknown, path: Path, elements: string): readonly unknown[] {
  if (Array.isArray(json)) return json;
  throw invalidParameter(path, `must be an array of ${elements}`);
}

function unknownMember(path: Path, kind: string, names: readonly string[], aliases?: Aliases) {
  const hint = didYouMean(...suggestionsFor(String(path.at(-1)), names, aliases));
  return invalidParameter(path, `is not ${kind}; it must be one of ${names.join(', ')}${hint}`);
}

function combined(combine: typeof and | typeof or, conditions: readonly Condition[]): Condition {
  const [only, ...others] = conditions;
  return only !== undefined && others.length === 0 ? only : combine(...conditions);
}
