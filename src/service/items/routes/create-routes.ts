import { JSON_MEDIA_TYPE, jsonResponse, type Request } from '../../../lib/http/index.ts';
import { jsonArray } from '../../../lib/json/index.ts';
import type { DescribedRoute } from '../../operation.ts';
import { noParameters } from '../../resource/query/parameters.ts';
import { ignoredNames } from '../../resource/query/unknown-names.ts';
import { fieldsContent, fieldsListContent } from '../../resource/request-content.ts';
import { ListSite } from '../item-list.ts';
import { ITEM_ETAG, type ItemResource } from '../item-resource.ts';

/** The maximum number of items in a batch request, which is one transaction. */
export const MAX_ITEMS = 100;

const BATCH = 'batch';

/** The routes that create items (api.md: "Operations", "Several items at once"). */
export function createRoutes(resource: ItemResource): readonly DescribedRoute[] {
  const { rules, api, serialize } = resource;
  const arrayHint = ({ path }: Request) => `several items at once go to ${path}/${BATCH}`;
  const content = fieldsContent(
    `Create${api.item}`,
    rules,
    'create',
    api.examples.create,
    arrayHint,
  );
  const examples = { 'several items': api.examples.batch };
  const listContent = fieldsListContent(`Create${api.items}`, content, examples, MAX_ITEMS);
  const noQuery = noParameters(ignoredNames(rules));

  return [
    resource.route('POST', '', {
      id: `create${api.item}`,
      summary: 'Create an item',
      description: 'Ids ascend, and are not reused until a reset.',
      arguments: [noQuery],
      content,
      responses: {
        201: resource.response('The item, with its id.', {
          ...ITEM_ETAG,
          Location: 'The path of the item.',
        }),
      },
      errors: [507],
      handle: (request) => {
        noQuery.readFrom(request);
        const values = content.readFrom(request);
        const { list } = ListSite.of(request);
        return list.store.write((items) => {
          const item = items.create(values);
          // Not by `list.rowJson`, whose entry could displace that of an item that clients read.
          return jsonResponse(201, serialize(item), {
            Location: `${request.path}/${item.id}`,
            // The number of this transaction.
            ETag: list.tagOfCommit(items.table.lastCommit),
          });
        });
      },
    }),
    resource.route('POST', BATCH, {
      id: `create${api.items}`,
      summary: 'Create several items',
      description: 'Creates all items of the array, in one commit, or none of them.',
      arguments: [noQuery],
      content: listContent,
      responses: {
        201: {
          description: 'The items, in the order of the request.',
          content: { [JSON_MEDIA_TYPE]: { type: 'array', items: resource.schema } },
        },
      },
      errors: [507],
      handle: (request) => {
        noQuery.readFrom(request);
        const all = listContent.readFrom(request);
        const { store } = ListSite.of(request).list;
        return store.write((items) => {
          const created = all.map((values) => items.create(values));
          return jsonResponse(201, jsonArray(created.map(serialize)));
        });
      },
    }),
  ];
}
