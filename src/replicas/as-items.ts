import type { Items } from '../service/store/items.ts';
import type { ListItems } from './replica/index.ts';

/** Types the items of a replica, all of which are made from those of this service. */
export function asItems(items: ListItems): Items {
  return items as Items;
}
