import { Problem, type Query } from '../../../lib/http/index.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
import { type Condition, operatorsOf, takes } from '../../../lib/table/index.ts';
import { type Argument, type ParameterDescription, queryParameter } from '../../operation.ts';
import { problemType } from '../../problem-types.ts';
import { ConditionReader } from '../../resource/query/condition-reader.ts';
import { type Filter, filterDescription, filtersOf } from '../../resource/query/filters.ts';
import { type ListOptions, listOptions, listOptionsOf } from '../../resource/query/list-options.ts';
import {
  CACHE_BUSTER,
  invalidParameter,
  noParameters,
  repeatedParameter,
  unknownParameter,
} from '../../resource/query/parameters.ts';
import { parameterSuggestions } from '../../resource/query/suggestions.ts';
import { isBlank, NOT_BLANK_PATTERN } from '../../resource/value-kind.ts';
import type { ItemFields } from '../../store/items.ts';
import type { Selection } from '../../store/store.ts';
import type { ItemApi } from '../item-resource.ts';

const CONDITION_REQUIRED = problemType('condition-required');

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

/** The parameters that may be given only one time. */
const OPTIONS = ['sort', 'limit', 'offset'];

/** Reads query strings of the list, for reads and for writes by condition. */
export class ListQueries {
  readonly #fields: ItemFields;
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #api: Pick<ItemApi, 'searched' | 'examples'>;
  readonly #isStrict: boolean;
  readonly #ofReads: ConditionReader;
  readonly #ofWrites: ConditionReader;

  /** @param isStrict whether reads refuse unknown parameters; writes always do */
  constructor(fields: ItemFields, api: Pick<ItemApi, 'searched' | 'examples'>, isStrict: boolean) {
    this.#fields = fields;
    this.#api = api;
    this.#isStrict = isStrict;
    this.#filters = filtersOf(fields);
    this.#ofReads = new ConditionReader(fields, true);
    this.#ofWrites = new ConditionReader(fields, false);
  }

  /** The query of a read. */
  ofRead(): Argument<ListQuery> {
    const parameters = () => [...listOptions(this.#fields), ...this.#conditions(true)];
    return {
      get parameters() {
        return parameters();
      },
      of: ({ query }) => {
        if (query.isEmpty) return EVERYTHING;
        const { conditions, options } = this.#read(query, false);
        return { conditions, ...listOptionsOf(options, this.#fields) };
      },
    };
  }

  /** The selection of a write by condition (api.md: "Several items at once"). */
  ofWrite(): Argument<Selection> {
    const parameters = () => this.#conditions(false);
    return {
      get parameters() {
        return parameters();
      },
      of: ({ query }) => {
        const { conditions, isAll } = this.#read(query, true);
        const [first, ...others] = conditions;
        if (first !== undefined) return [first, ...others];
        if (isAll) return 'all';
        throw new Problem(CONDITION_REQUIRED, NO_CONDITION);
      },
    };
  }

  /** Describes the parameters that are conditions. @param allowsEmpty as for `ConditionReader` */
  #conditions(allowsEmpty: boolean): readonly ParameterDescription[] {
    const { searched, examples } = this.#api;
    const fields = searched.join(' or ');
    return [
      queryParameter(
        'search',
        `A text to find in ${fields}, ignoring case; ${allowsEmpty ? 'blank finds everything' : 'it must not be blank'}.`,
        { type: 'string', ...(!allowsEmpty && { pattern: NOT_BLANK_PATTERN }) },
        'milk',
      ),
      queryParameter(
        'where',
        'A condition as JSON: fields with a value or with an object of operators, `and`, `or`, ' +
          '`not`.',
        { type: 'string', minLength: 1 },
        JSON.stringify(examples.where),
      ),
      ...[...this.#filters.values()].map((filter) => filterDescription(filter, allowsEmpty)),
    ];
  }

  /** Reads the conditions, and collects `sort`, `limit` and `offset` of a read. */
  #read(query: Query, isWrite: boolean) {
    const reader = isWrite ? this.#ofWrites : this.#ofReads;
    reader.startRequest();
    const conditions: Condition[] = [];
    const options = new Map<string, string>();
    const lists = new Map<Filter, string[]>();
    let isAll = false;
    for (const [name, value] of query.parameters) {
      const filter = this.#filters.get(name);
      if (filter !== undefined) {
        // All values of a list are one condition.
        if (takes(filter.op, 'values')) lists.set(filter, [...(lists.get(filter) ?? []), value]);
        else conditions.push(reader.filter(filter, [value]));
      } else if (name === 'where') {
        const condition = reader.where(value);
        if (condition !== 'all') conditions.push(condition);
        else if (isWrite && isAll) throw NOT_ALONE;
        else isAll = true;
      } else if (name === 'search' || (OPTIONS.includes(name) && !isWrite)) {
        if (options.has(name)) throw repeatedParameter(name);
        options.set(name, value);
      } else if (name !== CACHE_BUSTER) this.#refuseUnknown(name, isWrite);
    }
    for (const [filter, values] of lists) conditions.push(reader.filter(filter, values));
    const search = options.get('search');
    if (search !== undefined) {
      if (!isBlank(search)) conditions.push(this.#searchCondition(search));
      else if (isWrite) throw invalidParameter(['search'], 'must not be blank');
    }
    if (isWrite && isAll && conditions.length > 0) throw NOT_ALONE;
    return { conditions, isAll, options };
  }

  /** Refuses an unknown parameter, unless reads ignore it, or an operator that its field lacks. */
  #refuseUnknown(name: string, isWrite: boolean): void {
    if (OPTIONS.includes(name)) {
      const detail = 'is a parameter of GET; a write takes all items that match';
      throw invalidParameter([quoted(name)], detail);
    }
    const [column = ''] = name.split('.', 1);
    const field = Object.hasOwn(this.#fields, column) ? this.#fields[column] : undefined;
    if (field === undefined && !isWrite && !this.#isStrict) return;
    const others = [...(isWrite ? [] : OPTIONS), 'search', 'where'];
    const names = [...others, ...this.#filters.keys()];
    const suggestions = parameterSuggestions(name, names, this.#fields);
    if (field === undefined) {
      const known = [...others, ...Object.keys(this.#fields)];
      throw unknownParameter(name, suggestions, known, isWrite ? 'always' : this.#isStrict);
    }
    const operators = operatorsOf(field).join(', ');
    const hint = didYouMean(...suggestions);
    const detail = `is not a filter; the operators of ${column} are ${operators}${hint}`;
    throw invalidParameter([quoted(name)], detail);
  }

  #searchCondition(value: string): Condition {
    const op = 'containsIgnoreCase';
    const conditions = this.#api.searched.map((column) => ({ op, column, value }) as const);
    return { op: 'or', conditions };
  }
}

/** The query of a POST of the list, which has no parameters. */
export function createQuery(fields: ItemFields, isStrict: boolean): Argument<void> {
  const ofRead = [...OPTIONS, 'search', 'where', ...filtersOf(fields).keys()];
  return noParameters(isStrict, (name) =>
    ofRead.includes(name) ? 'is a parameter of GET; POST has none' : undefined,
  );
}

const NO_CONDITION =
  'A condition is required; add a filter, search or where. To write every item, send where={} alone';

const NOT_ALONE = invalidParameter(
  ['where={}'],
  'selects every item, so no other condition may be given',
);
