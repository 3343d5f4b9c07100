import type { AddressInfo } from 'node:net';
import { ADMIN_PREFIX, adminRoutes } from './admin/routes.ts';
import type { AppOptions } from './app-options.ts';
import { sleep } from './clock.ts';
import type { Middleware } from './http/core/handler.ts';
import { accessLog } from './http/middleware/access-log.ts';
import { bearer } from './http/middleware/bearer.ts';
import { conditional } from './http/middleware/conditional.ts';
import { cors } from './http/middleware/cors.ts';
import { Faults } from './http/middleware/faults.ts';
import { HttpMetrics } from './http/middleware/http-metrics.ts';
import { requestId } from './http/middleware/request-id.ts';
import { EventHub } from './http/response/event-hub.ts';
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
import { Representations } from './resource/representation.ts';
import { serializerOf } from './resource/serializer.ts';
import { notReadyProblem, storeMetrics, withStoreProblems } from './store-problems.ts';
import { eventsRoute } from './todo/events-route.ts';
import type { Variant } from './todo/fields.ts';
import { itemRoutes } from './todo/item-routes.ts';
import { limitSnapshots } from './todo/limit-snapshots.ts';
import { listRoute } from './todo/list-route.ts';
import { runId } from './todo/run-id.ts';
import type { SharedStore } from './todo/shared-store.ts';
import { MemoryStore } from './todo/store.ts';
import { Todos } from './todo/todos.ts';
import { VERSION } from './version.ts';

const MIB = 1024 * 1024;

/** The service: its parts put together. A feature that is turned off is not there at all. */
export class App {
  readonly #server: HttpServer;
  readonly #todos: Todos;
  readonly #shared: SharedStore | undefined;
  readonly #events: EventHub;
  readonly #representations: Representations;

  /** @throws TableFullError if the seed does not fit the limits */
  constructor(variant: Variant, options: AppOptions = {}) {
    const { fields } = variant;
    const { cacheBytes = 8 * MIB, historyBytes = 4 * MIB, maxEventStreams = 1_000 } = options;
    const { openStore, seed = [] } = options;
    this.#todos = new Todos(fields, options.table, openStore ? [] : seed);
    const seedRows = () => new Todos(fields, options.table, seed).all;
    if (openStore) seedRows();
    const shared = openStore?.(this.#todos.table, seedRows);
    this.#shared = shared;
    const { maxBytes } = options.table ?? {};
    if (maxBytes !== undefined) {
      limitSnapshots(this.#todos, maxBytes, {
        cutUnread: () => this.#server.heldMemory.cutLongestUnread(),
        shed: () => this.#server.shed(),
      });
    }
    this.#representations = new Representations(serializerOf(fields), 'id', cacheBytes);
    const limits = { maxStreams: maxEventStreams, maxHistoryBytes: historyBytes };
    this.#events = new EventHub(runId(), limits, (work) => this.#server.run(work));

    const http = options.metrics ? new HttpMetrics() : undefined;
    const process = new ProcessMetrics();
    const faults = new Faults();
    const { adminToken = null, origins = null, accessLog: writeLine = null } = options;
    const todos = this.#todos;
    const store = shared ?? new MemoryStore(todos);
    const resource = { fields, todos, store, representations: this.#representations };
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
    const routes = shared ? withStoreProblems(own) : own;
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
      conditional,
    ];
    const { log = () => {} } = options;
    this.#server = new HttpServer({
      routes: all,
      middleware,
      settings: options.http ?? {},
      onFault: (error, { id: requestId, traceId, method, target }) =>
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
    else await this.#todos.reset((work) => this.#server.run(work));
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
    const { rows, bytes } = this.#todos.stats;
    const parts = {
      rows: bytes.rows,
      texts: bytes.texts,
      snapshots: bytes.snapshots,
      indexes: Object.values(bytes.indexes).reduce((sum, size) => sum + size, 0),
      cache: this.#representations.bytes,
      history: this.#events.bytes,
      clients: this.#server.heldMemory.total,
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
        samples: [{ value: this.#todos.version }],
      },
      ...(this.#shared ? storeMetrics(this.#shared, this.#server.draining) : []),
      gauge('todo_event_streams', 'Open event streams.', this.#events.size),
    ];
  }
}
