import {
  type Argument,
  Problem,
  preference,
  type Query,
  queryParameter,
  type Request,
} from '../../../lib/http/index.ts';
import { MalformedJsonError, parseJsonTree } from '../../../lib/json/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { Condition, NonEmpty } from '../../../lib/table/index.ts';
import { ConditionReader } from '../../resource/query/json-condition.ts';
import {
  filtersOf,
  type ListOptions,
  listOptions,
  listOptionsOf,
  type OnInvalid,
  throwInvalid,
} from '../../resource/query/parameters.ts';
import { isBlank } from '../../resource/value-kind.ts';
import type { ItemFields } from '../../store/items.ts';
import type { ItemApi } from '../item-resource.ts';
import { CONDITION_REQUIRED } from '../problems.ts';

/** Which items a client wants, in which order; by default every item, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

/** Every item. */
export const ALL: ListQuery = { conditions: [], orderBy: [], limit: undefined, offset: undefined };

/** What reads filters, `search`, `where`, `sort`, `limit` and `offset` of queries of the list. */
export type ListQueries = ReturnType<typeof listQueries>;

/** Makes what reads queries of the list. */
export function listQueries(fields: ItemFields, { searched, examples }: ItemApi) {
  const filters = filtersOf(fields);
  const conditionNames: ReadonlySet<string> = new Set(['search', 'where', ...filters.names()]);
  const names: ReadonlySet<string> = new Set([...conditionNames, ...OPTIONS]);
  return {
    ...{ names, conditionNames, fieldOf: filters.fieldOf, conditionParameters, parameters },
    ...{ fields, ofParameters, conditionsOf, searchCondition },
  };

  function conditionParameters() {
    return [
      queryParameter(
        'search',
        `A text to find in ${searched.join(' or ')}, ignoring case (Unicode full case folding). ` +
          'Every character means itself; blank finds everything; if repeated, the first one ' +
          'counts.',
        { type: 'string' },
        'milk',
      ),
      queryParameter(
        'where',
        'A condition as JSON, which must hold besides the filters: fields with a value or with ' +
          'an object of operators, `and`, `or`, `not`. If it is repeated, all of them must hold.',
        { type: 'string', contentMediaType: 'application/json' },
        JSON.stringify(examples.where),
      ),
      ...filters.descriptions(),
    ];
  }

  function parameters() {
    return [...listOptions(fields), ...conditionParameters()];
  }

  /** Reads the parameters of a query string or a form; others are ignored. */
  function ofParameters(query: Query, onInvalid: OnInvalid): ListQuery {
    if (query.isEmpty) return ALL;
    const conditions = conditionsOf(query, onInvalid);
    return { conditions, ...listOptionsOf(query, fields, onInvalid) };
  }

  function conditionsOf(query: Query, onInvalid: OnInvalid): readonly Condition[] {
    return [
      ...filters.conditionsOf(query, onInvalid),
      ...searchCondition(query.get('search')),
      ...whereConditions(query, onInvalid),
    ];
  }

  function searchCondition(value: string | undefined): readonly Condition[] {
    if (!value || isBlank(value)) return [];
    const op = 'containsIgnoreCase';
    return [{ op: 'or', conditions: searched.map((column) => ({ op, column, value })) }];
  }

  function whereConditions({ parameters }: Query, onInvalid: OnInvalid): readonly Condition[] {
    const texts = parameters.flatMap(([name, value]) => (name === 'where' ? value : []));
    if (texts.length === 0) return [];
    if (texts.length > MAX_WHERES) {
      onInvalid('where', 'max-items', `must be given at most ${MAX_WHERES} times`);
      return [];
    }
    const reader = new ConditionReader(fields);
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
      const rule = pointer === '#' ? detail : `at ${pointer} ${detail}`;
      onInvalid('where', code === 'unknown' ? 'value' : code, rule);
    }
    return conditions;
  }
}

/** How often `where` may be given: each takes a parser of its own. */
const MAX_WHERES = 100;

const OPTIONS = ['sort', 'limit', 'offset'];

/** The parameters of which only the first one counts. */
export const SINGLE_PARAMETERS: readonly string[] = ['search', ...OPTIONS];

/** Which items a GET wants, in which order. */
export function listArgument(queries: ListQueries, isStrict: boolean): Argument<ListQuery> {
  return {
    get parameters() {
      return [...queries.parameters(), PREFER];
    },
    problems: ['invalid-parameter'],
    of: (request) => {
      const { query } = request;
      const wanted = queries.ofParameters(query, throwInvalid);
      const applied = preferenceApplied(request);
      if (!isStrict && applied === undefined) return wanted;
      for (const [name] of query.parameters) {
        if (queries.names.has(name)) continue;
        const near = SYNONYMS.get(name) ?? nearest(name, queries.names);
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        throwInvalid(name, 'unknown', `is not a parameter${hint}`, applied);
      }
      return wanted;
    },
  };
}

/** Names of parameters of other servers that are not similar to ours. */
const SYNONYMS = new Map(Object.entries({ q: 'search', _start: 'offset' }));

/** Which items a DELETE is about: there must be a condition, and nothing is ignored. */
export function conditionsArgument(queries: ListQueries): Argument<NonEmpty> {
  return {
    get parameters() {
      return queries.conditionParameters();
    },
    problems: ['invalid-parameter', 'malformed-request'],
    of: ({ query }) => {
      const conditions = queries.conditionsOf(query, throwInvalid);
      for (const [name] of query.parameters) {
        if (queries.conditionNames.has(name)) continue;
        throwInvalid(name, 'unknown', 'is not a parameter of DELETE; use filters, search or where');
      }
      if (query.parameters.filter(([name]) => name === 'search').length > 1) {
        throwInvalid('search', 'repeated', 'must not be repeated');
      }
      const [first, ...others] = conditions;
      if (first !== undefined) return [first, ...others];
      const detail =
        'Say which items to delete, with a filter, search or where; where={} selects all';
      throw new Problem(CONDITION_REQUIRED, detail);
    },
  };
}

const PREFER = {
  name: 'Prefer',
  in: 'header',
  description: '`handling=strict` refuses unknown parameters instead of ignoring them (RFC 7240).',
  schema: { type: 'string' },
  example: 'handling=strict',
} as const;

const STRICT = { 'Preference-Applied': 'handling=strict' };

/** The header fields of a response to a request that prefers strict handling, if it does. */
export function preferenceApplied({ headers: { prefer } }: Request) {
  return prefer && preference(prefer, 'handling') === 'strict' ? STRICT : undefined;
}
