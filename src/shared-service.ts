import { ADMIN_PREFIX } from './admin/routes.ts';
import { Problem, type ProblemCode } from './http/core/problem.ts';
import type { DescribedRoute } from './http/routing/operation.ts';
import type { Metric } from './metrics/exposition.ts';
import { gauge } from './metrics/process.ts';
import type { SharedStore, StoreFigures } from './todo/shared-store.ts';
import { COLLECTION } from './todo/todo-resource.ts';

/** When it is worth to ask again, in seconds. */
const RETRY_AFTER_S = 1;

/** The response to what needs a store that cannot be reached, or has not said what it did. */
export function storeProblem(code: 'store-unavailable' | 'outcome-unknown', why: string): Problem {
  const what =
    code === 'store-unavailable'
      ? 'The store cannot be reached, and nothing has happened'
      : 'The store has not said whether it has happened; look before you try again';
  return new Problem(code, `${what} (${why})`, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });
}

/** Why a replica wants no new work now. */
export function unreadyProblem({ unready }: SharedStore): Problem | undefined {
  return unready === undefined ? undefined : storeProblem('store-unavailable', unready);
}

/** Routes that may fail because of a store that is not this process's own memory. */
export function withStoreProblems(routes: readonly DescribedRoute[]): readonly DescribedRoute[] {
  return routes.map((route) => {
    const isItems = route.path.startsWith(COLLECTION) || route.path === `${ADMIN_PREFIX}reset`;
    if (!isItems && route.path !== '/readyz') return route;
    const isWriting = route.method !== 'GET';
    const { problems = [], ...operation } = route.operation;
    const more: readonly ProblemCode[] = isWriting
      ? ['store-unavailable', 'outcome-unknown']
      : ['store-unavailable'];
    return { ...route, operation: { ...operation, problems: [...problems, ...more] } };
  });
}

/** What operators want to know of a shared store. */
export function storeMetrics(store: SharedStore): readonly Metric[] {
  const { revision, lag } = store.figures;
  return [
    gauge('todo_store_revision', 'The revision of etcd that this replica shows.', revision),
    gauge('todo_store_lag_revisions', 'Revisions that are known and not shown yet.', lag),
    gauge('todo_store_ready', '1 where the store can be used, else 0.', store.unready ? 0 : 1),
    ...COUNTERS.map(([figure, name, help]) => ({
      ...{ name: `todo_store_${name}_total`, type: 'counter' as const, help },
      samples: [{ value: store.figures[figure] }],
    })),
  ];
}

const COUNTERS: readonly (readonly [keyof StoreFigures, string, string])[] = [
  ['retries', 'retries', 'Requests to etcd that were sent again.'],
  ['conflicts', 'conflicts', 'Transactions that another replica came before.'],
  ['unknownOutcomes', 'unknown_outcomes', 'Writes of which nobody knows whether they happened.'],
  ['loads', 'loads', 'How often the whole list was loaded.'],
];
