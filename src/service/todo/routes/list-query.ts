import {
  type Argument,
  type ParameterDescription,
  Problem,
  preference,
  type Query,
  queryParameter,
  type Request,
} from '../../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonSchema,
  MalformedJsonError,
  parseJsonTree,
} from '../../../lib/json/index.ts';
import { nearest } from '../../../lib/nearest.ts';
import { and, type Condition, isVacuous, type NonEmpty } from '../../../lib/table/index.ts';
import { problemType } from '../../problem-types.ts';
import { Filters, type OnUnknown } from '../../resource/query/filters.ts';
import { ConditionReader, EVERYTHING } from '../../resource/query/json-condition.ts';
import { type ListOptions, listOptions, listOptionsOf } from '../../resource/query/list-options.ts';
import { type OnInvalid, throwInvalid } from '../../resource/validation.ts';
import { isBlank, NOT_BLANK_PATTERN } from '../../resource/value-kind.ts';
import type { ItemFields } from '../../store/items.ts';
import type { ItemApi } from '../item-resource.ts';

const CONDITION_REQUIRED = problemType('condition-required', 400);

/** Which items a client wants, in which order; by default every item, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

export const ALL: ListQuery = { conditions: [], orderBy: [], limit: undefined, offset: undefined };

/** Reads filters, `search`, `where`, `sort`, `limit` and `offset` of queries of the list. */
export class ListQueries {
  readonly fields: ItemFields;
  readonly filters: Filters;
  readonly api: Pick<ItemApi, 'searched' | 'examples'>;

  constructor(fields: ItemFields, api: Pick<ItemApi, 'searched' | 'examples'>) {
    this.fields = fields;
    this.api = api;
    this.filters = new Filters(fields, ['search', 'where', ...OPTIONS]);
  }

  /** Describes the parameters that say which items; for a write, without what may mean all. */
  conditionParameters(ofWrite = false): readonly ParameterDescription[] {
    const { searched, examples } = this.api;
    const filters = this.filters.descriptions();
    const notEmpty = filters.map((each) => ({ ...each, schema: notEmptySchema(each.schema) }));
    return [
      queryParameter(
        'search',
        `A text to find in ${searched.join(' or ')}, ignoring case (Unicode full case folding). ` +
          `Every character means itself; ${ofWrite ? BLANK_IS_REFUSED : BLANK_FINDS_ALL}.`,
        { type: 'string', ...(ofWrite && { pattern: NOT_BLANK_PATTERN }) },
        'milk',
      ),
      queryParameter(
        'where',
        'A condition as JSON, which must hold besides the filters: fields with a value or with ' +
          'an object of operators, `and`, `or`, `not`. If it is repeated, all of them must hold.',
        { type: 'string' },
        JSON.stringify(examples.where),
      ),
      ...(ofWrite ? notEmpty : filters),
    ];
  }

  parameters(): readonly ParameterDescription[] {
    return [...listOptions(this.fields), ...this.conditionParameters()];
  }

  ofParameters(query: Query, onInvalid: OnInvalid, onUnknown: OnUnknown): ListQuery {
    if (query.isEmpty) return ALL;
    const conditions = this.conditionsOf(query, onInvalid, onUnknown);
    return { conditions, ...listOptionsOf(query, this.fields, onInvalid) };
  }

  conditionsOf(query: Query, onInvalid: OnInvalid, onUnknown: OnUnknown): readonly Condition[] {
    return [
      ...this.filters.conditionsOf(query, onInvalid, onUnknown),
      ...this.searchCondition(query.get('search')),
      ...this.#whereConditions(query, onInvalid),
    ];
  }

  /** The condition of a text to find, if it is not blank. */
  searchCondition(value: string | undefined): readonly Condition[] {
    if (!value || isBlank(value)) return [];
    const op = 'containsIgnoreCase';
    const conditions = this.api.searched.map((column) => ({ op, column, value }) as const);
    return [{ op: 'or', conditions }];
  }

  #whereConditions({ parameters }: Query, onInvalid: OnInvalid): readonly Condition[] {
    const texts = parameters.flatMap(([name, value]) => (name === 'where' ? value : []));
    if (texts.length === 0) return [];
    if (texts.length > MAX_WHERES) {
      onInvalid('where', 'max-items', `must be given at most ${MAX_WHERES} times`);
      return [];
    }
    const reader = new ConditionReader(this.fields);
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

const BLANK_FINDS_ALL = 'blank finds everything; if it is repeated, the first one counts';
const BLANK_IS_REFUSED = 'it must be neither blank nor repeated';

/** How often `where` may be given: each takes a parser of its own. */
const MAX_WHERES = 100;

const OPTIONS = ['sort', 'limit', 'offset'];

/** Which items a GET wants, in which order. */
export function listArgument(queries: ListQueries, isStrict: boolean): Argument<ListQuery> {
  return {
    get parameters() {
      return [...queries.parameters(), PREFER];
    },
    problems: ['invalid-parameter'],
    of: (request) => {
      const applied = preferenceApplied(request);
      const refuse = (name: string) => {
        const near = SYNONYMS.get(name) ?? nearest(name, queries.filters.names);
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        throwInvalid(name, 'unknown', `is not a parameter${hint}`, applied);
      };
      const isLenient = !isStrict && applied === undefined;
      const onInvalid: OnInvalid = (...what) => throwInvalid(...what, applied);
      return queries.ofParameters(request.query, onInvalid, isLenient ? () => {} : refuse);
    },
  };
}

/** Names of parameters of other servers that are not similar to ours. */
const SYNONYMS = new Map(Object.entries({ q: 'search', _start: 'offset' }));

/**
 * Which items a write is about (api.md: "Several items at once"). Nothing is ignored,
 * and what holds for every item was hardly meant, unless it is `where={}`.
 */
export function conditionsArgument(queries: ListQueries): Argument<NonEmpty> {
  return {
    get parameters() {
      return queries.conditionParameters(true);
    },
    problems: ['invalid-parameter', 'malformed-request', CONDITION_REQUIRED],
    of: ({ query, method }) => {
      const rule = `is not a parameter of ${method}; use filters, search or where`;
      const refuse = (name: string) => throwInvalid(name, 'unknown', rule);
      const conditions = queries.conditionsOf(query, throwInvalid, refuse);
      const searches = query.parameters.filter(([name]) => name === 'search');
      if (searches.length > 1) throwInvalid('search', 'repeated', 'must not be repeated');
      for (const [name, value] of query.parameters) {
        if (OPTIONS.includes(name)) refuse(name);
        if (value === '' && queries.filters.has(name)) throwInvalid(name, 'value', NOT_EMPTY);
      }
      const [first, ...others] = conditions;
      const isEverything = conditions.every((condition) => condition === EVERYTHING);
      if (searches.some(([, text]) => isBlank(text))) throw noCondition('A blank search is none');
      if (first === undefined) throw noCondition('There is none');
      if (!isEverything && isVacuous(and(...conditions))) {
        throw noCondition('What holds for every item is none');
      }
      return [first, ...others];
    },
  };
}

function notEmptySchema(schema: JsonSchema): JsonSchema {
  const { type, items } = schema;
  if (type === 'string') return { ...schema, minLength: 1 };
  return isJsonObject(items) ? { ...schema, items: notEmptySchema(items) } : schema;
}

const NOT_EMPTY = 'must not be empty; a where can have an empty text, as in {"title":""}';

function noCondition(why: string): Problem {
  const detail =
    `Say which items are meant, with a filter, search or where. ${why}; where={} alone means ` +
    'every item';
  return new Problem(CONDITION_REQUIRED, detail);
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
