import { ADMIN_PREFIX } from './features/admin/routes.ts';
import { gauge, type Metric } from './features/metrics/exposition.ts';
import { Problem, type ProblemCode } from './http/core/problem.ts';
import type { DescribedRoute } from './http/routing/operation.ts';
import type { SharedStore, StoreStats } from './todo/store/shared-store.ts';

/** When to try again, in seconds. */
const RETRY_AFTER_S = 1;

/** The problem of a request that the store could not serve, or whose outcome is unknown. */
export function storeProblem(code: 'store-unavailable' | 'outcome-unknown', why: string): Problem {
  const what =
    code === 'store-unavailable'
      ? 'The store is not available, and nothing was changed'
      : 'The store has not said whether the change was made; check before you try again';
  return new Problem(code, `${what} (${why})`, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

/** The problem of a replica that is not ready; undefined if it is ready. */
export function notReadyProblem({ notReadyReason }: SharedStore): Problem | undefined {
  return notReadyReason === undefined
    ? undefined
    : storeProblem('store-unavailable', notReadyReason);
}

/** Adds the problems of a shared store to the routes that use it. */
export function withStoreProblems(
  routes: readonly DescribedRoute[],
  collection: string,
): readonly DescribedRoute[] {
  return routes.map((route) => {
    const isItems = route.path.startsWith(collection) || route.path === `${ADMIN_PREFIX}reset`;
    if (!isItems && route.path !== '/readyz') return route;
    const isWriting = route.method !== 'GET';
    const { problems = [], ...operation } = route.operation;
    const more: readonly ProblemCode[] = isWriting
      ? ['store-unavailable', 'outcome-unknown']
      : ['store-unavailable'];
    return { ...route, operation: { ...operation, problems: [...problems, ...more] } };
  });
}

/**
 * The metrics of a shared store.
 * @param isDraining whether the service is shutting down, and so not ready
 */
export function storeMetrics(store: SharedStore, isDraining: boolean): readonly Metric[] {
  const { revision, lag } = store.stats;
  const isReady = !isDraining && store.notReadyReason === undefined;
  return [
    gauge('todo_store_revision', 'The revision of etcd that this replica shows.', revision),
    gauge('todo_store_lag_revisions', 'Known revisions that are not shown yet.', lag),
    gauge('todo_store_ready', '1 if this replica is ready, else 0.', isReady ? 1 : 0),
    ...COUNTERS.map(([stat, name, help]) => ({
      ...{ name: `todo_store_${name}_total`, type: 'counter' as const, help },
      samples: [{ value: store.stats[stat] }],
    })),
  ];
}

const COUNTERS: readonly (readonly [keyof StoreStats, string, string])[] = [
  ['retries', 'retries', 'Requests to etcd that were retried.'],
  ['conflicts', 'conflicts', 'Transactions that lost to another replica and were tried again.'],
  ['unknownOutcomes', 'unknown_outcomes', 'Writes whose outcome is unknown.'],
  ['loads', 'loads', 'How often the whole list was loaded.'],
];
