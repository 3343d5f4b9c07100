import type { DescribedRoute } from '../http/routing/operation.ts';
import type { ItemApi, ItemFields } from './item-api.ts';
import type { ItemResource } from './routes/item-resource.ts';

/** The API of a variant. */
export interface Api<Name extends string = string> extends ItemApi<Name> {
  /** Whether `GET /` is the web page; so unless it is false. */
  readonly hasPage?: boolean;
  /** Makes routes beyond those of every variant, or in place of one with its method and path. */
  readonly routes?: (resource: ItemResource) => readonly DescribedRoute[];
}

/** A variant of the service: what its items are, and its API. */
export interface Variant {
  readonly name: string;
  /** What distinguishes it, in a few words. */
  readonly summary: string;
  readonly fields: ItemFields;
  readonly api: Api;
}

/**
 * Defines a variant. Table, validators, filters, routes, the API document, seeds and the types of
 * the package follow from it.
 */
export function defineVariant<const F extends ItemFields>(variant: {
  readonly name: string;
  readonly summary: string;
  readonly fields: F;
  readonly api: Api<keyof F & string>;
}) {
  return variant;
}
