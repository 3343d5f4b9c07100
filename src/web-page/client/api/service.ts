import type { PageData } from '../../page-data.ts';
import {
  type JsonRecord,
  jsonOf,
  listOf,
  MARK,
  parseJson,
  recordOf,
  unmarked,
} from '../shared/json.ts';
import { type ApiRequest, type Exchange, type Fields, type Send, statusOf } from './api-request.ts';
import { type Field, fromJson, labelOf, type Values } from './item-field.ts';

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

/** The items of the service: their fields, and requests for them. @throws as `Send` */
export type Service = ReturnType<typeof createService>;

/** How often an undo tries again, if other clients change the list meanwhile. */
const MAX_TRIES = 3;

/** Creates the requests for items. @param base precedes all paths: empty, or a path without `/` */
export function createService(data: PageData, base: string, send: Send) {
  const { maxBatch, roles } = data;
  const collection = base + data.collection;
  const batch = `${collection}/batch`;
  const fields = data.fields.map((field): Field => ({ ...field, label: labelOf(field.name) }));
  const creatable = fields.filter(({ isCreatable }) => isCreatable);
  const isOther = ({ name }: Field) => !Object.values(roles).flat().includes(name);
  const fieldOf = (name?: string) => fields.find((field) => field.name === name);

  const itemOf = (value: unknown, headers?: Headers): Item => {
    const json = recordOf(value);
    const entryOf = ({ name, kind }: Field) => [name, fromJson(kind, json[name])] as const;
    const values = Object.fromEntries(fields.map(entryOf));
    const id = String(values[roles.id]);
    const text = String(values[roles.title ?? ''] ?? '');
    const tag = headers && tagIn(headers);
    return { id, name: text.trim() === '' ? `${data.words.one} ${id}` : text, values, tag };
  };

  const itemIn = ({ text, headers }: Exchange) => itemOf(parseJson(text, MARK), headers);
  const readItems = (text: string) => listOf(parseJson(text, MARK)).map((item) => itemOf(item));
  const itemPath = (id: string) => `${collection}/${id}`;

  const json: Fields = [['Content-Type', 'application/json']];
  const post = (path: string, body: string) => send({ method: 'POST', path, headers: json, body });

  /** The header field that makes a write conditional, if there is a tag. */
  const ifMatch = (tag?: string): Fields => (tag === undefined ? [] : [['If-Match', tag]]);

  const patch = (path: string, values: Values, tag?: string) => {
    const headers: Fields = [['Content-Type', 'application/merge-patch+json'], ...ifMatch(tag)];
    return send({ method: 'PATCH', path, headers, body: jsonOf(values) });
  };

  const put = (path: string, values: Values, tag?: string) =>
    send({ method: 'PUT', path, headers: [...json, ...ifMatch(tag)], body: jsonOf(values) });

  const remove = (path: string, tag?: string) =>
    send({ method: 'DELETE', path, headers: ifMatch(tag) });

  const get = (path: string, options: Pick<ApiRequest, 'signal' | 'isBackground'> = {}) =>
    send({ method: 'GET', path, headers: [['Accept', 'application/json']], ...options });

  const valuesOf = ({ values }: Item, selected: readonly Field[]): Values =>
    Object.fromEntries(selected.map(({ name }) => [name, values[name] ?? null]));

  /** The fields in which two items differ. */
  const differences = (a: Item, b: Item) =>
    fields.filter(({ name }) => a.values[name] !== b.values[name]);

  /** The number of items that a write by condition reports. */
  const countIn = (text: string) => Number(Object.values(recordOf(parseJson(text)))[0]);

  /** `removeUnchanged` for as many items as one request can create. */
  async function removeBatch(items: readonly Item[], tries = MAX_TRIES): Promise<number> {
    const path = `${collection}?${roles.id}.in=${items.map(({ id }) => id)}`;
    const { text, headers } = await get(path);
    const left = readItems(text);
    const isUnchanged = (item: Item) =>
      items.some((each) => each.id === item.id && differences(each, item).length === 0);
    const unchanged = left.filter(isUnchanged);
    if (unchanged.length === 0) return left.length;
    const kept = left.length - unchanged.length;
    // By a path of the unchanged items alone, because a tag covers all items of its path.
    if (kept > 0) return kept + (await removeBatch(unchanged, tries));
    try {
      await remove(path, tagIn(headers));
      return 0;
    } catch (error) {
      if (statusOf(error) !== 412 || tries === 1) throw error;
      return removeBatch(items, tries - 1);
    }
  }

  return {
    collection,
    idName: roles.id,
    /** The path of the event stream, if there is one. */
    events: data.events === undefined ? undefined : base + data.events,
    /** The meaning of the operators of filters. */
    operators: data.operators,
    samples: data.samples,
    fields,
    creatable,
    editable: fields.filter(({ isEditable }) => isEditable),
    title: fieldOf(roles.title),
    details: roles.details,
    done: fieldOf(roles.done),
    choice: fieldOf(roles.choice),
    words: data.words,
    isSearched: data.isSearched,
    /** The fields without a role. */
    facts: fields.filter(isOther),
    readItems,
    readItem: (text: string) => itemOf(parseJson(text, MARK)),
    differences,
    /**
     * Creates an item again: by POST, then by PATCH for the fields that POST ignores. After a
     * failure of the second step, a second call repeats that alone.
     */
    restorer(item: Item): () => Promise<Item> {
      let created: Item | undefined;
      return async () => {
        const isSent = ({ name, isNullable }: Field) => isNullable || item.values[name] !== null;
        const sent = creatable.filter(isSent);
        created ??= itemIn(await post(collection, jsonOf(valuesOf(item, sent))));
        const ignored = differences(item, created).filter(({ isEditable }) => isEditable);
        if (ignored.length === 0) return created;
        return itemIn(await patch(itemPath(created.id), valuesOf(item, ignored)));
      };
    },
    get,
    /** Fetches an item with its entity tag. */
    fetchItem: async (id: string) => itemIn(await get(itemPath(id))),
    /** The number of items that a target selects. */
    async count(path: string): Promise<number> {
      return Number((await get(`${path}&limit=1`)).headers.get('X-Total-Count'));
    },
    /** Creates the first items, at most `maxBatch`. Resolves to the created items. */
    async create(items: readonly JsonRecord[]): Promise<readonly Item[]> {
      const texts = items.slice(0, maxBatch).map(jsonOf);
      if (texts.length === 1) return [itemIn(await post(collection, texts.join()))];
      return readItems((await post(batch, `[${texts}]`)).text);
    },
    /** Sets some fields of an item. With a `tag`, only if that is the entity tag of the item. */
    async patch(id: string, values: Values, tag?: string): Promise<Item> {
      // A patch would merge an object with the stored one, and keep what the user has removed from it.
      const hasObject = Object.values(values).some((value) => unmarked(value)?.startsWith('{'));
      return itemIn(await (hasObject ? put : patch)(itemPath(id), values, tag));
    },
    /** Sets some fields of all items that a target selects. @returns their number */
    patchAll: async (path: string, values: Values) => countIn((await patch(path, values)).text),
    /** Deletes an item if its entity tag is the same. */
    remove: ({ id, tag }: Item) => remove(itemPath(id), tag),
    /** Deletes all items that a target selects. @returns their number */
    removeAll: async (path: string) => countIn((await remove(path)).text),
    /** Deletes the items that have not changed. @returns the number of changed items, which stay */
    async removeUnchanged(items: readonly Item[]): Promise<number> {
      let kept = 0;
      for (let at = 0; at < items.length; at += maxBatch) {
        kept += await removeBatch(items.slice(at, at + maxBatch));
      }
      return kept;
    },
  };
}

/** The strong entity tag of a response. Gateways that compress make it weak. */
function tagIn(headers: Headers): string | undefined {
  return headers.get('ETag')?.replace(/^W\//, '');
}
