import { gauge, type Metric } from './features/metrics/exposition.ts';
import type { StoreStats } from './todo/store/store.ts';

/** The metrics of a store that replicas share. */
export function storeMetrics(stats: StoreStats, isReady: boolean): readonly Metric[] {
  const { revision, lag } = stats;
  return [
    gauge('todo_store_revision', 'The revision of etcd that this replica shows.', revision),
    gauge('todo_store_lag_revisions', 'Known revisions that are not shown yet.', lag),
    gauge('todo_store_ready', '1 if this replica is ready, else 0.', isReady ? 1 : 0),
    ...COUNTERS.map(([stat, name, help]) => ({
      ...{ name: `todo_store_${name}_total`, type: 'counter' as const, help },
      samples: [{ value: stats[stat] }],
    })),
  ];
}

const COUNTERS: readonly (readonly [keyof StoreStats, string, string])[] = [
  ['retries', 'retries', 'Requests to etcd that were retried.'],
  ['conflicts', 'conflicts', 'Transactions that lost to another replica and were tried again.'],
  ['unknownOutcomes', 'unknown_outcomes', 'Writes whose outcome is unknown.'],
  ['loads', 'loads', 'How often the whole list was loaded.'],
];
