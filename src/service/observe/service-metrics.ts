import type { HttpServer, ReasonCounter } from '../../lib/http/index.ts';
import type { Mount } from '../items/item-list.ts';
import { VERSION } from '../version.ts';
import { counter, gauge, type Sample } from './exposition.ts';

/** What is used up where a request is refused (operations.md: "Memory"). */
const REFUSAL_REASONS = [
  'connections',
  'permits',
  'places',
  'memory',
  'bulk-writes',
  'items',
  'streams',
];

/** Why a connection is closed before its response has been sent. */
const CUT_REASONS = ['unread', 'silent', 'idle', 'time'];

export interface ServiceMetricsOptions {
  readonly variant: string;
  readonly server: HttpServer;
  /** Absent if there are no event streams. */
  readonly events:
    | { readonly size: number; readonly historyBytes: number; readonly streamResets: number }
    | undefined;
  /** All mounts, and the commits of all lists that have been there. */
  readonly lists: { readonly mounts: readonly Mount[]; readonly commits: number };
}

/** The metrics of items, memory and event streams, of all lists together. */
export function serviceMetrics(options: ServiceMetricsOptions): readonly string[] {
  const { variant, server, events, lists } = options;
  const info = { labels: { version: VERSION, variant }, value: 1 };
  const all = lists.mounts.map(({ list: { items, rowJson } }) => {
    const { size, bytes } = items.table;
    return { rows: bytes, count: size, cache: rowJson.bytes };
  });
  const sum = (part: keyof (typeof all)[number]) =>
    all.reduce((total, list) => total + list[part], 0);
  const memory = {
    rows: sum('rows'),
    cache: sum('cache'),
    history: events?.historyBytes ?? 0,
  };
  const byPart = Object.entries(memory).map(([part, value]) => ({ labels: { part }, value }));
  return [
    gauge('todo_service_info', 'The version and the variant of this service.', [info]),
    gauge('todo_rows', 'Items stored.', sum('count')),
    gauge('todo_bytes', 'Counted memory, by use.', byPart),
    counter('todo_commits_total', 'Transactions that changed something.', lists.commits),
    gauge('todo_open_connections', 'Open connections of clients.', server.openConnections),
    gauge('todo_event_streams', 'Open event streams.', events?.size ?? 0),
    counter(
      'todo_event_streams_reset_total',
      'Event streams that were sent reset because they lacked events.',
      events?.streamResets ?? 0,
    ),
    counter(
      'todo_requests_refused_total',
      'Requests refused because something is used up.',
      byReason(server.refusals, REFUSAL_REASONS),
    ),
    counter(
      'todo_connections_cut_total',
      'Connections closed without the whole response.',
      byReason(server.cuts, CUT_REASONS),
    ),
  ];
}

/** The samples of a counter. Each reason has one from the start, so that its first increase counts. */
function byReason(counts: ReasonCounter, reasons: readonly string[]): readonly Sample[] {
  return reasons.map((reason) => ({ labels: { reason }, value: counts.count(reason) }));
}
