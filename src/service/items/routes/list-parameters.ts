import { Problem, type Query } from '../../../lib/http/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import { type Condition, type NonEmpty, operatorsOf, or, takes } from '../../../lib/table/index.ts';
import { type Argument, type ParameterDescription, queryParameter } from '../../operation.ts';
import { serviceProblem } from '../../problem-types.ts';
import { aliasesByName } from '../../resource/field.ts';
import { createWhereReader, readFilter } from '../../resource/query/condition-reader.ts';
import { type Filter, filterDescription, filtersOf } from '../../resource/query/filters.ts';
import {
  type ListOptions,
  listOptionParameters,
  listOptionsOf,
} from '../../resource/query/list-options.ts';
import { findLostOperand } from '../../resource/query/lost-operand.ts';
import {
  invalidParameter,
  parameterValuesIn,
  unknownParameter,
} from '../../resource/query/parameters.ts';
import { isBlank, NOT_BLANK_PATTERN } from '../../resource/value-kind.ts';
import type { ItemResource } from '../item-resource.ts';

/** The requested items and their order; by default all items, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

const EVERYTHING: ListQuery = {
  conditions: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
};

/** The parameters of reads that are not conditions. */
const OPTIONS = ['sort', 'limit', 'offset'];

/** The parameters that are conditions, besides filters. */
const SEARCH = 'search';
const WHERE = 'where';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/** A parameter that selects items. */
interface Selector {
  readonly name: string;
  /** Undefined if it matches every item: a blank `search`, or `where={}`. */
  readonly condition: Condition | undefined;
}

/** Reads query strings of the list, for reads and for writes by condition. */
export class ListQueries {
  readonly #resource: Pick<ItemResource, 'fields' | 'api' | 'rules'>;
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #readWhere: (text: string) => Condition | undefined;

  constructor(resource: Pick<ItemResource, 'fields' | 'api' | 'rules'>) {
    this.#resource = resource;
    this.#filters = filtersOf(resource.fields);
    this.#readWhere = createWhereReader(resource.fields);
  }

  /** The query of a read. */
  ofRead(): Argument<ListQuery> {
    const { fields, rules } = this.#resource;
    return {
      parameters: [...listOptionParameters(fields), ...this.#descriptions(true)],
      of: ({ query }) => {
        if (query.isEmpty) return EVERYTHING;
        const { selectors, values } = this.#read(query, OPTIONS, rules.isStrict);
        const conditions = selectors.flatMap(({ condition }) => condition ?? []);
        return { conditions, ...listOptionsOf(values, fields) };
      },
    };
  }

  /** The conditions of a write (api.md: "Several items at once"). */
  ofWrite(): Argument<NonEmpty> {
    return {
      parameters: this.#descriptions(false),
      of: ({ query }) => {
        // Strict always, because a lost condition would widen the write.
        const { selectors } = this.#read(query, [], true);
        const isAny = ({ name, condition }: Selector) => name === WHERE && condition === undefined;
        const given = selectors.every(isAny) ? [] : selectors;
        const [first, ...others] = given.map((selector) => this.#checked(selector));
        if (first !== undefined) return [first, ...others];
        const detail = `A condition is required: a filter, search or where; ${this.everyItem} is every item`;
        throw serviceProblem('condition-required', detail);
      },
    };
  }

  /** The filter that every item satisfies. */
  get everyItem(): string {
    return `id.gte=${this.#resource.fields.id.identity.from}`;
  }

  /** The condition of a write. @throws Problem for one that is probably incomplete */
  #checked({ name, condition }: Selector): Condition {
    if (condition === undefined) {
      const detail =
        name === WHERE ? 'must not be {} beside other conditions' : 'must not be blank';
      throw invalidParameter([name], detail);
    }
    const lost = findLostOperand(condition, name === WHERE);
    if (lost === undefined) return condition;
    const filter = this.#filters.get(name);
    if (filter === undefined) throw invalidParameter([name], lost);
    const { column } = filter;
    const remedy = `for items with an empty ${column}, send where={"${column}":""}`;
    throw invalidParameter([name], `must not be blank; ${remedy}`);
  }

  /** Describes the parameters that are conditions. @param allowsBlank whether texts may be blank */
  #descriptions(allowsBlank: boolean): readonly ParameterDescription[] {
    const { searched, examples } = this.#resource.api;
    const blank = allowsBlank ? 'blank finds everything' : 'it must not be blank';
    return [
      queryParameter(
        SEARCH,
        `A text to find in ${searched.join(' or ')}, ignoring case; ${blank}.`,
        { type: 'string', ...(!allowsBlank && { pattern: NOT_BLANK_PATTERN }) },
        'milk',
      ),
      queryParameter(
        WHERE,
        'A condition as JSON: fields with a value or with an object of operators, `and`, `or`, ' +
          '`not`.',
        { type: 'string', minLength: 1 },
        JSON.stringify(examples.where),
      ),
      ...[...this.#filters.values()].map((filter) => filterDescription(filter, allowsBlank)),
    ];
  }

  /**
   * Reads the parameters.
   * @param optionNames the names of the options that the request may have
   */
  #read(query: Query, optionNames: readonly string[], isStrict: boolean) {
    const names = [...optionNames, SEARCH, WHERE];
    const all = parameterValuesIn(query, {
      isKnown: (name) => this.#filters.has(name) || names.includes(name),
      mayRepeat: (name) => name === WHERE || this.#filters.has(name),
      onUnknown: (name) => this.#refuseUnknown(name, names, isStrict),
    });
    const selectors = [...all].flatMap(([name, values]): Selector[] => {
      const filter = this.#filters.get(name);
      if (filter !== undefined) {
        // All values of a list are one condition.
        const conditions = takes(filter.op, 'values') ? [values] : values.map((each) => [each]);
        return conditions.map((texts) => ({ name, condition: readFilter(filter, texts) }));
      }
      if (optionNames.includes(name)) return [];
      const read = (text: string) =>
        name === WHERE ? this.#readWhere(text) : this.#searchCondition(text);
      return values.map((text) => ({ name, condition: read(text) }));
    });
    const filters = selectors.filter(({ name }) => name !== SEARCH);
    const count = comparisonsIn(filters.flatMap(({ condition }) => condition ?? []));
    if (count <= MAX_COMPARISONS) return { selectors, values: all };
    const detail = `A request has at most ${MAX_COMPARISONS} comparisons, not ${count}`;
    throw new Problem('invalid-parameter', detail);
  }

  /**
   * Refuses an unknown parameter. After the name of a field, it suggests an operator, or lists those
   * of the field. Without strictness, an operator that a field lacks is refused all the same.
   */
  #refuseUnknown(name: string, names: readonly string[], isStrict: boolean): void {
    const { fields } = this.#resource;
    const [beforeDot = ''] = name.split('.', 1);
    if (!isStrict && !Object.hasOwn(fields, beforeDot)) return;
    const [column = ''] = /^[a-z0-9]+/i.exec(name) ?? [];
    const field = Object.hasOwn(fields, column) ? fields[column] : undefined;
    if (field === undefined) {
      const suggestion = nearest(name, [...names, ...this.#filters.keys()], aliasesByName(fields));
      throw unknownParameter(name, suggestion, [...names, ...Object.keys(fields)]);
    }
    const operators = operatorsOf(field);
    const operator = nearest(name.slice(column.length).replaceAll(/[^a-z]/gi, ''), operators);
    const filters = operators.map((each) => `${column}.${each}`);
    throw unknownParameter(name, operator && `${column}.${operator}`, filters);
  }

  /** Undefined for a blank text, which every item matches. */
  #searchCondition(value: string): Condition | undefined {
    if (isBlank(value)) return undefined;
    const op = 'containsIgnoreCase';
    return or(...this.#resource.api.searched.map((column) => ({ op, column, value }) as const));
  }
}

function comparisonsIn(conditions: readonly Condition[]): number {
  const counts = conditions.map((each) => {
    if ('conditions' in each) return comparisonsIn(each.conditions);
    return 'condition' in each ? comparisonsIn([each.condition]) : 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
