import type { AddressInfo } from 'node:net';
import type { AppOptions } from './app-options.ts';
import { sleep } from './clock.ts';
import { Config } from './config/config.ts';
import type { Feature } from './features/feature.ts';
import { gauge, type Metric } from './features/metrics/exposition.ts';
import { FEATURES } from './features.ts';
import type { Problem } from './http/core/problem.ts';
import { EventHub } from './http/events/event-hub.ts';
import { requestId } from './http/request/correlation.ts';
import { healthRoutes } from './http/routing/health.ts';
import type { DescribedRoute } from './http/routing/operation.ts';
import { HttpServer } from './http/server/server.ts';
import { describeError } from './log.ts';
import { openApiRoutes } from './openapi/route.ts';
import { RowTexts } from './resource/row-texts.ts';
import { serializerOf } from './resource/serializer.ts';
import { storeMetrics } from './store-metrics.ts';
import { STORE_FULL, storeProblem } from './todo/problems.ts';
import { resetTo } from './todo/reset.ts';
import { eventsRoute } from './todo/routes/events-route.ts';
import { itemRoutes } from './todo/routes/item-routes.ts';
import { listRoutes } from './todo/routes/list-routes.ts';
import { HEAP_BUDGET, ITEM_SETTINGS } from './todo/settings.ts';
import { EntityTags } from './todo/store/entity-tags.ts';
import { Items } from './todo/store/items.ts';
import { limitSnapshots } from './todo/store/limit-snapshots.ts';
import { MemoryStore } from './todo/store/memory-store.ts';
import type { Store } from './todo/store/store.ts';
import type { Variant } from './todo/variant.ts';
import { VERSION } from './version.ts';
import { pageRoute } from './web-page/route.ts';

/** The service: its parts put together. */
export class App {
  readonly #server: HttpServer;
  readonly #items: Items;
  readonly #store: Store;
  readonly #events: EventHub;
  readonly #texts: RowTexts;
  readonly #features: readonly Feature[];

  /** @throws TableFullError if the seed does not fit the limits */
  constructor(variant: Variant, options: AppOptions = {}) {
    const { fields, api } = variant;
    const { config = new Config(), log = () => {}, writeAccessLog, seed } = options;
    const { openStore = (items, run) => new MemoryStore(items, run) } = options;
    const { cacheBytes, historyBytes, maxClientBytes } = { ...HEAP_BUDGET, ...options };
    const { maxRows, maxBytes, maxEventStreams, strictQuery } = config.of(ITEM_SETTINGS);
    const limits = { maxRows, maxBytes, ...options.table };
    this.#items = new Items(fields, limits, seed);
    const store = openStore(this.#items, (steps) => this.#server.run(steps));
    this.#store = store;
    limitSnapshots(this.#items.table, limits.maxBytes, {
      disconnectUnread: () => this.#server.clientMemory.disconnectLongestUnread(),
      shed: () => this.#server.shed(),
    });
    const serialize = serializerOf(fields);
    this.#texts = new RowTexts(serialize, 'id', cacheBytes);
    const streams = { maxStreams: maxEventStreams, maxHistoryBytes: historyBytes };
    this.#events = new EventHub(
      (number) => store.historyOf(number),
      streams,
      (work) => this.#server.run(work),
    );
    const tags = new EntityTags(store, this.#items.table);
    const resource = {
      fields,
      api,
      items: this.#items,
      store,
      tags,
      serialize,
      texts: this.#texts,
    };
    this.#features = FEATURES.flatMap(
      ({ start }) =>
        start(config, {
          log,
          writeAccessLog,
          metrics: () => this.#metrics(variant),
          reset: (seed) => resetTo(store, fields, seed),
          resetProblems: [STORE_FULL, ...store.problems.ofWrites],
          onReset: (callback) =>
            this.#items.table.onCommit(({ isReplacement }) => isReplacement && callback()),
          cutStreams: () => this.#events.endOpen(),
          onControl: options.onControl,
        }) ?? [],
    );
    const routes: readonly DescribedRoute[] = [
      ...replacing(api.routes?.(resource) ?? [], [
        ...listRoutes(resource, strictQuery),
        ...(maxEventStreams > 0 ? [eventsRoute(resource, this.#events)] : []),
        ...itemRoutes(resource),
      ]),
      ...healthRoutes(
        () => this.#server.draining,
        () => notReady(store),
        store.problems.ofReads,
      ),
      ...this.#features.flatMap(({ routes = [] }) => routes),
    ];
    const info = {
      title: `Todo service, variant ${variant.name.toUpperCase()}`,
      version: VERSION,
      problemsOf: (route: DescribedRoute) =>
        this.#features.flatMap(({ problemsOf }) => problemsOf?.(route) ?? []),
    };
    const page: readonly DescribedRoute[] =
      api.hasPage === false ? [] : [pageRoute(info, () => all)];
    const all: readonly DescribedRoute[] = [
      ...routes,
      ...page,
      ...openApiRoutes(info, [...routes, ...page]),
    ];
    this.#server = new HttpServer({
      routes: all,
      middleware: [requestId, ...this.#features.flatMap(({ middleware = [] }) => middleware)],
      settings: { maxClientBytes, ...options.http },
      onUnexpectedError: (error, { id: requestId, traceId, method, target }) =>
        log('error', 'request failed', {
          ...{ method, target, requestId, traceId },
          ...describeError(error),
        }),
    });
  }

  /**
   * Starts listening.
   * @param host the address to listen on; undefined means all interfaces
   * @returns a promise of the address, rejected with Node's system error if it cannot be bound
   */
  listen(port: number, host?: string): Promise<AddressInfo> {
    return this.#server.listen(port, host);
  }

  /** Whether it has been told to stop. */
  get isStopping(): boolean {
    return this.#server.draining;
  }

  /**
   * Stops gracefully: reports that it is not ready, goes on serving for a while, then finishes the
   * requests in flight. Times are in milliseconds.
   * @param delayMs how long it goes on serving, so that a balancer can notice
   * @param deadlineMs how long requests in flight may take after that
   * @returns whether all of them finished in time
   */
  async stop(deadlineMs: number, delayMs = 0): Promise<boolean> {
    this.#server.startDraining();
    if (delayMs > 0) await sleep(delayMs);
    this.#events.end();
    const inTime = await this.#server.drain(deadlineMs);
    this.#store.close();
    return inTime;
  }

  #metrics({ name }: Variant): readonly Metric[] {
    const { rows, bytes } = this.#items.table.stats();
    const { stats, notReadyReason } = this.#store;
    const isReady = !this.#server.draining && notReadyReason === undefined;
    const parts = {
      rows: bytes.rows,
      snapshots: bytes.snapshots,
      indexes: bytes.indexes,
      cache: this.#texts.bytes,
      history: this.#events.bytes,
      clients: this.#server.clientMemory.total,
    };
    return [
      {
        name: 'todo_service_info',
        type: 'gauge',
        help: 'The version and the variant of this service.',
        samples: [{ labels: { version: VERSION, variant: name }, value: 1 }],
      },
      gauge('todo_rows', 'Items stored.', rows),
      {
        name: 'todo_bytes',
        type: 'gauge',
        help: 'Counted memory, by use.',
        samples: Object.entries(parts).map(([part, value]) => ({ labels: { part }, value })),
      },
      {
        name: 'todo_commits_total',
        type: 'counter',
        help: 'Transactions that changed something.',
        samples: [{ value: this.#items.table.commits }],
      },
      ...(stats ? storeMetrics(stats, isReady) : []),
      gauge('todo_event_streams', 'Open event streams.', this.#events.size),
      ...this.#features.flatMap(({ metrics }) => metrics?.() ?? []),
    ];
  }
}

/** Adds routes to others: each takes the place of the one with its method and path. */
function replacing(added: readonly DescribedRoute[], routes: readonly DescribedRoute[]) {
  const all = new Map<string, DescribedRoute>();
  for (const route of [...routes, ...added]) all.set(`${route.method} ${route.path}`, route);
  return all.values();
}

function notReady({ notReadyReason }: Store): Problem | undefined {
  if (notReadyReason === undefined) return undefined;
  return storeProblem('store-unavailable', notReadyReason);
}
