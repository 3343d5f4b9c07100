import type { JsonObject } from '../json/json-object.ts';
import type { ComputedMembers } from '../resource/computed.ts';
import type { Field, Fields } from '../resource/field.ts';

/** The fields of an item. The service relies on `id` only. */
export type ItemFields = Fields & {
  readonly id: Field & {
    readonly kind: 'integer' | 'bigint';
    readonly nullable?: false;
    readonly identity: { readonly from: number | bigint; readonly to: number | bigint };
  };
};

/** What of an API does not follow from the fields of its items. */
export interface ItemApi<Name extends string = string> {
  /** The path of all items, such as `/api/todos`. Those of items and events are below it. */
  readonly collection: string;
  /** The fields that `search` looks in; the one that is likeliest to decide comes first. */
  readonly searched: readonly Name[];
  /** Requests for the API document. */
  readonly examples: {
    /** Valid create requests, by what they show. The first one makes the item of all examples. */
    readonly create: Readonly<Record<string, JsonObject>>;
    /** Valid updates, by what they show. */
    readonly update: Readonly<Record<string, JsonObject>>;
    /** A condition. */
    readonly where: JsonObject;
    /** A create request, and an update, that break rules. */
    readonly brokenCreate: JsonObject;
    readonly brokenUpdate: JsonObject;
  };
  /** Members of items that are not stored. */
  readonly computed?: ComputedMembers;
}

/** The path of an item, as a template. */
export function itemPath({ collection }: Pick<ItemApi, 'collection'>): string {
  return below(collection, '{id}');
}

/** The path of the event stream. */
export function eventsPath({ collection }: Pick<ItemApi, 'collection'>): string {
  return below(collection, 'events');
}

/** Appends a segment to a path, which may be `/`. */
export function below(path: string, segment: string | number | bigint): string {
  return path.endsWith('/') ? `${path}${segment}` : `${path}/${segment}`;
}
