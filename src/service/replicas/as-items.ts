import type { ListItems } from '../../lib/replica/index.ts';
import type { Items } from '../store/items.ts';

/** Types the items of a replica, all of which are made from those of this service. */
export function asItems(items: ListItems): Items {
  return items as Items;
}
