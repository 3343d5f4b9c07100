import { Problem } from '../../http/core/problem.ts';
import { jsonResponse, type Response } from '../../http/core/response.ts';
import { checkPreconditions, preconditionFailed } from '../../http/request/preconditions.ts';
import {
  type DescribedRoute,
  describedRoute,
  type RequestContent,
  readConditions,
  writeConditions,
} from '../../http/routing/operation.ts';
import type { FieldValues } from '../../resource/field.ts';
import { below, itemPath } from '../item-api.ts';
import { fullProblem, IDS_EXHAUSTED, NOT_FOUND, STORE_FULL } from '../problems.ts';
import type { ItemId } from '../store/items.ts';
import { type ItemResource, REVALIDATE, TAG, textsFor } from './item-resource.ts';
import { exampleItem, idArgument, itemContent, storedSchema } from './request-schemas.ts';

const NO_CONTENT: Response = { status: 204 };

const ETAG = { ETag: 'Changes if and only if the item changes.' };

const READ_FIELDS = { ...ETAG, 'Cache-Control': 'Revalidate before reuse.' };

/**
 * Creates, gets, updates and deletes one item (api.md: "Operations", "Conditional requests").
 */
export function itemRoutes(resource: ItemResource): readonly DescribedRoute[] {
  const { fields, api, items, store, serialize, tags } = resource;
  const path = itemPath(api);
  const id = idArgument(fields);
  const created = itemContent(resource, 'create');
  const problemExamples = [notFound(1), preconditionFailed('If-Match')];
  const item = {
    mediaType: 'application/json',
    schema: storedSchema(resource),
    example: exampleItem(resource),
    headers: ETAG,
  };

  return [
    describedRoute({
      method: 'POST',
      path: api.collection,
      operation: {
        id: 'createTodo',
        summary: 'Create an item',
        description:
          'Ids ascend and are never reused, not even after a delete; a failed create takes none.',
        tag: TAG,
        content: created,
        responses: {
          201: {
            ...item,
            description: 'The item, with its id.',
            headers: { ...ETAG, Location: 'The path of the item.' },
          },
        },
        problems: [STORE_FULL, IDS_EXHAUSTED, ...store.problems.ofWrites],
      },
      handle: (request) => {
        const values = created.of(request);
        return store.write(
          () => storing(() => items.create(values)),
          (item, number) =>
            jsonResponse(201, textsFor(resource, request, serialize)(item), {
              Location: below(api.collection, item.id),
              ETag: tags.ofCommit(number),
            }),
        );
      },
    }),
    describedRoute({
      method: 'GET',
      path,
      operation: {
        id: 'getTodo',
        summary: 'Get an item',
        description: 'The entity tag can make a later change conditional.',
        tag: TAG,
        arguments: [id, readConditions],
        responses: {
          200: { ...item, description: 'The item.', headers: READ_FIELDS },
          304: { description: 'The item has not changed.', headers: READ_FIELDS },
        },
        problems: [NOT_FOUND, ...store.problems.ofReads],
        problemExamples,
      },
      handle: (request) => {
        const value = id.of(request);
        return store.read(() => {
          const found = items.table.get(value);
          const tag = tags.ofItem(value);
          if (found === undefined || tag === undefined) throw notFound(value);
          const text = textsFor(resource, request)(found);
          return jsonResponse(200, text, { ETag: tag, ...REVALIDATE });
        });
      },
    }),
    updateRoute(
      'PUT',
      'updateTodo',
      'Update an item',
      'A member that is absent or null leaves its field as it is.',
      itemContent(resource, 'update'),
    ),
    updateRoute(
      'PATCH',
      'patchTodo',
      'Patch an item',
      'A JSON merge patch (RFC 7396): an absent member leaves its field as it is, null removes ' +
        'the value of a nullable field. It may be `application/merge-patch+json` as well.',
      itemContent(resource, 'patch'),
    ),
    describedRoute({
      method: 'DELETE',
      path,
      operation: {
        id: 'deleteTodo',
        summary: 'Delete an item',
        description: 'Succeeds whether or not the item exists; with `If-Match`, only if it exists.',
        tag: TAG,
        arguments: [id, writeConditions],
        responses: { 204: { description: 'The item no longer exists.' } },
        problems: store.problems.ofWrites,
        problemExamples: [preconditionFailed('If-Match')],
      },
      handle: (request) => {
        const value = id.of(request);
        return store.write(
          () => {
            checkPreconditions(request, () => tags.ofItem(value));
            items.table.delete(value);
          },
          () => NO_CONTENT,
        );
      },
    }),
  ];

  /** A missing item takes precedence over conditions, and conditions over violations. */
  function updateRoute(
    method: string,
    operationId: string,
    summary: string,
    description: string,
    content: RequestContent<FieldValues>,
  ): DescribedRoute {
    return describedRoute({
      method,
      path,
      operation: {
        id: operationId,
        summary,
        description,
        tag: TAG,
        arguments: [id, writeConditions],
        content,
        responses: {
          200: {
            ...item,
            description: 'The updated item.',
            example: exampleItem(resource, { completed: true }),
          },
        },
        problems: [NOT_FOUND, STORE_FULL, ...store.problems.ofWrites],
        problemExamples,
      },
      handle: (request) => {
        const value = id.of(request);
        return store.write(
          () => {
            const before = items.table.get(value);
            const tag = tags.ofItem(value);
            if (before !== undefined) checkPreconditions(request, () => tag);
            const values = content.of(request);
            const after = storing(() => items.update(value, values));
            if (after === undefined) throw notFound(value);
            return { after, unchanged: after === before ? tag : undefined };
          },
          ({ after, unchanged }, number) =>
            jsonResponse(200, textsFor(resource, request, serialize)(after), {
              ETag: unchanged ?? tags.ofCommit(number),
            }),
        );
      },
    });
  }
}

function notFound(id: ItemId): Problem {
  return new Problem(NOT_FOUND, `Todo with id ${id} was not found`);
}

/** Turns errors of a full table into problems. */
function storing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fullProblem(error) ?? error;
  }
}
