import type { Variant } from '../../src/service/todo/variant.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';

/** The paths of a variant, from its definition: of all items, of the event stream, of an item. */
export function pathsOf({ api }: Variant) {
  return {
    LIST: api.collection,
    EVENTS: `${api.collection}/events`,
    /** As a template. */
    ITEM: `${api.collection}/{id}`,
    itemPath: (id: number | bigint | string) => `${api.collection}/${id}`,
  };
}

/** The paths of the default variant, for tests that need one variant, and not a certain one. */
export const { LIST, EVENTS, ITEM, itemPath } = pathsOf(variantA);
