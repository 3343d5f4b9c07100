import { jsonOf, listOf, parseJson, recordOf } from '../shared/json.ts';
import type { ApiContent, ApiDocument, ApiOperation, ApiParameter } from './document.ts';
import type { Exchange, Fields, Send } from './exchange.ts';
import { type Field, fieldsOf, fromJson, type Values } from './field.ts';

/** An item of the list. */
export interface Item {
  /** The id as text: the digits of a 64-bit integer, for example. */
  readonly id: string;
  /** What a user calls it: its title, or its id if nothing of the title is visible. */
  readonly name: string;
  readonly values: Values;
}

/** Any character that leaves a mark. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/**
 * The service as its document describes it: paths, fields, which field the page uses how, and the
 * requests for items. They throw as `Send` does.
 */
export class Service {
  readonly send: Send;
  /** The path of all items. */
  readonly collection: string;
  /** The path of the event stream, if there is one. */
  readonly events: string | undefined;
  /** The parameters of the list, by name. */
  readonly parameters: ReadonlyMap<string, ApiParameter>;
  /** Whether many items can be deleted by one request. */
  readonly canDeleteMany: boolean;
  readonly fields: readonly Field[];
  /** The fields of a create request. */
  readonly creatable: readonly Field[];
  /** The fields that can be changed. */
  readonly editable: readonly Field[];
  /** What stands for an item: the first text that a new one needs. */
  readonly title: Field;
  /** Whether an item is done: the first editable boolean. */
  readonly done: Field | undefined;
  /** The first editable field of few values. */
  readonly scale: Field | undefined;
  /** The first long text besides the title. */
  readonly details: Field | undefined;
  /** All other fields, except the id. */
  readonly facts: readonly Field[];
  readonly #item: ApiOperation;

  /** @throws Error if the document describes no items that can be changed */
  constructor({ operations }: ApiDocument, send: Send) {
    const item = operations.find(({ method, path }) => method === 'PATCH' && path.endsWith('}'));
    if (item === undefined) throw new Error('The API document of the service describes no items.');
    this.send = send;
    this.#item = item;
    this.collection = item.path.replace(/\/[^/]*$/, '') || '/';
    const at = (method: string) =>
      operations.find((each) => each.method === method && each.path === this.collection);
    const query = at('GET')?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
    this.parameters = new Map(query.map((parameter) => [parameter.name, parameter]));
    this.canDeleteMany = at('DELETE') !== undefined;
    const isStream = ({ mediaType }: ApiContent) => mediaType === 'text/event-stream';
    this.events = operations.find(({ responses }) =>
      responses.some(({ contents }) => contents.some(isStream)),
    )?.path;
    const schema = schemaOf(item.responses.find(({ status }) => status === '200')?.contents);
    this.fields = fieldsOf(schema);
    this.creatable = fieldsOf(schemaOf(at('POST')?.contents), schema);
    this.editable = fieldsOf(schemaOf(item.contents), schema);
    const texts = this.fields.filter(({ kind }) => kind === 'text');
    const title =
      this.creatable.find(({ kind, isRequired }) => kind === 'text' && isRequired) ?? texts[0];
    if (title === undefined) throw new Error('The items of the service have no text.');
    this.title = title;
    this.done = this.editable.find(({ kind, isNullable }) => kind === 'boolean' && !isNullable);
    this.scale = this.editable.find(({ steps }) => steps.length > 0);
    this.details = texts.find(({ name, isLong }) => isLong && name !== title.name);
    const { done, scale, details } = this;
    const others = [this.idName, title.name, done?.name, scale?.name, details?.name];
    this.facts = this.fields.filter(({ name }) => !others.includes(name));
  }

  /** The path of an item. */
  itemPath(id: string): string {
    return this.#item.path.replace(/{[^}]*}$/, encodeURIComponent(id));
  }

  /** The name of the field that is in the path of an item. */
  get idName(): string {
    return this.#item.path.replace(/^.*{|}$/g, '');
  }

  /** Fetches items or one of them. */
  get(path: string, headers: Fields = [], signal: AbortSignal | null = null): Promise<Exchange> {
    const fields: Fields = [['Accept', 'application/json'], ...headers];
    return this.send({ method: 'GET', path, headers: fields, signal });
  }

  /** Creates an item. */
  create(values: Values): Promise<Item> {
    return this.#write('POST', this.collection, values, [['Content-Type', 'application/json']]);
  }

  /**
   * Sets some fields of an item, whatever the values of the others are by now.
   * @param tag the entity tag that the item must still have
   */
  patch(id: string, values: Values, tag?: string): Promise<Item> {
    const headers: Fields = [['Content-Type', 'application/merge-patch+json']];
    if (tag !== undefined) headers.push(['If-Match', tag]);
    return this.#write('PATCH', this.itemPath(id), values, headers);
  }

  /** Reads an item. */
  readItem(text: string): Item {
    return this.#itemOf(parseJson(text));
  }

  /** Reads a list of items. */
  readItems(text: string): readonly Item[] {
    return listOf(parseJson(text)).map((each) => this.#itemOf(each));
  }

  /** The fields in which two items differ. */
  differences(a: Item, b: Item): readonly Field[] {
    return this.fields.filter(({ name }) => a.values[name] !== b.values[name]);
  }

  async #write(method: string, path: string, values: Values, headers: Fields): Promise<Item> {
    const { text } = await this.send({ method, path, headers, body: jsonOf(values) });
    return this.readItem(text);
  }

  #itemOf(value: unknown): Item {
    const json = recordOf(value);
    const values = Object.fromEntries(
      this.fields.map(({ name, kind }) => [name, fromJson(kind, json[name])]),
    );
    const id = String(values[this.idName]);
    const title = String(values[this.title.name]);
    return { id, name: VISIBLE.test(title) ? title : `item ${id}`, values };
  }
}

function schemaOf(contents: readonly ApiContent[] = []): ApiContent['schema'] {
  return contents[0]?.schema ?? {};
}
