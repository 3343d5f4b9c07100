import { type ParameterDescription, type Query, queryParameter } from '../../../lib/http/index.ts';
import {
  type Condition,
  type Kind,
  OPERATORS,
  type Operator,
  or,
  takes,
} from '../../../lib/table/index.ts';
import { type Fields, type FilterOperator, filterOperatorsOf } from '../field.ts';
import { operandSchema } from '../schema.ts';
import { jsonText } from '../serializer.ts';
import { mustBe, type OnInvalid } from '../validation.ts';
import { conditionFrom, VALUE_KINDS } from '../value-kind.ts';

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

/** Told of a parameter that is neither a filter nor nearly one. */
export type OnUnknown = (name: string) => void;

/** The filters of a resource: every field with every operator that fits it. */
export class Filters {
  readonly #fields: Fields;
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #options: readonly string[];
  readonly #meantBy: ReturnType<typeof nearNames>;

  /** @param options the names of the parameters that are not filters */
  constructor(fields: Fields, options: readonly string[]) {
    const filters = new Map<string, Filter>();
    for (const [column, field] of Object.entries(fields)) {
      const add = (name: string, op: FilterOperator) => {
        const kind = takes(op, 'nothing') ? 'boolean' : field.kind;
        filters.set(name, { name, column, op, kind });
      };
      add(column, 'eq');
      for (const op of filterOperatorsOf(field)) add(`${column}.${op}`, op);
    }
    this.#fields = fields;
    this.#filters = filters;
    this.#options = options;
    this.#meantBy = nearNames(fields, options);
  }

  get names(): readonly string[] {
    return [...this.#options, ...this.#filters.keys()];
  }

  has(name: string): boolean {
    return this.#filters.has(name);
  }

  descriptions(): readonly ParameterDescription[] {
    return [...this.#filters.values()].map(({ name, column, op, kind }) => {
      const { example: value, operandNote } = VALUE_KINDS[kind];
      const example = JSON.parse(jsonText(value));
      const sentences = [`Only items whose ${column} ${OPERATORS[op].meaning}.`, operandNote ?? []];
      const description = sentences.flat().join(' ');
      const schema = operandSchema(op, kind);
      return queryParameter(name, description, schema, takes(op, 'values') ? [example] : example);
    });
  }

  /** The conditions of a query, which must all hold. Options are passed over. */
  conditionsOf(query: Query, onInvalid: OnInvalid, onUnknown: OnUnknown): Condition[] {
    const conditions: Condition[] = [];
    const lists = new Map<Filter, readonly string[]>();
    let count = 0;
    for (const [name, value] of query.parameters) {
      const filter = this.#filters.get(name);
      if (filter === undefined) {
        if (!this.#options.includes(name)) this.#refuse(name, onInvalid, onUnknown);
        continue;
      }
      if (++count > MAX_FILTERS) {
        onInvalid(name, 'max-items', `is one filter too many; the maximum is ${MAX_FILTERS}`);
        return [];
      }
      // All values of a list make one condition.
      if (takes(filter.op, 'values')) lists.set(filter, [...(lists.get(filter) ?? []), value]);
      else conditions.push(conditionOf(filter, [value], onInvalid));
    }
    for (const [filter, values] of lists) conditions.push(conditionOf(filter, values, onInvalid));
    return conditions;
  }

  /** Refuses a name that is nearly one, or names a field with what is no operator of it. */
  #refuse(name: string, onInvalid: OnInvalid, onUnknown: OnUnknown): void {
    const [column = ''] = name.split('.', 1);
    const field = Object.hasOwn(this.#fields, column) ? this.#fields[column] : undefined;
    const meant = this.#meantBy(name);
    if (field !== undefined) {
      const allowed = `the operators of ${column} are ${filterOperatorsOf(field).join(', ')}`;
      const hint = meant === column ? '' : `; did you mean ${meant}?`;
      onInvalid(name, 'unknown', `is not a filter; ${allowed}${hint}`);
    } else if (meant === undefined) onUnknown(name);
    else onInvalid(name, 'unknown', `is not a parameter; did you mean ${meant}?`);
  }
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
  return conditionFrom(column, op, values);
}

/** A name ends here in the notations of other servers: `id[]`, `priority_gte`, `title.like`. */
const SEPARATORS = '[_.';

/**
 * Makes what finds the parameter that was meant by a name, if that, whole or as far as one of its
 * `[`, `_` or `.`, is a field or an option but for case, `_` and `-` (api.md: "Filters").
 */
export function nearNames(fields: Fields, options: readonly string[]) {
  const names = [...Object.keys(fields), ...options];
  const byComparable = new Map(names.map((name) => [comparable(name), name]));
  const maxLength = Math.max(...names.map(({ length }) => length));

  return (name: string): string | undefined => {
    let compared = '';
    let meant: string | undefined;
    // The longest part counts: `due_at_lt` is about `dueAt`, whether or not there is a `due`.
    for (let at = 0; at <= name.length && compared.length <= maxLength; at++) {
      const isEnd = at === name.length || SEPARATORS.includes(name.charAt(at));
      const near = isEnd ? byComparable.get(compared) : undefined;
      if (near !== undefined) meant = withOperator(near, name.slice(at));
      compared += comparable(name.charAt(at));
    }
    return meant;
  };

  /** The name with the operator that the rest of a name says: `[]`, `[gte]`, `__gte`. */
  function withOperator(name: string, rest: string): string {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined || rest === '') return name;
    const wanted = IS_INDEX.test(rest) ? 'in' : rest.replace(/[^a-z]/gi, '').toLowerCase();
    const operator = filterOperatorsOf(field).find((each) => each.toLowerCase() === wanted);
    return operator === undefined || operator === 'eq' ? name : `${name}.${operator}`;
  }
}

/** Brackets, as clients write them that send arrays. */
const IS_INDEX = /^\[\d*\]$/;

function comparable(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
