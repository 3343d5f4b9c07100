import type { ItemFields } from '../store/items.ts';
import type { ItemApi } from './item-resource.ts';

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
