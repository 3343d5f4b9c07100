import type { AddressInfo } from 'node:net';
import { ADMIN_PREFIX, adminRoutes } from './admin/routes.ts';
import type { AppOptions } from './app-options.ts';
import { sleep } from './clock.ts';
import type { Middleware } from './http/core/handler.ts';
import { EventHub } from './http/events/event-hub.ts';
import { accessLog } from './http/middleware/access-log.ts';
import { bearer } from './http/middleware/bearer.ts';
import { cors } from './http/middleware/cors.ts';
import { Faults } from './http/middleware/faults.ts';
import { HttpMetrics } from './http/middleware/http-metrics.ts';
import { requestId } from './http/middleware/request-id.ts';
import { healthRoutes } from './http/routing/health.ts';
import type { DescribedRoute } from './http/routing/operation.ts';
import { HttpServer } from './http/server/server.ts';
import { describeError } from './log.ts';
import type { Metric } from './metrics/exposition.ts';
import { httpMetrics } from './metrics/http.ts';
import { gauge, ProcessMetrics } from './metrics/process.ts';
import { metricsRoute } from './metrics/route.ts';
import { openApiRoute } from './openapi/route.ts';
import { pageRoute } from './page/route.ts';
import { RowTexts } from './resource/row-texts.ts';
import { serializerOf } from './resource/serializer.ts';
import { notReadyProblem, storeMetrics, withStoreProblems } from './store-problems.ts';
import { eventsRoute } from './todo/routes/events-route.ts';
import { itemRoutes } from './todo/routes/item-routes.ts';
import { listRoute } from './todo/routes/list-route.ts';
import { EntityTags } from './todo/store/entity-tags.ts';
import { Items } from './todo/store/items.ts';
import { limitSnapshots } from './todo/store/limit-snapshots.ts';
import { runId } from './todo/store/run-id.ts';
import type { SharedStore } from './todo/store/shared-store.ts';
import { MemoryStore } from './todo/store/store.ts';
import type { Variant } from './todo/variant.ts';
import { VERSION } from './version.ts';

const MIB = 1024 * 1024;

/** The service: its parts put together. A feature that is turned off is not there at all. */
export class App {
  readonly #server: HttpServer;
  readonly #items: Items;
  readonly #shared: SharedStore | undefined;
  readonly #events: EventHub;
  readonly #texts: RowTexts;

  /** @throws TableFullError if the seed does not fit the limits */
  constructor(variant: Variant, options: AppOptions = {}) {
    const { fields, api } = variant;
    const { cacheBytes = 8 * MIB, historyBytes = 4 * MIB, maxEventStreams = 1_000 } = options;
    const { openStore, seed = [] } = options;
    this.#items = new Items(fields, options.table, openStore ? [] : seed);
    const seedRows = () => new Items(fields, options.table, seed).table.search();
    if (openStore) seedRows();
    const shared = openStore?.(this.#items.table, seedRows);
    this.#shared = shared;
    const { maxBytes } = options.table ?? {};
    if (maxBytes !== undefined) {
      limitSnapshots(this.#items.table, maxBytes, {
        cutUnread: () => this.#server.clientMemory.cutLongestUnread(),
        shed: () => this.#server.shed(),
      });
    }
    const serialize = serializerOf(fields);
    this.#texts = new RowTexts(serialize, 'id', cacheBytes);
    const limits = { maxStreams: maxEventStreams, maxHistoryBytes: historyBytes };
    this.#events = new EventHub(runId(), limits, (work) => this.#server.run(work));

    const http = options.metrics ? new HttpMetrics() : undefined;
    const process = new ProcessMetrics();
    const faults = new Faults();
    const { adminToken = null, origins = null, accessLog: writeLine = null } = options;
    const items = this.#items;
    const store = shared ?? new MemoryStore(items.table);
    const tags = new EntityTags(store, items.table);
    const resource = { fields, api, items, store, tags, serialize, texts: this.#texts };
    const own: readonly DescribedRoute[] = [
      listRoute(resource, options.strictQuery ?? false),
      ...(maxEventStreams > 0 ? [eventsRoute(resource, this.#events, shared)] : []),
      ...itemRoutes(resource),
      ...healthRoutes(() => this.#server.draining, shared && (() => notReadyProblem(shared))),
      ...(http
        ? [metricsRoute(() => [...httpMetrics(http), ...this.#metrics(), ...process.read()])]
        : []),
      ...(adminToken === null ? [] : adminRoutes(() => this.reset(), faults)),
    ];
    const routes = shared ? withStoreProblems(own, api.collection) : own;
    const info = {
      title: `Todo service, variant ${variant.name.toUpperCase()}`,
      version: VERSION,
      hasFaults: adminToken !== null,
    };
    const page = pageRoute(info, () => all);
    const all = [...routes, page, openApiRoute(info, [...routes, page])];
    // The first one is the outermost.
    const middleware: readonly Middleware[] = [
      requestId,
      ...(writeLine === null ? [] : [accessLog(writeLine)]),
      ...(http ? [http.middleware] : []),
      ...(origins === null
        ? []
        : [cors(origins, ({ path }) => adminToken === null || !path.startsWith(ADMIN_PREFIX))]),
      ...(adminToken === null ? [] : [bearer(ADMIN_PREFIX, adminToken), faults.middleware]),
    ];
    const { log = () => {} } = options;
    this.#server = new HttpServer({
      routes: all,
      middleware,
      settings: options.http ?? {},
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

  /** Goes back to the seed in one commit; ids start again. */
  async reset(): Promise<void> {
    if (this.#shared) await this.#shared.reset();
    else await this.#items.reset((work) => this.#server.run(work));
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
    this.#shared?.close();
    return inTime;
  }

  #metrics(): readonly Metric[] {
    const { rows, bytes } = this.#items.table.stats();
    const parts = {
      rows: bytes.rows,
      snapshots: bytes.snapshots,
      indexes: bytes.indexes,
      cache: this.#texts.bytes,
      history: this.#events.bytes,
      clients: this.#server.clientMemory.total,
    };
    return [
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
        samples: [{ value: this.#items.table.version }],
      },
      ...(this.#shared ? storeMetrics(this.#shared) : []),
      gauge('todo_event_streams', 'Open event streams.', this.#events.size),
    ];
  }
}
