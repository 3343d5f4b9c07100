import type { JsonObject } from '../../lib/json/index.ts';
import type { ItemFields } from '../store/items.ts';

/** The properties of a variant's API that do not follow from the fields of its items. */
export interface ItemApi<Name extends string = string> {
  /** The path of all items, such as `/api/todos`. */
  readonly collection: string;
  /** The fields that `search` searches, in this order. */
  readonly searched: readonly Name[];
  readonly examples: {
    /** Valid create requests, by title. The first one creates the item of all examples. */
    readonly create: Readonly<Record<string, JsonObject>>;
    readonly update: Readonly<Record<string, JsonObject>>;
    /** Valid create requests; the page offers to send them. */
    readonly batch: readonly JsonObject[];
    readonly where: JsonObject;
  };
}

/** A variant of the service: the fields of its items, and its API. */
export interface Variant {
  readonly name: string;
  readonly summary: string;
  readonly fields: ItemFields;
  readonly api: ItemApi;
}

/** Defines a variant. The build derives package types from it. */
export function defineVariant<const F extends ItemFields>(
  variant: Omit<Variant, 'fields' | 'api'> & { fields: F; api: ItemApi<keyof F & string> },
) {
  return variant;
}
