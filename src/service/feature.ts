import type { Middleware } from '../lib/http/index.ts';
import type { DescribedRoute } from './operation.ts';
import type { ListObserver } from './todo/todo-list.ts';

/** An optional part of the service. Switched off, it is absent. */
export interface Feature extends ListObserver {
  /**
   * Routes of every list, except those of the whole process (`Operation.isOfProcess`). Those that
   * need the admin token (`Operation.needsToken`) are absent without one.
   */
  readonly routes?: readonly DescribedRoute[];
  readonly middleware?: Middleware;
  /** The service stops: its delays, waits and streams have to end. */
  onStop?(): void;
}
