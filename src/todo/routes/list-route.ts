import type { Request } from '../../http/core/request.ts';
import { type HeaderFields, jsonResponse, type Response } from '../../http/core/response.ts';
import { isNotModified } from '../../http/request/preconditions.ts';
import { contentHash } from '../../http/response/content-hash.ts';
import { jsonArray } from '../../http/response/json-array.ts';
import { type DescribedRoute, describedRoute } from '../../http/routing/operation.ts';
import { readConditions } from '../../http/routing/precondition-fields.ts';
import type { ByteString } from '../../json/byte-string.ts';
import { findPage, isPaged, type ListPage, pageFields } from '../../resource/list-page.ts';
import { VersionCache } from '../../resource/version-cache.ts';
import type { Item } from '../store/items.ts';
import { type ItemResource, REVALIDATE, TAG, textsFor } from './item-resource.ts';
import { type ListQuery, listQuery, preferenceApplied } from './list-query.ts';
import { exampleItem, storedSchema } from './request-schemas.ts';

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
export function listRoute(resource: ItemResource, isStrict: boolean): DescribedRoute {
  const { api, store, tags } = resource;
  const { table } = resource.items;
  const query = listQuery(resource, isStrict);
  const wholeList = new VersionCache();

  return describedRoute({
    method: 'GET',
    path: api.collection,
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
          schema: { type: 'array', items: storedSchema(resource) },
          example: [exampleItem(resource)],
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
      problems: store.problems.ofReads,
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
    const found = request.run(findPage(find(wanted, true)));
    const respond = ({ rows, total }: ListPage<Item>): Response =>
      jsonResponse(200, jsonArray(rows, textsFor(resource, request)), {
        ...headers,
        ...pageFields(request, wanted, total),
      });
    return found instanceof Promise ? found.then(respond) : respond(found);
  }

  function all(
    request: Request,
    wanted: ListQuery,
    headers: HeaderFields & { readonly ETag: string },
  ): Response {
    const isWhole = request.query.isEmpty && api.computed === undefined;
    const cached = isWhole ? wholeList.get(headers.ETag) : undefined;
    const cache = (text: ByteString) => wholeList.set(headers.ETag, text);
    const content =
      cached ??
      jsonArray(find(wanted, false), textsFor(resource, request), isWhole ? cache : undefined);
    return jsonResponse(200, content, headers);
  }

  function find({ conditions, orderBy, limit, offset }: ListQuery, isCounted: boolean) {
    return table.cursor(conditions, {
      orderBy,
      limit: limit ?? Number.POSITIVE_INFINITY,
      offset: offset ?? 0,
      total: isCounted,
    });
  }
}
