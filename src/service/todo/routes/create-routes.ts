import {
  type DescribedRoute,
  JSON_MEDIA_TYPE,
  jsonResponse,
  type Request,
} from '../../../lib/http/index.ts';
import { byteString, joined } from '../../../lib/json/index.ts';
import { fieldsListContent } from '../../resource/content.ts';
import { IDS_EXHAUSTED, STORE_FULL } from '../../store/problems.ts';
import { below, ITEM_TAG, type ItemResource } from '../item-resource.ts';
import { CLOCK_OUT_OF_RANGE } from '../local-date-time.ts';

/** How many items one request can create; with etcd, they are one transaction. */
const MAX_ITEMS = 100;

const BATCH = 'batch';

const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/** The routes that create items (api.md: "Operations", "Several items at once"). */
export function createRoutes(resource: ItemResource): readonly DescribedRoute[] {
  const { fields, api, items, store, texts } = resource;
  const [first = {}] = Object.values(api.examples.create);
  const arrayHint = ({ path }: Request) => `several items at once go to ${below(path, BATCH)}`;
  const content = resource.content('create', arrayHint);
  const examples = { 'two items': [first, first] };
  const list = fieldsListContent('CreateTodos', content, examples, MAX_ITEMS);
  const hasTime = Object.values(fields).some(({ kind, assign }) => assign && kind === 'timestamp');
  const problems = [STORE_FULL, IDS_EXHAUSTED, ...(hasTime ? [CLOCK_OUT_OF_RANGE] : [])];

  return [
    resource.route('POST', '', {
      id: 'createTodo',
      summary: 'Create an item',
      description:
        'Ids ascend and are never reused, not even after a delete; a failed create takes none.',
      content,
      responses: {
        201: resource.response('The item, with its id.', {
          ...ITEM_TAG,
          Location: 'The path of the item.',
        }),
      },
      problems,
      handle: (request) => {
        const values = content.of(request);
        return store.write(
          () => items.create(values),
          (item, number) =>
            jsonResponse(201, resource.textsFor(request, texts.serialize)(item), {
              Location: below(request.path, item.id),
              ETag: resource.tagOfCommit(number),
            }),
        );
      },
    }),
    resource.route('POST', BATCH, {
      id: 'createTodos',
      summary: 'Create several items',
      description:
        `An array of 1 to ${MAX_ITEMS} items, of which all are created, in one commit, or none. ` +
        'Their ids ascend in the order of the request.',
      content: list,
      responses: {
        201: {
          description: 'The items, in the order of the request.',
          content: { [JSON_MEDIA_TYPE]: { type: 'array', items: resource.schema } },
          example: [resource.example(), resource.example({ id: 2 })],
        },
      },
      problems,
      handle: (request) => {
        const all = list.of(request);
        return store.write(
          () => all.map((values) => items.create(values)),
          (created) => {
            const each = created.map(resource.textsFor(request, texts.serialize));
            const all = each.reduce((before, text) => joined(before, COMMA, text));
            return jsonResponse(201, joined(OPENING, all, CLOSING));
          },
        );
      },
    }),
  ];
}
