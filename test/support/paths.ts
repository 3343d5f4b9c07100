import type { Definition } from '../../src/service/resource/definition.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';

/** The paths of the list, the event stream and an item, from the definition of a variant. */
export function pathsOf({ api }: Definition) {
  return {
    LIST: api.collection,
    EVENTS: `${api.collection}/events`,
    /** The template of an item's path. */
    ITEM: `${api.collection}/{id}`,
    itemPath: (id: number | bigint | string) => `${api.collection}/${id}`,
  };
}

/** The paths of the default variant, for tests to which the variant does not matter. */
export const { LIST, EVENTS, ITEM, itemPath } = pathsOf(variantA);
