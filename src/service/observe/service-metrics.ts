import type { HttpServer } from '../../lib/http/index.ts';
import type { ItemEvents } from '../todo/item-events.ts';
import type { ItemResource } from '../todo/item-resource.ts';
import { VERSION } from '../version.ts';
import { counter, gauge } from './exposition.ts';

/** The current metrics of items, memory and event streams. */
export function serviceMetrics(
  variant: string,
  { items, store, rowJson }: ItemResource,
  events: ItemEvents,
  server: HttpServer,
): readonly string[] {
  const info = { labels: { version: VERSION, variant }, value: 1 };
  const { rows, bytes } = items.table.stats();
  const isReady = !server.draining && store.sharing?.notReadyProblem() === undefined;
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
    ...(store.sharing?.metrics(isReady) ?? []),
    gauge('todo_event_streams', 'Open event streams.', events.hub.size),
  ];
}
