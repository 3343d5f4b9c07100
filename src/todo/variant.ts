import type { ItemApi } from './routes/item-resource.ts';
import type { ItemFields } from './store/items.ts';

/** A variant of the service: what its items are, and its API. */
export interface Variant {
  readonly name: string;
  /** What distinguishes it, in a few words. */
  readonly summary: string;
  readonly fields: ItemFields;
  readonly api: ItemApi;
}

/**
 * Defines a variant. Table, validators, filters, routes, the API document, seeds and the types of
 * the package follow from it.
 */
export function defineVariant<const F extends ItemFields>(variant: {
  readonly name: string;
  readonly summary: string;
  readonly fields: F;
  readonly api: ItemApi<keyof F & string>;
}) {
  return variant;
}
