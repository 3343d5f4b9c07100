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

/** Any character that leaves a mark. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** The service as its document describes it, and the requests for its items. */
export type Service = ReturnType<typeof createService>;

/**
 * Finds out what an API document says of items. The requests throw as `Send` does.
 * @throws Error if the document describes no items that can be changed
 */
export function createService({ operations }: ApiDocument, send: Send) {
  const item = operations.find(({ method, path }) => method === 'PATCH' && path.endsWith('}'));
  if (item === undefined) throw new Error('The API document of the service describes no items.');
  const collection = item.path.replace(/\/[^/]*$/, '') || '/';
  const idName = item.path.replace(/^.*{|}$/g, '');
  const at = (method: string) =>
    operations.find((each) => each.method === method && each.path === collection);
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
  const itemPath = (id: string) => item.path.replace(/{[^}]*}$/, encodeURIComponent(id));

  async function write(method: string, path: string, values: Values, headers: Fields) {
    const { text } = await send({ method, path, headers, body: jsonOf(values) });
    return readItem(text);
  }

  return {
    send,
    collection,
    itemPath,
    idName,
    /** The path of the event stream, if there is one. */
    events: operations.find((each) => contentOf(each)?.mediaType === 'text/event-stream')?.path,
    /** The parameters of the list, by name. */
    parameters: new Map(query.map((parameter) => [parameter.name, parameter])),
    canDeleteMany: at('DELETE') !== undefined,
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
    readItems: (text: string) => listOf(parseJson(text)).map(itemOf),
    /** The fields in which two items differ. */
    differences: (a: Item, b: Item) =>
      fields.filter(({ name }) => a.values[name] !== b.values[name]),
    /** Fetches items or one of them. */
    get(path: string, headers: Fields = [], signal: AbortSignal | null = null) {
      const all: Fields = [['Accept', 'application/json'], ...headers];
      return send({ method: 'GET', path, headers: all, signal });
    },
    create: (values: Values) =>
      write('POST', collection, values, [['Content-Type', 'application/json']]),
    /** Sets some fields of an item, whatever the others are by now; a tag is what it must have. */
    patch(id: string, values: Values, tag?: string) {
      const headers: Fields = [['Content-Type', 'application/merge-patch+json']];
      if (tag !== undefined) headers.push(['If-Match', tag]);
      return write('PATCH', itemPath(id), values, headers);
    },
  };
}
