import { clock } from '../../lib/clock.ts';
import {
  checkPreconditions,
  JSON_MEDIA_TYPE,
  JSON_MEDIA_TYPES,
  parseContent,
  type Request,
  valueResponse,
} from '../../lib/http/index.ts';
import { isJson, type JsonObject, NamedSchema, objectSchema } from '../../lib/json/index.ts';
import type { Awaitable } from '../../lib/steps.ts';
import { adminRoute, jsonOperation, noContentOperation } from '../admin/admin-route.ts';
import { ListSite, type Mount } from '../items/item-list.ts';
import type { ItemResource } from '../items/item-resource.ts';
import { seedShape, seedSteps } from '../items/seed.ts';
import { HEAP_BUDGET } from '../memory-plan.ts';
import {
  type Argument,
  type DescribedRoute,
  NO_STORE_FIELD,
  type RequestContent,
  writePreconditions,
} from '../operation.ts';
import type { ItemApi, ItemRules } from '../resource/definition.ts';
import type { SeedItems } from '../store/items.ts';
import { storeFullProblem } from '../store/store-full.ts';
import { checkListName, NAME_PATTERN } from './list-name.ts';
import type { Lists } from './lists.ts';

/** The routes that make, reset and remove lists. */
export function adminListRoutes(
  lists: Lists,
  { rules, api }: Pick<ItemResource, 'rules' | 'api'>,
): readonly DescribedRoute[] {
  const seed = seedContent(rules, api);
  return [
    adminRoute('POST', 'reset', {
      id: 'reset',
      summary: 'Reset to the seed, or to other items',
      description:
        'Puts another list in place of this one, with the faults of `FAULTS` and an empty ' +
        'journal. Event streams get `reset`. Requests that are under way go on with the previous ' +
        'list. The seed file is read again. Content, an array of items or an object with one, ' +
        'replaces the seed for this reset.',
      content: seed,
      errors: [404, 409, 507],
      ...noContentOperation('Another list is in place, and ids start again.', (request) =>
        withStoreFullProblem(
          request,
          lists.reset(ListSite.of(request).mount, {
            caller: request,
            readItems: () => seed.readFrom(request),
          }),
        ),
      ),
    }),
    adminRoute('GET', 'lists', {
      id: 'getLists',
      summary: 'Get the lists with a name',
      description: 'In order of their names.',
      isAtBaseOnly: true,
      ...jsonOperation('The lists.', LISTS_SCHEMA, () =>
        valueResponse(200, lists.namedMounts.map(describeWithTime)),
      ),
    }),
    adminRoute('PUT', 'lists/{name}', {
      id: 'putList',
      summary: 'Make or reset a list with a name',
      description:
        'All paths of this service exist once more below `/lists/{name}`, for a list with its own ' +
        'items, events, faults and journal; except those of probes, metrics and `/admin/lists`. ' +
        'Content as for a reset. A list reserves a 101st of `MAX_BYTES`.',
      isAtBaseOnly: true,
      arguments: [listName, writePreconditions],
      content: seed,
      responses: {
        200: listResponse('The list has been reset.'),
        201: listResponse('The list has been made.'),
      },
      errors: [409, 507],
      handle: async (request) => {
        const name = listName.readFrom(request);
        const { mount, isNew } = await withStoreFullProblem(
          request,
          lists.put(name, {
            caller: request,
            readItems: () => seed.readFrom(request),
            check: (found) => checkListPreconditions(request, found),
          }),
        );
        return valueResponse(isNew ? 201 : 200, describeMount(mount));
      },
    }),
    adminRoute('DELETE', 'lists/{name}', {
      id: 'removeList',
      summary: 'Remove a list with a name',
      description: 'Ends its streams, delays and waits. Succeeds whether or not the list exists.',
      isAtBaseOnly: true,
      arguments: [listName, writePreconditions],
      ...noContentOperation('There is no list with this name.', (request) =>
        lists.remove(listName.readFrom(request), {
          caller: request,
          check: (found) => checkListPreconditions(request, found),
        }),
      ),
    }),
  ];
}

/** @param found the list that has the name @throws Problem `precondition-failed` */
function checkListPreconditions(request: Request, found: Mount | undefined): void {
  // A list has no entity tag, so only `*` can match.
  checkPreconditions(request, () => found && 'none');
}

/** The content of a request that makes or resets a list: a seed, or nothing for the service's. */
function seedContent(
  rules: ItemRules,
  api: ItemApi,
): RequestContent<Awaitable<SeedItems | undefined>> {
  return {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: new NamedSchema('Seed', () => seedShape(rules).schema),
    isOptional: true,
    maxBytes: HEAP_BUDGET.maxSeedBytes,
    examples: { 'no items': [], 'one item': [seedExample(rules, api)] },
    readFrom: (request) => {
      const { content } = request;
      if (content.length === 0) return undefined;
      return request.run(seedSteps(parseContent(content, isJson, 'JSON'), rules));
    },
  };
}

/** An item of a seed: an id, and what a create request must have. */
function seedExample({ fields }: ItemRules, { examples }: ItemApi): JsonObject {
  const { from, to } = fields.id.identity;
  const [request = {}] = Object.values(examples.create);
  const required = Object.entries(request).filter(([name]) => fields[name]?.create?.required);
  return { id: from > 7 || to < 7 ? from : 7, ...Object.fromEntries(required) };
}

/** Rejects with the problem of items that do not fit. */
async function withStoreFullProblem<T>({ content }: Request, result: Promise<T>): Promise<T> {
  const isOfService = content.length === 0;
  try {
    return await result;
  } catch (error) {
    const advice = isOfService
      ? "the service's seed needs more; send another one"
      : 'send fewer or shorter ones';
    throw storeFullProblem(error, advice) ?? error;
  }
}

const listName: Argument<string> = {
  parameters: [
    {
      name: 'name',
      in: 'path',
      description: 'The name of the list.',
      schema: { type: 'string', pattern: NAME_PATTERN },
      example: 'anna',
    },
  ],
  readFrom: ({ parameter }: Request) => {
    checkListName(parameter);
    return parameter;
  },
};

function describeMount({ name, basePath, list }: Mount) {
  const { table } = list.items;
  return { name, path: basePath, items: table.size, bytes: table.bytes };
}

/** As `describeMount`, with the time of the last request. An open stream is one that lasts. */
function describeWithTime(mount: Mount) {
  const isWatched = (mount.hub?.size ?? 0) > 0;
  const last = isWatched ? clock.time() : mount.lastRequestAt;
  const lastRequestAt = last === undefined ? null : new Date(last).toISOString();
  return { ...describeMount(mount), lastRequestAt };
}

const LIST_SCHEMA = new NamedSchema('NamedList', () =>
  objectSchema({
    name: { type: 'string' },
    path: { type: 'string', description: 'The base path for its clients.' },
    items: { type: 'integer', minimum: 0 },
    bytes: { type: 'integer', minimum: 0, description: 'The memory of its items.' },
  }),
);

const LISTED_LIST_SCHEMA = new NamedSchema('ListedList', () => {
  const { properties } = LIST_SCHEMA.make();
  const lastRequestAt = {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'The time of its last request, admin requests aside; null before the first one.',
  };
  return objectSchema({ ...Object(properties), lastRequestAt });
});

const LISTS_SCHEMA = new NamedSchema('Lists', () => ({ type: 'array', items: LISTED_LIST_SCHEMA }));

function listResponse(description: string) {
  return { description, content: { [JSON_MEDIA_TYPE]: LIST_SCHEMA }, headers: NO_STORE_FIELD };
}
