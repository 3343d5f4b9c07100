import { listOf, parseJson, recordOf } from '../shared/json.ts';
import type { ApiContent, ApiDocument, ApiOperation, ApiParameter } from './document.ts';
import { type Field, fieldsOf, fromJson } from './field.ts';
import { type Item, isVisible } from './item.ts';

/** The service as its document describes it: paths, fields, and which field the page uses how. */
export class Service {
  readonly document: ApiDocument;
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
  constructor(document: ApiDocument) {
    const { operations } = document;
    const item = operations.find(({ method, path }) => method === 'PATCH' && path.endsWith('}'));
    if (item === undefined) throw new Error('The API document of the service describes no items.');
    this.document = document;
    this.#item = item;
    this.collection = item.path.replace(/\/[^/]*$/, '') || '/';
    const at = (method: string) =>
      operations.find((each) => each.method === method && each.path === this.collection);
    const query = at('GET')?.parameters.filter((parameter) => parameter.in === 'query') ?? [];
    this.parameters = new Map(query.map((parameter) => [parameter.name, parameter]));
    this.canDeleteMany = at('DELETE') !== undefined;
    this.events = operations.find(({ responses }) =>
      responses.some(({ contents }) =>
        contents.some(({ mediaType }) => mediaType === 'text/event-stream'),
      ),
    )?.path;
    const schema = schemaOf(item.responses.find(({ status }) => status === '200')?.contents);
    this.fields = fieldsOf(schema);
    this.creatable = fieldsOf(schemaOf(at('POST')?.contents), schema);
    this.editable = fieldsOf(schemaOf(item.contents), schema);
    const isText = ({ kind }: Field) => kind === 'text';
    const title =
      this.creatable.find((field) => isText(field) && field.isRequired) ?? this.fields.find(isText);
    if (title === undefined) throw new Error('The items of the service have no text.');
    this.title = title;
    this.done = this.editable.find(({ kind, isNullable }) => kind === 'boolean' && !isNullable);
    this.scale = this.editable.find(({ steps }) => steps.length > 0);
    this.details = this.fields.find(({ name, isLong }) => isLong && name !== title.name);
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

  /** Reads an item. */
  readItem(text: string): Item {
    return this.#itemOf(parseJson(text));
  }

  /** Reads a list of items. */
  readItems(text: string): readonly Item[] {
    return listOf(parseJson(text)).map((each) => this.#itemOf(each));
  }

  #itemOf(value: unknown): Item {
    const json = recordOf(value);
    const values = Object.fromEntries(
      this.fields.map(({ name, kind }) => [name, fromJson(kind, json[name])]),
    );
    const id = String(values[this.idName]);
    const title = String(values[this.title.name]);
    return { id, name: isVisible(title) ? title : `item ${id}`, values };
  }
}

function schemaOf(contents: readonly ApiContent[] = []): ApiContent['schema'] {
  return contents[0]?.schema ?? {};
}
