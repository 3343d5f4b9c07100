import type { Request } from '../lib/http/index.ts';
import type { ListFeature, MemoryBudget } from './items/item-list.ts';
import type { DescribedRoute } from './operation.ts';

/** A part of the service: its routes, and its view of requests. Switched off, it is absent. */
export interface Feature {
  /**
   * Routes of every list, except those of the whole process (`Operation.isAtBaseOnly`). Those that
   * need the admin token (`Operation.needsToken`) are absent without one.
   */
  readonly routes?: readonly DescribedRoute[];
  /** Sees each request before its handler. It may ask for the response (`onResponse`). */
  readonly onRequest?: (request: Request) => void;
  /**
   * Creates its part of each new list.
   * @param onChange for a part whose changes other parts of the list follow (`onOtherChange`)
   */
  readonly newListFeature?: (budget: MemoryBudget, onChange: () => void) => ListFeature;
}
