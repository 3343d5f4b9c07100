import type { RequestHooks } from '../lib/http/index.ts';
import type { ListFeature, MemoryBudget } from './items/item-list.ts';
import type { DescribedRoute } from './operation.ts';

/** A part of the service: its routes, and its hooks on the way of requests. Switched off, it is absent. */
export interface Feature extends RequestHooks {
  /**
   * Routes of every list, except those of the whole process (`Operation.isAtBaseOnly`). Those that
   * need the admin token (`Operation.needsToken`) are absent without one.
   */
  readonly routes?: readonly DescribedRoute[];
  /**
   * Creates what it keeps for each new list.
   * @param onChange for a feature whose changes other features of the list follow (`onOtherChange`)
   */
  readonly newListFeature?: (budget: MemoryBudget, onChange: () => void) => ListFeature;
}
