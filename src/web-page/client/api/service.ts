import { jsonOf, listOf, parseJson, recordOf } from '../shared/json.ts';
import type { ApiDocument, ApiOperation } from './document.ts';
import type { Fields, Send } from './exchange.ts';
import { type Field, fieldsOf, fromJson, type Values } from './field.ts';

/** An item of the list. */
export interface Item {
  /** The id as text: the digits of a 64-bit integer, for example. */
  readonly id: string;
  /** Its title, or its id if nothing of the title is visible. */
  readonly name: string;
  readonly values: Values;
}

/** The most ids that a condition may have. */
const MAX_IDS = 1_000;

/** The most characters of ids in a target: the service takes 8 KiB, gateways hardly more. */
const MAX_IDS_TEXT = 6_000;

/** The most characters of items to create at once, each of up to 3 bytes: 64 KiB are the limit. */
const MAX_ITEMS_TEXT = 20_000;

/** The most characters that are sent even while the page is closing: browsers take 64 KiB. */
const MAX_KEPT_TEXT = 10_000;

/** Any character that leaves a mark. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** The service as its document describes it, and requests for its items: they throw as `Send`. */
export type Service = ReturnType<typeof createService>;

/** Finds out what an API document says of items. @throws Error if none of them can be changed */
export function createService({ operations }: ApiDocument, send: Send) {
  const item = operations.find(({ method, path }) => method === 'PATCH' && path.endsWith('}'));
  if (item === undefined) throw new Error('The API document of the service describes no items.');
  const collection = item.path.replace(/\/[^/]*$/, '') || '/';
  const idName = item.path.replace(/^.*{|}$/g, '');
  const at = (method: string) =>
    operations.find((each) => each.method === method && each.path === collection);
  const batch = operations.find((each) => each.path === `${collection}/batch`);
  /** How many items a request creates at most: one if there is no operation for several. */
  const maxCreated = Number(batch?.contents[0]?.schema.maxItems ?? 1);
  const query = at('GET')?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
  const contentOf = ({ responses }: ApiOperation) =>
    responses.find(({ status }) => status === '200')?.contents[0];
  const schema = contentOf(item)?.schema;
  const fields = fieldsOf(schema);
  const creatable = fieldsOf(at('POST')?.contents[0]?.schema, schema);
  const editable = fieldsOf(item.contents[0]?.schema, schema);
  const texts = fields.filter(({ kind }) => kind === 'text');
  // What the page uses fields for: each is the first that fits.
  const title = creatable.find(({ kind, isRequired }) => kind === 'text' && isRequired) ?? texts[0];
  if (title === undefined) throw new Error('The items of the service have no text.');
  const done = editable.find(({ kind, isNullable }) => kind === 'boolean' && !isNullable);
  const scale = editable.find(({ steps }) => steps.length > 0);
  const details = texts.find(({ name, isLong }) => isLong && name !== title.name);
  const others = [idName, title.name, done?.name, scale?.name, details?.name];

  const itemOf = (value: unknown): Item => {
    const json = recordOf(value);
    const entryOf = ({ name, kind }: Field) => [name, fromJson(kind, json[name])] as const;
    const values = Object.fromEntries(fields.map(entryOf));
    const id = String(values[idName]);
    const text = String(values[title.name]);
    return { id, name: VISIBLE.test(text) ? text : `item ${id}`, values };
  };

  const readItem = (text: string) => itemOf(parseJson(text));
  const readItems = (text: string) => listOf(parseJson(text)).map(itemOf);
  const itemPath = (id: string) => item.path.replace(/{[^}]*}$/, encodeURIComponent(id));

  const post = (path: string, body: string) =>
    send({ method: 'POST', path, headers: [['Content-Type', 'application/json']], body });

  function patch(path: string, values: Values, tag?: string) {
    const headers: Fields = [['Content-Type', 'application/merge-patch+json']];
    if (tag !== undefined) headers.push(['If-Match', tag]);
    const body = jsonOf(values);
    return send({ method: 'PATCH', path, headers, body, keepalive: body.length <= MAX_KEPT_TEXT });
  }

  return {
    collection,
    itemPath,
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
    readItem,
    readItems,
    /** The fields in which two items differ. */
    differences: (a: Item, b: Item) =>
      fields.filter(({ name }) => a.values[name] !== b.values[name]),
    /** Fetches items or one of them. */
    get: (path: string, signal: AbortSignal | null = null) =>
      send({ method: 'GET', path, headers: [['Accept', 'application/json']], signal }),
    /** Creates items, as many of the first ones as one request can; resolves to these. */
    async create(items: readonly Values[]): Promise<readonly Item[]> {
      const texts = fitting(items.slice(0, maxCreated).map(jsonOf), MAX_ITEMS_TEXT);
      if (texts.length === 1) return [readItem((await post(collection, texts.join())).text)];
      return readItems((await post(`${collection}/batch`, `[${texts}]`)).text);
    },
    /** Sets some fields of an item, whatever the others are by now; a tag is what it must have. */
    async patch(id: string, values: Values, tag?: string): Promise<Item> {
      return readItem((await patch(itemPath(id), values, tag)).text);
    },
    /** Sets some fields of all items that a target selects. */
    patchAll: (path: string, values: Values) => patch(path, values),
    /** Deletes what a target selects, even while the page is closing. */
    remove: (path: string) => send({ method: 'DELETE', path, headers: [], keepalive: true }),
    /** The target that selects items by their ids: as many of the first ones as one request can. */
    selection(ids: readonly string[]) {
      const some = fitting(ids.slice(0, MAX_IDS), MAX_IDS_TEXT);
      return { path: `${collection}?${idName}.in=${some}`, count: some.length };
    },
  };
}

/** The first of some texts, as many as fit into a length with a comma after each; at least one. */
function fitting(texts: readonly string[], length: number): readonly string[] {
  const isTooLong = (_: string, at: number) => texts.slice(0, at + 1).join().length > length;
  const end = texts.findIndex(isTooLong);
  return end === -1 ? texts : texts.slice(0, Math.max(1, end));
}
