import { Problem } from '../../http/core/problem.ts';
import type { Request } from '../../http/core/request.ts';
import { type HeaderFields, valueResponse } from '../../http/core/response.ts';
import { preference } from '../../http/request/field-values.ts';
import { checkPreconditions } from '../../http/request/preconditions.ts';
import {
  type Argument,
  type DescribedRoute,
  describedRoute,
  type ParameterDescription,
  readConditions,
  writeConditions,
} from '../../http/routing/operation.ts';
import type { FieldDescriptions } from '../../http/routing/response-fields.ts';
import { throwInvalid } from '../../resource/query/invalid-parameter.ts';
import { nearest } from '../../resource/query/nearest.ts';
import type { NonEmpty } from '../../table/condition/condition.ts';
import { CONDITION_REQUIRED } from '../problems.ts';
import type { Run } from '../store/items.ts';
import { removeMatching } from '../store/remove-matching.ts';
import { type ItemResource, TAG } from './item-resource.ts';
import { ListQueries, type ListQuery } from './list-query.ts';
import { listResponder } from './list-response.ts';
import { queryContent } from './query-content.ts';

const READ_FIELDS: FieldDescriptions = {
  ETag: 'Changes with each commit that changes an item.',
  'Cache-Control': 'Revalidate before reuse.',
  'Preference-Applied': 'If the request asked for strict handling.',
};

const PAGE_FIELDS: FieldDescriptions = {
  'X-Total-Count': 'How many items match in all; only with `limit` or `offset`.',
  Link: 'The first, previous, next and last page; only with `limit` or `offset`.',
};

const NO_QUERY = 'A QUERY says in its content what it asks for; its target must have no query';
const NO_CONTENT = 'A DELETE says in its query string what to delete; it must have no content';

const LOCATION: FieldDescriptions = { Location: 'The equivalent GET, unless it is too long.' };

/**
 * The list of items: GET and QUERY, and DELETE of those that match (api.md: "The list",
 * "Filters", "Pages", "QUERY, where, DELETE by condition").
 */
export function listRoutes(resource: ItemResource, isStrict: boolean): readonly DescribedRoute[] {
  const { fields, api, store, items } = resource;
  const path = api.collection;
  const queries = new ListQueries(fields, api);
  const responder = listResponder(resource);
  const parameters = listArgument(queries, isStrict);
  const conditions = conditionsArgument(queries);
  const content = queryContent(fields, api, queries);
  const listResponses = (headers: FieldDescriptions) => ({
    200: {
      description: 'The items.',
      mediaType: 'application/json',
      schema: { type: 'array', items: resource.schema },
      example: [resource.example()],
      headers: { ...READ_FIELDS, ...PAGE_FIELDS, ...headers },
    },
    304: { description: 'The list has not changed.', headers: { ...READ_FIELDS, ...headers } },
  });

  return [
    describedRoute({
      method: 'GET',
      path,
      id: 'listTodos',
      summary: 'List items',
      description:
        'All items that match `search`, `where` and all filters, by ascending id unless `sort` ' +
        'says otherwise; with `limit` or `offset`, a page of them. A repeated filter is one ' +
        'more condition. Unknown parameters are ignored, unless `Prefer` or a setting of the ' +
        'service says otherwise.',
      tag: TAG,
      arguments: [parameters, readConditions],
      responses: listResponses({}),
      problems: store.problems.ofReads,
      handle: (request) => {
        const wanted = parameters.of(request);
        const headers = preferenceApplied(request);
        const target = relativeTarget(request, path);
        return store.read(() => responder.respond(request, { ...wanted, target, headers }));
      },
    }),
    describedRoute({
      method: 'QUERY',
      path,
      id: 'queryTodos',
      summary: 'Query items',
      description:
        'Responds as GET does, with the items that the content asks for (RFC 10008): JSON, or ' +
        'a form that is the query string of a GET. It changes nothing, and may be sent again. ' +
        'Whatever is not understood is refused.',
      tag: TAG,
      arguments: [readConditions],
      content,
      responses: listResponses(LOCATION),
      problems: store.problems.ofReads,
      handle: (request) => {
        if (/\?./.test(request.target)) throw new Problem('malformed-request', NO_QUERY);
        const { wanted, target } = content.of(request);
        const headers = preferenceApplied(request);
        return store.read(() =>
          responder.respond(request, { ...wanted, target, headers, isLocated: true }),
        );
      },
    }),
    describedRoute({
      method: 'DELETE',
      path,
      id: 'deleteTodos',
      summary: 'Delete the items that match',
      description:
        'All items that match `search`, `where` and all filters, at once. There must be one of ' +
        'these; `where={}` is everything. Unknown parameters are refused. With `STORE=etcd`, ' +
        'many items take several transactions; a problem then says how many items may be gone.',
      tag: TAG,
      arguments: [conditions, writeConditions],
      responses: {
        200: {
          description: 'How many items have been deleted.',
          mediaType: 'application/json',
          schema: {
            type: 'object',
            required: ['deleted'],
            properties: { deleted: { type: 'integer', minimum: 0 } },
          },
          example: { deleted: 1 },
        },
      },
      problems: [CONDITION_REQUIRED, ...store.problems.ofWrites],
      handle: async (request) => {
        if (request.content.length > 0) throw new Problem('malformed-request', NO_CONTENT);
        const where = conditions.of(request);
        const target = relativeTarget(request, path);
        const check = () => checkPreconditions(request, () => responder.tagOf(target));
        const run: Run = (steps) => request.run(steps);
        const deleted = await removeMatching(store, items.table, where, run, check);
        return valueResponse(200, { deleted });
      },
    }),
  ];
}

/** Which items a GET wants, in which order. */
function listArgument(queries: ListQueries, isStrict: boolean): Argument<ListQuery> {
  return {
    get parameters() {
      return [...queries.parameters, PREFER];
    },
    problems: ['invalid-parameter'],
    of: (request) => {
      const { query } = request;
      const wanted = queries.ofParameters(query, throwInvalid);
      const applied = preferenceApplied(request);
      if (!isStrict && applied === NONE) return wanted;
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
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['q', 'search'],
  ['_start', 'offset'],
]);

/** Which items a DELETE is about: there must be a condition, and nothing is ignored. */
function conditionsArgument(queries: ListQueries): Argument<NonEmpty> {
  return {
    get parameters() {
      return queries.conditionParameters;
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

const PREFER: ParameterDescription = {
  name: 'Prefer',
  in: 'header',
  description: '`handling=strict` refuses unknown parameters instead of ignoring them (RFC 7240).',
  schema: { type: 'string' },
  example: 'handling=strict',
};

const NONE: HeaderFields = {};
const STRICT: HeaderFields = { 'Preference-Applied': 'handling=strict' };

/** The header fields of a response to a request that prefers strict handling. */
function preferenceApplied({ headers: { prefer } }: Request): HeaderFields {
  const isStrict = prefer !== undefined && preference(prefer, 'handling') === 'strict';
  return isStrict ? STRICT : NONE;
}

/** The path and query of a request; the path alone if the query is empty. */
function relativeTarget({ query, target }: Request, path: string): string {
  return query.isEmpty ? path : `${path}${target.slice(target.indexOf('?'))}`;
}
