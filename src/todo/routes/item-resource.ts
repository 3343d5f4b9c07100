import type { Request } from '../../http/core/request.ts';
import type { HeaderFields } from '../../http/core/response.ts';
import type { Tag } from '../../http/routing/operation.ts';
import { withComputed } from '../../resource/computed.ts';
import type { RowTexts } from '../../resource/row-texts.ts';
import type { Serializer } from '../../resource/serializer.ts';
import type { ItemApi, ItemFields } from '../item-api.ts';
import type { EntityTags } from '../store/entity-tags.ts';
import type { Items } from '../store/items.ts';
import type { Store } from '../store/store.ts';

/** What the routes of items share. */
export interface ItemResource {
  readonly fields: ItemFields;
  readonly api: ItemApi;
  readonly items: Items;
  readonly store: Store;
  readonly serialize: Serializer;
  readonly texts: RowTexts;
  readonly tags: EntityTags;
}

/** The tag of operations on items in the API document. */
export const TAG: Tag = { name: 'Todos', description: 'What is to be done.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE: HeaderFields = { 'Cache-Control': 'no-cache' };

/**
 * Returns a function that makes the JSON text of items for the response to a request.
 * @param textOf the text of their stored fields: from a cache, or from a serializer for items that
 * have just been written, and may never be read
 */
export function textsFor(
  { texts, api: { computed } }: ItemResource,
  { headers: { host } }: Pick<Request, 'headers'>,
  textOf: Serializer = (item) => texts.of(item),
): Serializer {
  if (computed === undefined) return textOf;
  const origin = host === undefined ? '' : `http://${host}`;
  return (item) => withComputed(textOf(item), computed, item, origin);
}
