import {
  checkPreconditions,
  isNotModified,
  JSON_MEDIA_TYPE,
  JsonArray,
  jsonResponse,
  longResponse,
  Problem,
  type Request,
  type Response,
  tagHashOf,
  valueResponse,
} from '../../../lib/http/index.ts';
import { objectSchema } from '../../../lib/json/index.ts';
import type { Awaitable } from '../../../lib/steps.ts';
import { type FieldDescriptions, readPreconditions, writePreconditions } from '../../operation.ts';
import { listFields } from '../../resource/query/list-page.ts';
import type { Items } from '../../store/items.ts';
import type { ItemChange } from '../../store/store.ts';
import { type ItemList, ListSite } from '../item-list.ts';
import { type ItemResource, REVALIDATE } from '../item-resource.ts';
import { listPatchContent } from './item-routes.ts';
import { ListQueries, type ListQuery } from './list-parameters.ts';

const READ_FIELDS: FieldDescriptions = {
  ETag: 'Changes with each commit that changes an item.',
  'Cache-Control': 'Revalidate before reuse.',
};

/** The number of items above which a sort takes longer than a step. */
const LONG_SORT = 1_000;

/** Measured with V8: what a sort keeps of a row that it has collected, in bytes. */
const SORTED_ROW_BYTES = 56;

const CONTENT_NOT_ALLOWED =
  'A DELETE of the list takes conditions in its query string, and no content';

/** The routes of the list (api.md: "The list" to "Several items at once"). */
export function listRoutes(resource: ItemResource) {
  const { api } = resource;
  const queries = new ListQueries(resource);
  const query = queries.readArgument();
  const where = queries.writeArgument();
  const patch = listPatchContent(resource);
  const listResponses = {
    200: {
      description: 'The items.',
      content: { [JSON_MEDIA_TYPE]: { type: 'array', items: resource.schema } },
      headers: {
        ...READ_FIELDS,
        'X-Total-Count': 'The number of items that match, on all pages.',
        Link: 'The first, previous, next and last page; with `limit` or `offset`.',
      },
    },
    304: { description: 'The list has not changed.', headers: READ_FIELDS },
  };

  /** Writes the items that match. Preconditions compare with the tag of a GET of the target. */
  const write = async (request: Request, changeOf: () => ItemChange, name: string) => {
    const conditions = where.readFrom(request);
    const { list } = ListSite.of(request);
    const count = await list.store.writeMatching({
      where: conditions,
      run: (steps) => request.run(steps),
      wait: (end) => request.wait(end),
      check: (items) => checkPreconditions(request, () => tagOf(list, items, queryTextOf(request))),
      changeOf,
    });
    return valueResponse(200, { [name]: count });
  };

  return [
    resource.route('GET', '', {
      id: `list${api.items}`,
      summary: 'List items',
      description:
        'The items that match `search`, `where` and all filters; with `limit` or `offset`, a page.',
      arguments: [query, readPreconditions],
      responses: listResponses,
      handle: (request) => {
        const listQuery = query.readFrom(request);
        const { list } = ListSite.of(request);
        return readList(list, request, listQuery);
      },
    }),
    resource.route('DELETE', '', {
      id: `delete${api.items}`,
      summary: 'Delete the items that match',
      description: `The items that match \`search\`, \`where\` and all filters; \`${queries.everyItem}\` is every item.`,
      arguments: [where, writePreconditions],
      responses: countResponse('deleted', 'The number of deleted items.'),
      handle: (request) => {
        if (request.content.length > 0) throw new Problem('malformed-request', CONTENT_NOT_ALLOWED);
        return write(request, () => 'deletion', 'deleted');
      },
    }),
    resource.route('PATCH', '', {
      id: `patch${api.items}`,
      summary: 'Patch the items that match',
      description:
        'Applies one JSON merge patch (RFC 7396) to the items that match, as DELETE selects them.',
      arguments: [where, writePreconditions],
      content: patch,
      responses: countResponse('updated', 'The number of items that match.'),
      errors: [507],
      checkBeforeContent: where.readFrom,
      handle: (request) => write(request, () => patch.readFrom(request), 'updated'),
    }),
  ];
}

function countResponse(name: string, description: string) {
  const schema = objectSchema({ [name]: { type: 'integer', minimum: 0 } });
  return { 200: { description, content: { [JSON_MEDIA_TYPE]: schema } } };
}

/** The query of a request, exactly as sent; empty if it has no parameter. */
function queryTextOf({ query, target }: Request): string {
  return query.isEmpty ? '' : target.slice(target.indexOf('?') + 1);
}

/** A query that can be part of an entity tag, because it has no quote, comma or space. */
const PLAIN_QUERY = /^[\w.~!$&'()*+:;=?@/%-]{0,80}$/;

/** The entity tag of the items that a query selects, as they are now. */
function tagOf(list: ItemList, items: Items, queryText: string): string {
  const { lastCommit } = items.table;
  if (queryText === '') return list.tagOfCommit(lastCommit);
  // The question mark distinguishes a query from a hash.
  const suffix = PLAIN_QUERY.test(queryText) ? `?${queryText}` : tagHashOf(queryText);
  return list.tagOfCommit(lastCommit, `.${suffix}`);
}

/** Responds with the items that a query selects. Returns a promise only to search the table. */
function readList(list: ItemList, request: Request, listQuery: ListQuery): Awaitable<Response> {
  const queryText = queryTextOf(request);
  const current = tagOf(list, list.items, queryText);
  const headers = { ETag: current, ...REVALIDATE };
  // Before the search, which a 304 does not need.
  if (isNotModified(request, current)) return { status: 304, headers };
  const { cachedList, rowJson } = list;
  // The tag of a list with a query is never that of the whole list.
  if (cachedList?.tag === current) {
    const { text, total } = cachedList;
    return jsonResponse(200, text, { ...headers, ...listFields(queryText, listQuery, total) });
  }
  return longResponse(request, 200, {
    workingBytes: bytesToSort(list.items.table, listQuery),
    make: () => {
      const rows = openCursor(list, listQuery);
      // With what the fields need. Made anew each time, because there may have been a commit meanwhile.
      return Object.assign(new JsonArray(rows, rowJson.jsonOf), {
        rows,
        tag: tagOf(list, list.items, queryText),
      });
    },
    fieldsOf: (content) => {
      const { tag, rows } = content;
      const { total = 0 } = rows;
      if (queryText === '' && content.isLast) list.cachedList = { tag, text: content.part, total };
      return { ETag: tag, ...REVALIDATE, ...listFields(queryText, listQuery, total) };
    },
  });
}

/** The memory that a long sort takes until its response is sent, in bytes; 0 if there is none. */
function bytesToSort(
  table: Items['table'],
  { orderBy, limit = Number.POSITIVE_INFINITY, offset = 0 }: ListQuery,
): number {
  if (orderBy.length === 0 || table.size <= LONG_SORT) return 0;
  return SORTED_ROW_BYTES * table.rowsCollectedFor(offset + limit);
}

function openCursor({ items }: ItemList, listQuery: ListQuery) {
  const { conditions, orderBy, limit = Number.POSITIVE_INFINITY, offset = 0 } = listQuery;
  return items.table.cursor(conditions, { orderBy, limit, offset });
}
