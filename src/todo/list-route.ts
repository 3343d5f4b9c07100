import type { Request } from '../http/core/request.ts';
import { type HeaderFields, jsonResponse, type Response } from '../http/core/response.ts';
import { closingOnFailure } from '../http/core/work.ts';
import { isNotModified } from '../http/request/preconditions.ts';
import { contentHash } from '../http/response/content-hash.ts';
import { JsonArray } from '../http/response/json-array.ts';
import { type DescribedRoute, describedRoute } from '../http/routing/operation.ts';
import { readConditions } from '../http/routing/precondition-fields.ts';
import type { ByteString } from '../json/byte-string.ts';
import type { FieldValues } from '../resource/field.ts';
import { FoundRows, isPaged, type Page, PageWork, pageFields } from '../resource/list-page.ts';
import { VersionCache } from '../resource/version-cache.ts';
import { todoExample, todoSchema } from './arguments.ts';
import { type ListQuery, listQuery, preferenceApplied } from './list-query.ts';
import { COLLECTION, REVALIDATE, TAG, type TodoResource } from './todo-resource.ts';

const READ_FIELDS = {
  ETag: 'Changes with every write.',
  'Cache-Control': 'Revalidate before reuse.',
};

/**
 * A target that can be in an entity tag as it is: short, and without characters that someone who
 * takes a list of tags apart could stumble over.
 */
const PLAIN_TARGET = /^\/[\w.~!$&'()*+:;=?@/%-]{0,80}$/;

const PREFERENCE_APPLIED = 'If the request asked for strict handling.';

/** The list of items (contract: "The list", "Filters", "Pages"). */
export function listRoute(resource: TodoResource, isStrict: boolean): DescribedRoute {
  const { fields, todos, store, texts, tags } = resource;
  const query = listQuery(fields, isStrict);
  const wholeList = new VersionCache();
  const textOf = (row: FieldValues) => texts.of(row);

  return describedRoute({
    method: 'GET',
    path: COLLECTION,
    operation: {
      id: 'listTodos',
      summary: 'List items',
      description:
        'All items that match `search` and all filters, by ascending id unless `sort` says ' +
        'otherwise; with `limit` or `offset`, a page of them. A repeated filter is one more ' +
        'condition. Unknown parameters are ignored, unless `Prefer` or a setting of the service ' +
        'says otherwise.',
      tag: TAG,
      arguments: [query, readConditions],
      responses: {
        200: {
          description: 'The items.',
          mediaType: 'application/json',
          schema: { type: 'array', items: todoSchema(fields) },
          example: [todoExample(fields)],
          headers: {
            ...READ_FIELDS,
            'X-Total-Count': 'How many items match in all; only with `limit` or `offset`.',
            Link: 'The first, previous, next and last page; only with `limit` or `offset`.',
            'Preference-Applied': PREFERENCE_APPLIED,
          },
        },
        304: {
          description: 'The list has not changed.',
          headers: { ...READ_FIELDS, 'Preference-Applied': PREFERENCE_APPLIED },
        },
      },
    },
    handle: (request) => {
      const wanted = query.of(request);
      return store.read(() => respond(request, wanted));
    },
  });

  function respond(request: Request, wanted: ListQuery): Response | Promise<Response> {
    const headers = {
      ETag: tagOf(request),
      ...REVALIDATE,
      ...preferenceApplied(request),
    };
    if (isNotModified(request, headers.ETag)) return { status: 304, headers };
    if (isPaged(wanted)) return page(request, wanted, headers);
    return all(request, wanted, headers);
  }

  function tagOf({ query, target }: Request): string {
    if (query.isEmpty) return tags.ofList('');
    return tags.ofList(PLAIN_TARGET.test(target) ? target : contentHash(target));
  }

  function page(
    request: Request,
    wanted: ListQuery,
    headers: HeaderFields,
  ): Response | Promise<Response> {
    const cursor = todos.list(wanted, true);
    const found = closingOnFailure(cursor, () => request.run(new PageWork(cursor)));
    const respond = ({ rows, total }: Page<FieldValues>): Response =>
      jsonResponse(200, new JsonArray(new FoundRows(rows), textOf), {
        ...headers,
        ...pageFields(request, wanted, total),
      });
    return found instanceof Promise ? found.then(respond) : respond(found);
  }

  function all(request: Request, wanted: ListQuery, headers: HeaderFields): Response {
    const { version } = todos;
    const isWhole = request.query.isEmpty;
    const cached = isWhole ? wholeList.get(version) : undefined;
    const cache = (text: ByteString) => wholeList.set(version, text);
    const content =
      cached ?? new JsonArray(todos.list(wanted), textOf, isWhole ? cache : undefined);
    return jsonResponse(200, content, headers);
  }
}
