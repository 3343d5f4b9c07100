import { counter, gauge } from '../service/observe/exposition.ts';
import type { Replica } from './replica/index.ts';

/** The values of the metrics of a replica. */
export type ReplicaStats = Replica['stats'] & { readonly unknownOutcomes: number };

/** The metrics of a replica (replicas.md: "Metrics"). */
export function replicaMetrics(stats: ReplicaStats, isReady: boolean): readonly string[] {
  const lost = 'Transactions that lost to another replica and were tried again.';
  const unknown = 'Writes whose outcome is unknown.';
  return [
    gauge('todo_store_revision', 'The revision of etcd that this replica shows.', stats.revision),
    gauge('todo_store_lag_revisions', 'Known revisions that are not shown yet.', stats.lag),
    gauge('todo_store_ready', '1 if this replica is ready, else 0.', Number(isReady)),
    counter('todo_store_retries_total', 'Requests to etcd that were retried.', stats.retries),
    counter('todo_store_conflicts_total', lost, stats.conflicts),
    counter('todo_store_unknown_outcomes_total', unknown, stats.unknownOutcomes),
    counter('todo_store_loads_total', 'How often the whole list was loaded.', stats.loads),
  ];
}
