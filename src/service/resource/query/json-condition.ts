import { type JsonMember, type JsonNode, scalarOf } from '../../../lib/json/index.ts';
import {
  type Condition,
  conditionOn,
  not,
  OPERATORS,
  type Operator,
  takes,
} from '../../../lib/table/index.ts';
import { type Field, type Fields, type FilterOperator, filterOperatorsOf } from '../field.ts';
import { type Path, Validation } from '../validation.ts';
import { rulesOf } from '../validator.ts';
import { conditionFrom, type Operand, storedValue, VALUE_KINDS } from '../value-kind.ts';

/** How many conditions on fields, and how many operands, a condition may have. */
const MAX_LEAVES = 100;
const MAX_OPERANDS = 1000;

/** A condition; undefined if there is a violation instead. */
type Found = Condition | undefined;

/** Reads a condition in JSON and notes its violations; past its bounds, it looks at no more. */
export class ConditionReader extends Validation {
  readonly #fields: Fields;
  #leaves = 0;
  #operands = 0;

  constructor(fields: Fields) {
    super();
    this.#fields = fields;
  }

  /** Reads a condition: {@link EVERYTHING} if it is `{}`, and none if there are violations. */
  read(node: JsonNode, path: Path): Condition {
    if (node.type === 'object' && node.members.length === 0) return EVERYTHING;
    const condition = this.#condition(node, path);
    const tooMany = (count: number, max: number, what: string) => {
      if (count > max) this.violate(path, 'max-items', `must have at most ${max} ${what}`);
    };
    tooMany(this.#leaves, MAX_LEAVES, 'conditions on fields');
    tooMany(this.#operands, MAX_OPERANDS, 'operands');
    return condition ?? NEVER;
  }

  /** Whether a bound is exceeded, so that the condition will be refused. */
  get #isOver(): boolean {
    return this.#leaves > MAX_LEAVES || this.#operands > MAX_OPERANDS || this.isFull;
  }

  #condition(node: JsonNode, path: Path): Found {
    if (this.#isOver) return undefined;
    const conditions = this.membersOf(node, path).map(({ name, node: member }) =>
      this.#member(name, member, [...path, name]),
    );
    return combined('and', conditions);
  }

  #member(name: string, node: JsonNode, path: Path): Found {
    if (this.#isOver) return undefined;
    if (name === 'and' || name === 'or') return combined(name, this.#conditions(node, path));
    if (name === 'not') return negated(this.#condition(node, path));
    const field = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (field) return this.#fieldCondition(name, field, node, path);
    const names = [...Object.keys(this.#fields), 'and', 'or', 'not'].join(', ');
    return this.violate(path, 'unknown', `is not a field; it must be one of ${names}`);
  }

  #conditions(node: JsonNode, path: Path): readonly Found[] {
    if (node.type === 'array') {
      return node.elements.map((element, i) => this.#condition(element, [...path, i]));
    }
    return [this.violate(path, 'type', 'must be an array of conditions')];
  }

  #fieldCondition(column: string, field: Field, node: JsonNode, path: Path): Found {
    if (node.type !== 'object') {
      this.#leaves++;
      if (scalarOf(node) !== null) return this.#comparison(column, field, 'eq', node, path);
      if (field.nullable) return conditionOn(column, 'isNull', []);
      return this.violate(path, 'not-null', 'must not be null, because the field never is');
    }
    const allowed = filterOperatorsOf(field);
    const members = this.membersOf(node, path);
    if (members.length === 0) {
      this.violate(path, 'value', `must have an operator: ${allowed.join(', ')}`);
    }
    const conditions = members.map(({ name, node: operand }) => {
      this.#leaves++;
      if (this.#isOver) return undefined;
      const op = allowed.find((each) => each === name);
      const at = [...path, name];
      if (op) return this.#comparison(column, field, op, operand, at);
      const detail = `is not an operator of ${column}; it must be one of ${allowed.join(', ')}`;
      return this.violate(at, 'unknown', detail);
    });
    return combined('and', conditions);
  }

  #comparison(column: string, field: Field, op: FilterOperator, node: JsonNode, path: Path): Found {
    if (takes(op, 'nothing')) {
      const holds = scalarOf(node);
      if (typeof holds === 'boolean') return conditionFrom(column, op, [holds]);
      return this.violate(path, 'type', `must be ${VALUE_KINDS.boolean.jsonForm}`);
    }
    if (!takes(op, 'values')) {
      const operand = this.#operand(field, op, node, path);
      return operand === undefined ? undefined : conditionFrom(column, op, [operand]);
    }
    if (node.type !== 'array') return this.violate(path, 'type', 'must be an array of values');
    const operands = node.elements.flatMap(
      (element, i) => this.#operand(field, op, element, [...path, i]) ?? [],
    );
    return conditionFrom(column, op, operands);
  }

  #operand(field: Field, op: FilterOperator, node: JsonNode, path: Path): Operand | undefined {
    this.#operands++;
    if (this.#isOver) return undefined;
    const { kind, nullable } = field;
    const { fromJson, jsonForm } = VALUE_KINDS[kind];
    const { form }: Operator = OPERATORS[op];
    const json = scalarOf(node);
    if (json === null) {
      const hint = nullable ? '; use isNull or isNotNull' : '';
      return this.violate(path, 'not-null', `must not be null${hint}`);
    }
    const value = fromJson(json, () => node.source);
    if (value === undefined) return this.violate(path, 'type', `must be ${jsonForm}`);
    const broken = rulesOf({ kind }).find(
      ({ isSatisfiedBy }) => !isSatisfiedBy(storedValue(value)),
    );
    if (broken) return this.violate(path, broken.code, broken.detail);
    if (!form || form.isText(String(value))) return value;
    return this.violate(path, 'value', `must be ${form.requirement}`);
  }

  /** Returns the members of an object. Repeated ones, and anything else, are violations. */
  membersOf(node: JsonNode, path: Path): readonly JsonMember[] {
    if (node.type !== 'object') return this.violate(path, 'type', 'must be an object') ?? [];
    if (node.members.length < 2) return node.members;
    const names = new Set<string>();
    return node.members.filter(({ name }) => {
      if (!names.has(name)) return names.add(name);
      this.violate([...path, name], 'repeated', 'must not be repeated');
      return false;
    });
  }
}

/** The condition `{}`: it means every item on purpose; others that always hold may be mistakes. */
export const EVERYTHING: Condition = { op: 'and', conditions: [] };

const NEVER: Condition = { op: 'or', conditions: [] };

const ALWAYS: Condition = { op: 'and', conditions: [] };

/** Combines conditions, without those that have no field: so what is left is bounded. */
function combined(op: 'and' | 'or', conditions: readonly Found[]): Condition {
  const [neutral, absorbing] = op === 'and' ? [ALWAYS, NEVER] : [NEVER, ALWAYS];
  if (conditions.includes(absorbing)) return absorbing;
  const left = conditions.flatMap((each) => (each === neutral ? [] : (each ?? [])));
  const [only = neutral] = left;
  return left.length > 1 ? { op, conditions: left } : only;
}

function negated(condition: Found): Found {
  if (condition === ALWAYS) return NEVER;
  return condition === NEVER ? ALWAYS : condition && not(condition);
}
