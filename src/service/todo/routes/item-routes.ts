import {
  type Argument,
  checkPreconditions,
  type DescribedRoute,
  jsonResponse,
  type Operation,
  Problem,
  preconditionFailed,
  type RequestContent,
  readConditions,
  writeConditions,
} from '../../../lib/http/index.ts';
import { problemType } from '../../problem-types.ts';
import type { FieldValues } from '../../resource/field.ts';
import { typeSchema } from '../../resource/schema.ts';
import { VALUE_KINDS } from '../../resource/value-kind.ts';
import type { ItemFields, ItemId } from '../../store/items.ts';
import { STORE_FULL } from '../../store/problems.ts';
import { ITEM_TAG, type ItemResource, REVALIDATE } from '../item-resource.ts';
import { createRoutes } from './create-routes.ts';

const INVALID_ID = problemType('invalid-id', 400);
const NOT_FOUND = problemType('not-found', 404);

const ITEM = '{id}';

const READ_FIELDS = { ...ITEM_TAG, 'Cache-Control': 'Revalidate before reuse.' };

/** The routes of one item (api.md: "Operations", "Conditional requests"). */
export function itemRoutes(resource: ItemResource): readonly DescribedRoute[] {
  const { items, store, texts } = resource;
  const id = idArgument(resource.fields);
  const problemExamples = [notFound(1), preconditionFailed('If-Match')];

  return [
    ...createRoutes(resource),
    resource.route('GET', ITEM, {
      id: 'getTodo',
      summary: 'Get an item',
      description: 'The entity tag can make a later change conditional.',
      arguments: [id, readConditions],
      responses: {
        200: resource.response('The item.', READ_FIELDS),
        304: { description: 'The item has not changed.', headers: READ_FIELDS },
      },
      problems: [NOT_FOUND],
      problemExamples,
      handle: (request) => {
        const value = id.of(request);
        return store.read(() => {
          const found = items.table.find(value);
          if (found === undefined) throw notFound(value);
          const text = resource.textsFor(request)(found.row);
          return jsonResponse(200, text, { ETag: resource.tagOf(found), ...REVALIDATE });
        });
      },
    }),
    updateRoute('PUT', resource.content('update'), {
      id: 'updateTodo',
      summary: 'Update an item',
      description: 'A member that is absent or null leaves its field as it is.',
    }),
    updateRoute('PATCH', resource.content('patch'), {
      id: 'patchTodo',
      summary: 'Patch an item',
      description:
        'A JSON merge patch (RFC 7396): an absent member leaves its field as it is, null removes ' +
        'the value of a nullable field. It may be `application/merge-patch+json` as well.',
    }),
    resource.route('DELETE', ITEM, {
      id: 'deleteTodo',
      summary: 'Delete an item',
      description: 'Succeeds whether or not the item exists; with `If-Match`, only if it exists.',
      arguments: [id, writeConditions],
      responses: { 204: { description: 'The item no longer exists.' } },
      problemExamples: [preconditionFailed('If-Match')],
      handle: (request) => {
        const value = id.of(request);
        return store.write(
          () => {
            const found = items.table.find(value);
            checkPreconditions(request, () => found && resource.tagOf(found));
            if (found !== undefined) items.table.delete(found);
          },
          () => ({ status: 204 }),
        );
      },
    }),
  ];

  /** A missing item takes precedence over conditions, and conditions over violations. */
  function updateRoute(
    method: string,
    content: RequestContent<FieldValues>,
    words: Pick<Operation, 'id' | 'summary' | 'description'>,
  ): DescribedRoute {
    return resource.route(method, ITEM, {
      ...words,
      arguments: [id, writeConditions],
      content,
      responses: { 200: resource.response('The updated item.', ITEM_TAG, { completed: true }) },
      problems: [NOT_FOUND, STORE_FULL],
      problemExamples,
      handle: (request) => {
        const value = id.of(request);
        return store.write(
          () => {
            const found = items.table.find(value);
            if (found !== undefined) checkPreconditions(request, () => resource.tagOf(found));
            const values = content.of(request);
            if (found === undefined) throw notFound(value);
            const after = items.update(found, values);
            return { after, tag: after === found.row ? resource.tagOf(found) : undefined };
          },
          ({ after, tag }, number) =>
            jsonResponse(200, resource.textsFor(request, texts.serialize)(after), {
              ETag: tag ?? resource.tagOfCommit(number),
            }),
        );
      },
    });
  }
}

function idArgument({ id }: ItemFields): Argument<ItemId> {
  const { fromText, textForm } = VALUE_KINDS[id.kind];
  const { description } = id;
  return {
    parameters: [{ name: 'id', in: 'path', description, schema: typeSchema(id.kind), example: 1 }],
    problems: [INVALID_ID],
    of: ({ params: [text = ''] }) => {
      const value = fromText(text);
      if (typeof value === 'number' || typeof value === 'bigint') return value;
      throw new Problem(INVALID_ID, `The id must be ${textForm}`);
    },
  };
}

function notFound(id: ItemId): Problem {
  return new Problem(NOT_FOUND, `Todo with id ${id} was not found`);
}
