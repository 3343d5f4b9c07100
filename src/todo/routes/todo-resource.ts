import type { HeaderFields } from '../../http/core/response.ts';
import type { Tag } from '../../http/routing/operation.ts';
import type { RowTexts } from '../../resource/row-texts.ts';
import type { TodoFields } from '../fields.ts';
import type { EntityTags } from '../store/entity-tags.ts';
import type { Store } from '../store/store.ts';
import type { Todos } from '../store/todos.ts';

/** What the routes of items share. */
export interface TodoResource {
  readonly fields: TodoFields;
  readonly todos: Todos;
  readonly store: Store;
  readonly texts: RowTexts;
  readonly tags: EntityTags;
}

/** The paths of all items and of one item. */
export const COLLECTION = '/api/todos';
export const ITEM = '/api/todos/{id}';

/** The tag of operations on items in the API document. */
export const TAG: Tag = { name: 'Todos', description: 'What is to be done.' };

/** Clients and proxies may keep responses, but must revalidate before reuse. */
export const REVALIDATE: HeaderFields = { 'Cache-Control': 'no-cache' };
