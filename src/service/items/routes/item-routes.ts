import {
  checkPreconditions,
  jsonResponse,
  LongText,
  longResponse,
  type Problem,
} from '../../../lib/http/index.ts';
import { isJsonObject } from '../../../lib/json/index.ts';
import { inOneStep } from '../../../lib/steps.ts';
import {
  type Argument,
  type DescribedRoute,
  type Operation,
  type RequestContent,
  readPreconditions,
  writePreconditions,
} from '../../operation.ts';
import { serviceProblem } from '../../problem-types.ts';
import type { ItemFields } from '../../resource/definition.ts';
import type { FieldValues } from '../../resource/field.ts';
import { mustBe, noParameters } from '../../resource/query/parameters.ts';
import { ignoredNames } from '../../resource/query/unknown-names.ts';
import {
  type FieldsContent,
  fieldsContent,
  objectIn,
  readContent,
} from '../../resource/request-content.ts';
import { Validation } from '../../resource/validation.ts';
import { VALUE_KINDS } from '../../resource/value-kind.ts';
import { requestSchemaOf } from '../../resource/value-shape.ts';
import type { ComputeValues, ItemId } from '../../store/items.ts';
import { ListSite } from '../item-list.ts';
import { ITEM_ETAG, type ItemResource, REVALIDATE } from '../item-resource.ts';

/** The segment of an item below the collection, as a template. */
export const ITEM = '{id}';

/**
 * The memory of an item up to which it is read and changed at once, in bytes. A longer one, such as no
 * to-do is, takes milliseconds.
 */
const SHORT_ITEM_BYTES = 64 * 1024;

const READ_FIELDS = { ...ITEM_ETAG, 'Cache-Control': 'Revalidate before reuse.' };

/** The routes of an item (api.md: "Operations", "Conditional requests"). */
export function itemRoutes(resource: ItemResource): readonly DescribedRoute[] {
  const { fields, rules, api } = resource;
  const idInPath = idArgument(fields, noParameters(ignoredNames(rules)));

  return [
    resource.route('GET', ITEM, {
      id: `get${api.item}`,
      summary: 'Get an item',
      description: 'The entity tag can make a later change conditional.',
      arguments: [idInPath, readPreconditions],
      responses: {
        200: resource.response('The item.', READ_FIELDS),
        304: { description: 'The item has not changed.', headers: READ_FIELDS },
      },
      errors: [404],
      handle: (request) => {
        const id = idInPath.readFrom(request);
        const { list } = ListSite.of(request);
        const found = list.items.table.find(id);
        if (found === undefined) throw notFound(api.item, id);
        const headers = { ETag: list.tagOf(found), ...REVALIDATE };
        const { row, bytes } = found;
        if (bytes <= SHORT_ITEM_BYTES) return jsonResponse(200, list.rowJson.jsonOf(row), headers);
        const make = () => new LongText(() => list.rowJson.jsonOf(row));
        return longResponse(request, 200, { workingBytes: bytes, make, fieldsOf: () => headers });
      },
    }),
    updateRoute('PUT', fieldsContent(`Update${api.item}`, rules, 'update', api.examples.update), {
      id: `update${api.item}`,
      summary: 'Update an item',
      description: 'A member that is absent or null leaves its field as it is.',
    }),
    updateRoute('PATCH', patchContent(resource), {
      id: `patch${api.item}`,
      summary: 'Patch an item',
      description: 'Applies a JSON merge patch (RFC 7396); null removes the value of a field.',
    }),
    resource.route('DELETE', ITEM, {
      id: `delete${api.item}`,
      summary: 'Delete an item',
      description: 'Succeeds whether or not the item exists; with `If-Match`, only if it exists.',
      arguments: [idInPath, writePreconditions],
      responses: { 204: { description: 'The item no longer exists.' } },
      handle: (request) => {
        const id = idInPath.readFrom(request);
        const { list } = ListSite.of(request);
        return list.store.write(({ table }) => {
          const found = table.find(id);
          checkPreconditions(request, () => found && list.tagOf(found));
          if (found !== undefined) table.delete(id);
          return { status: 204 };
        });
      },
    }),
  ];

  /**
   * A route that updates an item. A failed precondition is 412 even if the content is invalid; a
   * missing item is 404 only if it is valid.
   */
  function updateRoute(
    method: string,
    content: FieldsContent,
    texts: Pick<Operation, 'id' | 'summary' | 'description'>,
  ): DescribedRoute {
    return resource.route(method, ITEM, {
      ...texts,
      arguments: [idInPath, writePreconditions],
      content,
      responses: { 200: resource.response('The updated item.', ITEM_ETAG) },
      errors: [404, 507],
      handle: (request) => {
        const id = idInPath.readFrom(request);
        const { list } = ListSite.of(request);
        const update = () =>
          list.store.write((items) => {
            const found = items.table.find(id);
            if (found !== undefined) checkPreconditions(request, () => list.tagOf(found));
            const values = content.readFrom(request, { id, row: found?.row });
            if (found === undefined) throw notFound(api.item, id);
            const updated = items.update(found, values);
            const text = resource.serialize(updated.row);
            return jsonResponse(200, text, { ETag: list.tagOf(updated) });
          });
        const isLong = (list.items.table.find(id)?.bytes ?? 0) > SHORT_ITEM_BYTES;
        return isLong ? request.run(inOneStep(update)).then((made) => made) : update();
      },
    });
  }
}

/** The content of a PATCH of an item. */
export function patchContent({ rules, api }: ItemResource) {
  return fieldsContent(`Patch${api.item}`, rules, 'patch', api.examples.update);
}

/** The content of a PATCH of the list, which merges objects with those of each item. */
export function listPatchContent(
  resource: ItemResource,
): RequestContent<FieldValues | ComputeValues> {
  const patch = patchContent(resource);
  const { shape } = patch;
  const isMerged = (name: string, value: unknown) => {
    const { json, update } = resource.fields[name] ?? {};
    return json?.type === 'object' && update && isJsonObject(value);
  };
  return {
    ...patch,
    readFrom: (request) => {
      const given = objectIn(request);
      const values = readContent(shape, given);
      const objects = Object.entries(given).filter(([name, value]) => isMerged(name, value));
      if (objects.length === 0) return values;
      const merging = Object.fromEntries(objects);
      return (item) => {
        const validation = new Validation(undefined, { id: item.id, row: item });
        const merged = shape.read(merging, validation);
        const subject = `The content, merged with the item ${item.id},`;
        return { ...values, ...validation.checkedContent(merged, subject) };
      };
    },
  };
}

/** The id in the path of an item. Requests for one item have no parameters besides it. */
export function idArgument({ id }: ItemFields, query: Argument<void>): Argument<ItemId> {
  const { fromText, textForm } = VALUE_KINDS[id.kind];
  const { description } = id;
  return {
    parameters: [
      { name: 'id', in: 'path', description, schema: requestSchemaOf(id.kind), example: 1 },
    ],
    readFrom: (request) => {
      const value = fromText(request.parameter);
      if (typeof value !== 'number' && typeof value !== 'bigint') {
        throw serviceProblem('invalid-id', `The id ${mustBe(textForm, request.parameter)}`);
      }
      query.readFrom(request);
      return value;
    },
  };
}

function notFound(name: string, id: ItemId): Problem {
  return serviceProblem('not-found', `${name} with id ${id} was not found`);
}
