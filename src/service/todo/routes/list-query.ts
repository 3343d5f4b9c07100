import {
  type Argument,
  type ParameterDescription,
  Problem,
  type Query,
  queryParameter,
} from '../../../lib/http/index.ts';
import { isJsonObject, type JsonSchema } from '../../../lib/json/index.ts';
import { type Condition, takes } from '../../../lib/table/index.ts';
import { problemType } from '../../problem-types.ts';
import { filterOperatorsOf } from '../../resource/field.ts';
import { ConditionReader } from '../../resource/query/condition-reader.ts';
import { type Filter, filterDescription, filtersOf } from '../../resource/query/filters.ts';
import { type ListOptions, listOptions, listOptionsOf } from '../../resource/query/list-options.ts';
import {
  CACHE_BUSTER,
  createSuggestionFinder,
  unknownRule,
} from '../../resource/query/suggestions.ts';
import { Validation } from '../../resource/validation.ts';
import { isBlank, NOT_BLANK_PATTERN } from '../../resource/value-kind.ts';
import type { ItemFields } from '../../store/items.ts';
import type { Selection } from '../../store/store.ts';
import type { ItemApi } from '../item-resource.ts';

const CONDITION_REQUIRED = problemType('condition-required', 400);

/** The items that a client wants, and their order; by default every item, by ascending id. */
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

/** The readings of the query string of the list: for reads, and for writes by condition. */
export class ListQueries {
  readonly #fields: ItemFields;
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #api: Pick<ItemApi, 'searched' | 'examples'>;

  constructor(fields: ItemFields, api: Pick<ItemApi, 'searched' | 'examples'>) {
    this.#fields = fields;
    this.#api = api;
    this.#filters = filtersOf(fields);
  }

  /** The query of a read. @param isStrict whether unknown parameters are refused */
  ofRead(isStrict: boolean): Argument<ListQuery> {
    const conditions = () => this.#parameters('blank finds everything');
    const fields = this.#fields;
    return {
      get parameters() {
        return [...listOptions(fields), ...conditions()];
      },
      problems: ['invalid-parameter'],
      of: ({ query }) => {
        if (query.isEmpty) return EVERYTHING;
        const validation = new Validation();
        const read = this.#read(query, validation, isStrict ? 'read' : 'lenient read');
        const options = listOptionsOf(read.options, fields, validation);
        validation.finishQuery();
        return { conditions: read.conditions, ...options };
      },
    };
  }

  /** The items that a write by condition is for (api.md: "Several items at once"). */
  ofWrite(): Argument<Selection> {
    const parameters = () => this.#parameters('it must not be blank').map(withoutEmpty);
    return {
      get parameters() {
        return parameters();
      },
      problems: ['invalid-parameter', CONDITION_REQUIRED],
      of: ({ query, method }) => {
        const validation = new Validation();
        const { conditions, isAll } = this.#read(query, validation, 'write');
        validation.finishQuery();
        const [first, ...others] = conditions;
        if (first !== undefined) return [first, ...others];
        if (isAll) return 'all';
        const hint = method === 'PATCH' ? '; one patch applies to all of them' : '';
        throw new Problem(CONDITION_REQUIRED, NO_CONDITION + hint);
      },
    };
  }

  #parameters(ifBlank: string): readonly ParameterDescription[] {
    const { searched, examples } = this.#api;
    return [
      queryParameter(
        'search',
        `A text to find in ${searched.join(' or ')}, ignoring case; ${ifBlank}.`,
        { type: 'string' },
        'milk',
      ),
      queryParameter(
        'where',
        'A condition as JSON: fields with a value or with an object of operators, `and`, `or`, ' +
          '`not`.',
        { type: 'string' },
        JSON.stringify(examples.where),
      ),
      ...[...this.#filters.values()].map(filterDescription),
    ];
  }

  /** Reads the conditions, and collects `sort`, `limit` and `offset` of a read. */
  #read(query: Query, validation: Validation, use: 'read' | 'lenient read' | 'write') {
    const isWrite = use === 'write';
    const reader = new ConditionReader(this.#fields, validation, !isWrite);
    const conditions: (Condition | undefined)[] = [];
    const options = new Map<string, string>();
    const lists = new Map<Filter, string[]>();
    let alls = 0;
    for (const [name, value] of query.parameters) {
      const filter = this.#filters.get(name);
      if (filter !== undefined) {
        // All values of a list are one condition.
        if (takes(filter.op, 'values')) lists.set(filter, [...(lists.get(filter) ?? []), value]);
        else conditions.push(reader.filter(filter, [value]));
      } else if (name === 'where') {
        const condition = reader.where(value);
        if (condition === 'all') alls++;
        else conditions.push(condition);
      } else if (name === 'search' || (OPTIONS.includes(name) && !isWrite)) {
        if (options.has(name)) validation.violate(name, 'repeated', 'must not be repeated');
        else options.set(name, value);
      } else if (name !== CACHE_BUSTER) this.#refuse(name, validation, use);
    }
    for (const [filter, values] of lists) conditions.push(reader.filter(filter, values));
    const search = options.get('search');
    if (search !== undefined && !isBlank(search)) conditions.push(this.#searchCondition(search));
    if (isWrite) {
      if (search !== undefined && isBlank(search)) violate('search', 'must not be blank');
      if (alls > 0 && alls + conditions.length > 1) {
        violate('where', 'must stand alone if it is {}, which is every item');
      }
    }
    const valid = conditions.filter((condition) => condition !== undefined);
    return { conditions: valid, isAll: alls > 0, options };

    function violate(name: string, detail: string): void {
      validation.violate(name, 'value', detail);
    }
  }

  /** Reports an unknown parameter, or one that names a field with an operator it does not have. */
  #refuse(name: string, validation: Validation, use: 'read' | 'lenient read' | 'write'): void {
    const [column = ''] = name.split('.', 1);
    const field = Object.hasOwn(this.#fields, column) ? this.#fields[column] : undefined;
    if (field === undefined && use === 'lenient read') return;
    const options = use === 'write' ? [] : OPTIONS;
    const names = [...options, 'search', 'where', ...this.#filters.keys()];
    const suggestion = createSuggestionFinder(this.#fields, names)(name);
    if (field === undefined) {
      validation.violate(name, 'unknown', unknownRule(suggestion, use === 'read'));
      return;
    }
    const operators = filterOperatorsOf(field).join(', ');
    const hint =
      suggestion === undefined || suggestion === column ? '' : `; did you mean ${suggestion}?`;
    validation.violate(
      name,
      'unknown',
      `is not a filter; the operators of ${column} are ${operators}${hint}`,
    );
  }

  #searchCondition(value: string): Condition {
    const op = 'containsIgnoreCase';
    const conditions = this.#api.searched.map((column) => ({ op, column, value }) as const);
    return { op: 'or', conditions };
  }
}

const NO_CONDITION =
  'A condition is required; add a filter, search or where. To write every item, send where={} alone';

/** A parameter of a write, whose schema excludes empty text. */
function withoutEmpty(parameter: ParameterDescription): ParameterDescription {
  const { name, schema } = parameter;
  const isSearch = name === 'search';
  return {
    ...parameter,
    schema: isSearch ? { ...schema, pattern: NOT_BLANK_PATTERN } : notEmptySchema(schema),
  };
}

function notEmptySchema(schema: JsonSchema): JsonSchema {
  const { type, items } = schema;
  if (type === 'string') return { ...schema, minLength: 1 };
  return isJsonObject(items) ? { ...schema, items: notEmptySchema(items) } : schema;
}
