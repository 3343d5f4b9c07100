import type { HttpServer } from '../lib/http/index.ts';
import { counter, gauge } from './features/exposition.ts';
import type { Store } from './store/store.ts';
import type { ItemEvents } from './todo/item-events.ts';
import type { ItemResource } from './todo/item-resource.ts';
import { VERSION } from './version.ts';

/** The metrics of the parts of the service, as they are now. */
export function serviceMetrics(
  variant: string,
  { items, store, rowJson }: ItemResource,
  events: ItemEvents,
  server: HttpServer,
): readonly string[] {
  const info = { labels: { version: VERSION, variant }, value: 1 };
  const { rows, bytes } = items.table.stats();
  const isReady = !server.draining && store.notReadyProblem() === undefined;
  const stats = store.stats();
  const memory = {
    rows: bytes.rows,
    snapshots: bytes.snapshots,
    indexes: bytes.indexes,
    cache: rowJson.bytes,
    history: events.hub.history.bytes,
    clients: server.clients.total,
  };
  const byPart = Object.entries(memory).map(([part, value]) => ({ labels: { part }, value }));
  return [
    gauge('todo_service_info', 'The version and the variant of this service.', [info]),
    gauge('todo_rows', 'Items stored.', rows),
    gauge('todo_bytes', 'Counted memory, by use.', byPart),
    counter('todo_commits_total', 'Transactions that changed something.', items.table.commits),
    ...(stats ? storeMetrics(stats, isReady) : []),
    gauge('todo_event_streams', 'Open event streams.', events.hub.size),
  ];
}

function storeMetrics(
  stats: NonNullable<ReturnType<Store['stats']>>,
  isReady: boolean,
): readonly string[] {
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
