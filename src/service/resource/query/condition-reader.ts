import {
  type JsonMember,
  type JsonNode,
  MalformedJsonError,
  parseJsonTree,
  scalarOf,
} from '../../../lib/json/index.ts';
import { and, type Condition, conditionOn, not, or, takes } from '../../../lib/table/index.ts';
import { type Field, type Fields, type FilterOperator, filterOperatorsOf } from '../field.ts';
import { mustBe, type Path, type Validation } from '../validation.ts';
import { rulesOf } from '../validator.ts';
import { conditionFrom, type Operand, storedValue, VALUE_KINDS } from '../value-kind.ts';
import type { Filter } from './filters.ts';
import { suggestedMember } from './suggestions.ts';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/** The operators that every text satisfies if their operand is empty. */
const TRUE_OF_EMPTY: readonly FilterOperator[] = [
  ...(['contains', 'containsIgnoreCase', 'startsWith', 'endsWith', 'gte'] as const),
];

const EMPTY = 'must not be empty';
const EMPTY_FILTER = `${EMPTY}; a where can compare with the empty text, as in {"title": ""}`;

/**
 * Reads the conditions of a request: filters as text, and `where` as JSON. Records what is wrong
 * with them; a condition that is wrong is undefined.
 */
export class ConditionReader {
  readonly #fields: Fields;
  readonly #validation: Validation;
  readonly #allowsEmpty: boolean;
  #comparisons = 0;

  /** @param allowsEmpty whether an operand may be empty, as in reads */
  constructor(fields: Fields, validation: Validation, allowsEmpty: boolean) {
    this.#fields = fields;
    this.#validation = validation;
    this.#allowsEmpty = allowsEmpty;
  }

  /** Reads a filter. @param texts its values, of which only `in` and `notIn` have several */
  filter({ name, column, op, kind }: Filter, texts: readonly string[]): Condition | undefined {
    this.#countComparison([name]);
    const { fromText, textForm } = VALUE_KINDS[kind];
    const isSplit = takes(op, 'values') && kind !== 'text';
    const elements = isSplit ? texts.flatMap((text) => text.split(',')) : texts;
    const operands = elements.map((text) => {
      if (text === '' && !this.#allowsEmpty) return this.#violate([name], EMPTY_FILTER);
      return fromText(text) ?? this.#validation.violate(name, 'type', mustBe(textForm, text));
    });
    return conditionIfWhole(column, op, operands);
  }

  /** Reads a `where`: `all` if it is `{}`, which every item satisfies. */
  where(text: string): Condition | 'all' | undefined {
    const path = ['where'];
    try {
      const node = parseJsonTree(text);
      const isAll = node.type === 'object' && node.members.length === 0;
      return isAll ? 'all' : this.#condition(node, path);
    } catch (error) {
      if (!(error instanceof MalformedJsonError)) throw error;
      return this.#violate(path, `${error.message}; it must be a condition as JSON`);
    }
  }

  #condition(node: JsonNode, path: Path): Condition | undefined {
    const members = this.#membersOf(node, path);
    if (members?.length === 0 && !this.#allowsEmpty) {
      return this.#violate(path, 'must have a condition; {} is every item, and stands alone');
    }
    return combined(
      and,
      members?.map(({ name, node: member }) => this.#member(name, member, [...path, name])),
    );
  }

  #member(name: string, node: JsonNode, path: Path): Condition | undefined {
    if (name === 'and') return combined(and, this.#conditions(node, path));
    if (name === 'or') return combined(or, this.#conditions(node, path));
    if (name === 'not') {
      const condition = this.#condition(node, path);
      return condition && not(condition);
    }
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (field) return this.#fieldCondition(name, field, node, path);
    return this.#unknown(path, 'a field', [...Object.keys(this.#fields), 'and', 'or', 'not']);
  }

  #conditions(node: JsonNode, path: Path): readonly (Condition | undefined)[] | undefined {
    if (node.type !== 'array') return this.#violate(path, 'must be an array of conditions');
    if (node.elements.length === 0 && !this.#allowsEmpty) {
      return this.#violate(path, 'must have a condition');
    }
    return node.elements.map((element, i) => this.#condition(element, [...path, i]));
  }

  #fieldCondition(column: string, field: Field, node: JsonNode, path: Path): Condition | undefined {
    if (node.type !== 'object') {
      if (scalarOf(node) !== null) return this.#comparison(column, field, 'eq', node, path);
      this.#countComparison(path);
      if (field.nullable) return conditionOn(column, 'isNull', []);
      return this.#violate(path, 'must not be null, because the field never is');
    }
    const operators = filterOperatorsOf(field);
    const members = this.#membersOf(node, path);
    if (members?.length === 0) {
      return this.#violate(path, `must have an operator: ${operators.join(', ')}`);
    }
    const conditions = members?.map(({ name, node: operand }) => {
      const op = operators.find((each) => each === name);
      const at = [...path, name];
      if (op) return this.#comparison(column, field, op, operand, at);
      return this.#unknown(at, `an operator of ${column}`, operators);
    });
    return combined(and, conditions);
  }

  #comparison(
    column: string,
    field: Field,
    op: FilterOperator,
    node: JsonNode,
    path: Path,
  ): Condition | undefined {
    this.#countComparison(path);
    if (takes(op, 'nothing')) {
      const holds = scalarOf(node);
      if (typeof holds === 'boolean') return conditionFrom(column, op, [holds]);
      return this.#violate(path, `must be ${VALUE_KINDS.boolean.jsonForm}`);
    }
    if (!takes(op, 'values')) {
      return conditionIfWhole(column, op, [this.#operand(field, op, node, path)]);
    }
    if (node.type !== 'array') return this.#violate(path, 'must be an array of values');
    if (node.elements.length === 0 && !this.#allowsEmpty) return this.#violate(path, EMPTY);
    const operands = node.elements.map((element, i) =>
      this.#operand(field, op, element, [...path, i]),
    );
    return conditionIfWhole(column, op, operands);
  }

  #operand(field: Field, op: FilterOperator, node: JsonNode, path: Path): Operand | undefined {
    const { kind, nullable } = field;
    const { fromJson, jsonForm } = VALUE_KINDS[kind];
    const json = scalarOf(node);
    if (json === null) {
      const hint = nullable ? '; use isNull or isNotNull' : '';
      return this.#violate(path, `must not be null${hint}`);
    }
    const value = fromJson(json, () => (node.type === 'scalar' ? node.source : undefined));
    if (value === undefined) return this.#violate(path, `must be ${jsonForm}`);
    const stored = storedValue(value);
    const broken = rulesOf({ kind }).find(({ isSatisfiedBy }) => !isSatisfiedBy(stored));
    if (broken) return this.#violate(path, broken.detail);
    const isRefused = value === '' && !this.#allowsEmpty && TRUE_OF_EMPTY.includes(op);
    return isRefused ? this.#violate(path, EMPTY) : value;
  }

  /** Returns the members of an object. Repeated ones, and anything else, are violations. */
  #membersOf(node: JsonNode, path: Path): readonly JsonMember[] | undefined {
    if (node.type !== 'object') return this.#violate(path, 'must be an object');
    const names = new Set<string>();
    for (const { name } of node.members) {
      if (names.has(name)) this.#violate([...path, name], 'must not be repeated');
      names.add(name);
    }
    return node.members;
  }

  #countComparison(path: Path): void {
    this.#comparisons++;
    if (this.#comparisons !== MAX_COMPARISONS + 1) return;
    this.#violate(path, `is one comparison too many; a request has at most ${MAX_COMPARISONS}`);
  }

  #unknown(path: Path, kind: string, names: readonly string[]): undefined {
    const suggestion = suggestedMember(String(path.at(-1)), names);
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
    return this.#violate(path, `is not ${kind}; it must be one of ${names.join(', ')}${hint}`);
  }

  #violate(path: Path, detail: string): undefined {
    return this.#validation.violate(path, 'value', detail);
  }
}

/** The condition of an operator, if all its operands are valid. */
function conditionIfWhole(
  column: string,
  op: FilterOperator,
  operands: readonly (Operand | undefined)[],
): Condition | undefined {
  const valid = operands.filter((operand) => operand !== undefined);
  return valid.length < operands.length ? undefined : conditionFrom(column, op, valid);
}

function combined(
  combine: typeof and | typeof or,
  conditions: readonly (Condition | undefined)[] | undefined,
): Condition | undefined {
  const valid = conditions?.filter((condition) => condition !== undefined);
  const [only, ...others] = valid ?? [];
  return only !== undefined && others.length === 0 ? only : valid && combine(...valid);
}
