import { jsonOf, listOf, parseJson, recordOf } from '../shared/json.ts';
import type { ApiDocument, ApiOperation } from './document.ts';
import type { Exchange, Fields, Send } from './exchange.ts';
import { type Field, fieldsOf, fromJson, type Values } from './field.ts';

/** An item of the list. */
export interface Item {
  /** The id as text: the digits of a 64-bit integer, for example. */
  readonly id: string;
  /** The title, or the id if the title is blank. */
  readonly name: string;
  readonly values: Values;
  /** The entity tag, if the item was the content of a response. */
  readonly tag: string | undefined;
}

/** The service as its document describes it, and requests for its items. @throws as `Send` */
export type Service = ReturnType<typeof createService>;

/** Reads the description of items from an API document. @throws Error if no item can be changed */
export function createService({ operations }: ApiDocument, send: Send) {
  const item = operations.find(({ method, path }) => method === 'PATCH' && path.endsWith('}'));
  if (item === undefined) throw new Error('The API document of the service describes no items.');
  const collection = item.path.replace(/\/[^/]*$/, '') || '/';
  const idName = item.path.replace(/^.*{|}$/g, '');
  const at = (method: string, path = collection) =>
    operations.find((each) => each.method === method && each.path === path);
  const batch = `${collection}/batch`;
  /** The maximum number of items to create in a request; 1 without a batch operation. */
  const maxCreated = Number(at('POST', batch)?.contents[0]?.schema.maxItems ?? 1);
  const query = at('GET')?.parameters ?? [];
  const contentOf = ({ responses }: ApiOperation) =>
    responses.find(({ status }) => status === '200')?.contents[0];
  const schema = contentOf(item)?.schema;
  const fields = fieldsOf(schema);
  const creatable = fieldsOf(at('POST')?.contents[0]?.schema, schema);
  const editable = fieldsOf(item.contents[0]?.schema, schema);
  const texts = fields.filter(({ kind }) => kind === 'text');
  // The fields for the title, the tick box and so on. Each is the first field that fits.
  const title = creatable.find(({ kind, isRequired }) => kind === 'text' && isRequired) ?? texts[0];
  if (title === undefined) throw new Error('The items of the service have no text.');
  const done = editable.find(({ kind, isNullable }) => kind === 'boolean' && !isNullable);
  const scale = editable.find(({ steps }) => steps.length > 0);
  const details = texts.find(({ name, isLong }) => isLong && name !== title.name);
  const others = [idName, title.name, done?.name, scale?.name, details?.name];

  const itemOf = (value: unknown, headers?: Headers): Item => {
    const json = recordOf(value);
    const entryOf = ({ name, kind }: Field) => [name, fromJson(kind, json[name])] as const;
    const values = Object.fromEntries(fields.map(entryOf));
    const id = String(values[idName]);
    const text = String(values[title.name]);
    // Gateways that compress make a tag weak, and `If-Match` needs a strong one.
    const tag = headers?.get('ETag')?.replace(/^W\//, '');
    return { id, name: text.trim() === '' ? `item ${id}` : text, values, tag };
  };

  const itemIn = ({ text, headers }: Exchange) => itemOf(parseJson(text), headers);
  const readItems = (text: string) => listOf(parseJson(text)).map((item) => itemOf(item));
  const itemPath = (id: string) => item.path.replace(/{[^}]*}$/, encodeURIComponent(id));

  const post = (path: string, body: string) =>
    send({ method: 'POST', path, headers: [['Content-Type', 'application/json']], body });

  /** The header field that makes a write conditional, if there is a tag. */
  const onMatch = (tag?: string): Fields => (tag === undefined ? [] : [['If-Match', tag]]);

  const patch = (path: string, values: Values, tag?: string) => {
    const headers: Fields = [['Content-Type', 'application/merge-patch+json'], ...onMatch(tag)];
    return send({ method: 'PATCH', path, headers, body: jsonOf(values) });
  };

  const remove = (path: string, tag?: string) =>
    send({ method: 'DELETE', path, headers: onMatch(tag) });

  const get = (path: string, signal: AbortSignal | null = null) =>
    send({ method: 'GET', path, headers: [['Accept', 'application/json']], signal });

  const valuesOf = ({ values }: Item, chosen: readonly Field[]): Values =>
    Object.fromEntries(chosen.map(({ name }) => [name, values[name] ?? null]));

  /** The number of items that a write by condition reports. */
  const countIn = (text: string) => Number(Object.values(recordOf(parseJson(text)))[0]);

  return {
    collection,
    idName,
    /** The path of the event stream, if there is one. */
    events: operations.find((each) => contentOf(each)?.mediaType === 'text/event-stream')?.path,
    parameters: new Map(query.map((parameter) => [parameter.name, parameter])),
    fields,
    creatable,
    editable,
    title,
    done,
    scale,
    details,
    /** All other fields, except the id. */
    facts: fields.filter(({ name }) => !others.includes(name)),
    readItems,
    /** The fields in which two items differ. */
    differences: (a: Item, b: Item) =>
      fields.filter(({ name }) => a.values[name] !== b.values[name]),
    /** Creates an item with those values of another item that POST accepts. */
    createLike: async (item: Item) =>
      itemIn(await post(collection, jsonOf(valuesOf(item, creatable)))),
    /** The values to change so that `current` becomes like `item`. */
    changesTo: (item: Item, current: Item) =>
      valuesOf(
        item,
        editable.filter(({ name }) => item.values[name] !== current.values[name]),
      ),
    get,
    /** Fetches an item with its entity tag. */
    fetchItem: async (id: string) => itemIn(await get(itemPath(id))),
    /** The number of items that a target selects. */
    async count(path: string): Promise<number> {
      return Number((await get(`${path}&limit=1`)).headers.get('X-Total-Count'));
    },
    /** Creates as many of the first items as one request can. Resolves to the created items. */
    async create(items: readonly Values[]): Promise<readonly Item[]> {
      const texts = items.slice(0, maxCreated).map(jsonOf);
      if (texts.length === 1) return [itemIn(await post(collection, texts.join()))];
      return readItems((await post(batch, `[${texts}]`)).text);
    },
    /** Sets some fields of an item. With a `tag`, only if that is the entity tag of the item. */
    async patch(id: string, values: Values, tag?: string): Promise<Item> {
      return itemIn(await patch(itemPath(id), values, tag));
    },
    /** Sets some fields of all items that a target selects. @returns their number */
    patchAll: async (path: string, values: Values) => countIn((await patch(path, values)).text),
    /** Deletes an item if its entity tag is the same. */
    remove: ({ id, tag }: Item) => remove(itemPath(id), tag),
    /** Deletes all items that a target selects. @returns their number */
    removeAll: async (path: string) => countIn((await remove(path)).text),
    /** Deletes as many of the first items as one request can create. @returns the other ids */
    async removeCreated(ids: readonly string[]): Promise<readonly string[]> {
      await remove(`${collection}?${idName}.in=${ids.slice(0, maxCreated)}`);
      return ids.slice(maxCreated);
    },
  };
}
