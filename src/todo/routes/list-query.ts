import type { Query } from '../../http/core/target.ts';
import type { ParameterDescription } from '../../http/routing/operation.ts';
import { type JsonObject, MalformedJsonError } from '../../json/json-object.ts';
import { type JsonNode, parseJsonTree } from '../../json/json-tree.ts';
import { Filters } from '../../resource/query/filters.ts';
import type { OnInvalid } from '../../resource/query/invalid-parameter.ts';
import { ConditionReader } from '../../resource/query/json-condition.ts';
import {
  countFromJson,
  type ListOptions,
  listOptions,
  listOptionsOf,
  orderOf,
} from '../../resource/query/list-options.ts';
import { isBlank } from '../../resource/value-kind.ts';
import type { Condition } from '../../table/condition/condition.ts';
import type { ItemFields } from '../store/items.ts';
import type { ItemApi } from './item-resource.ts';

/** Which items a client wants, in which order; by default every item, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

/** Everything, in the order of ids. */
const ALL: ListQuery = { conditions: [], orderBy: [], limit: undefined, offset: undefined };

/**
 * Reads queries of the list: filters, `search`, `where`, `sort`, `limit` and `offset` (api.md:
 * "The list", "Filters", "QUERY, where, DELETE by condition").
 */
export class ListQueries {
  /** The names of the parameters that are conditions, and of all. */
  readonly conditionNames: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly #fields: ItemFields;
  readonly #api: ItemApi;
  readonly #filters: Filters;

  constructor(fields: ItemFields, api: ItemApi) {
    this.#fields = fields;
    this.#api = api;
    this.#filters = new Filters(fields);
    this.conditionNames = new Set(['search', 'where', ...this.#filters.names]);
    this.names = new Set([...this.conditionNames, ...OPTIONS]);
  }

  /** Whether a parameter names a field, with or without an operator. */
  isFilter(name: string): boolean {
    const [field = ''] = name.split('.', 1);
    return Object.hasOwn(this.#fields, field);
  }

  /** The parameters that are conditions. */
  get conditionParameters(): readonly ParameterDescription[] {
    const { searched, examples } = this.#api;
    const { descriptions } = this.#filters;
    return [searchParameter(searched), whereParameter(examples.where), ...descriptions];
  }

  /** All parameters. */
  get parameters(): readonly ParameterDescription[] {
    return [...listOptions(this.#fields), ...this.conditionParameters];
  }

  /** Reads the parameters of a query string or a form; others are ignored. */
  ofParameters(query: Query, onInvalid: OnInvalid): ListQuery {
    if (query.isEmpty) return ALL;
    const conditions = this.conditionsOf(query, onInvalid);
    return { conditions, ...listOptionsOf(query, this.#fields, onInvalid) };
  }

  /** Reads the conditions of a query string or a form. */
  conditionsOf(query: Query, onInvalid: OnInvalid): readonly Condition[] {
    return [
      ...this.#filters.conditionsOf(query, onInvalid),
      ...this.#searchCondition(query.get('search')),
      ...this.#whereConditions(query, onInvalid),
    ];
  }

  /** Reads a query in JSON. It has no meaning if the reader then has violations. */
  ofJson(root: JsonNode, reader: ConditionReader): ListQuery {
    const conditions: Condition[] = [];
    const found: { -readonly [Key in keyof ListOptions]: ListOptions[Key] } = { ...ALL };
    const onInvalid: OnInvalid = (name, code, rule) => reader.violate([name], code, rule);
    for (const { name, node } of reader.membersOf(root, [])) {
      switch (name) {
        case 'where':
          conditions.push(reader.read(node, [name]));
          break;
        case 'search':
          conditions.push(...this.#searchCondition(reader.textOf(node, [name])));
          break;
        case 'sort':
          found.orderBy = orderOf(reader.textOf(node, [name]), this.#fields, onInvalid);
          break;
        case 'limit':
        case 'offset':
          found[name] = countFromJson(name, node, onInvalid);
          break;
        default:
          onInvalid(name, 'unknown', `is not a member; it must be one of ${MEMBERS.join(', ')}`);
      }
    }
    return { ...found, conditions };
  }

  #searchCondition(text: string | undefined): readonly Condition[] {
    if (!text || isBlank(text)) return [];
    const op = 'containsIgnoreCase';
    return [
      { op: 'or', conditions: this.#api.searched.map((column) => ({ op, column, value: text })) },
    ];
  }

  #whereConditions({ parameters }: Query, onInvalid: OnInvalid): readonly Condition[] {
    const texts = parameters.flatMap(([name, value]) => (name === 'where' ? value : []));
    if (texts.length === 0) return [];
    if (texts.length > MAX_WHERES) {
      onInvalid('where', 'max-items', `must be given at most ${MAX_WHERES} times`);
      return [];
    }
    const reader = new ConditionReader(this.#fields);
    const conditions = texts.flatMap((text) => {
      try {
        return reader.read(parseJsonTree(text), []);
      } catch (error) {
        if (!(error instanceof MalformedJsonError)) throw error;
        onInvalid('where', 'value', `${error.message}; it must be a condition as JSON`);
        return [];
      }
    });
    for (const { pointer, code, detail } of reader.violations) {
      onInvalid('where', code === 'unknown' ? 'value' : code, `${at(pointer)}${detail}`);
    }
    return conditions;
  }
}

/** How often `where` may be given: each takes a parser of its own. */
const MAX_WHERES = 100;

const OPTIONS = ['sort', 'limit', 'offset'];

/** The parameters of which only the first one counts. */
export const SINGLE_PARAMETERS: readonly string[] = ['search', ...OPTIONS];

const MEMBERS = ['where', 'search', ...OPTIONS];

function at(pointer: string): string {
  return pointer === '#' ? '' : `at ${pointer} `;
}

function searchParameter(searched: readonly string[]): ParameterDescription {
  return {
    name: 'search',
    in: 'query',
    description:
      `A text to find in ${searched.join(' or ')}, ignoring case (Unicode full case folding). ` +
      'Every character means itself; blank finds everything; if repeated, the first one counts.',
    schema: { type: 'string' },
    example: 'milk',
  };
}

function whereParameter(example: JsonObject): ParameterDescription {
  return {
    name: 'where',
    in: 'query',
    description:
      'A condition as JSON, which must hold besides the filters: fields with a value or with an ' +
      'object of operators, `and`, `or`, `not`. If it is repeated, all of them must hold.',
    schema: { type: 'string', contentMediaType: 'application/json' },
    example: JSON.stringify(example),
  };
}
