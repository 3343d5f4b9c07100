import type { AddressInfo } from 'node:net';
import { sleep } from '../lib/clock.ts';
import { Config } from '../lib/config/index.ts';
import { allowedMethods, HttpServer, type HttpSettings, Site } from '../lib/http/index.ts';
import { describeError, type Log } from '../lib/log.ts';
import type { TableOptions } from '../lib/table/index.ts';
import { CORS_SETTINGS, cors, varyOf } from './cors.ts';
import { healthRoutes } from './health.ts';
import { limitSnapshots } from './limit-snapshots.ts';
import { HEAP_BUDGET } from './memory-plan.ts';
import { accessLog } from './observe/access-log.ts';
import { HttpMetrics } from './observe/http-metrics.ts';
import { metricsRoute } from './observe/metrics.ts';
import { serviceMetrics } from './observe/service-metrics.ts';
import { openApiRoute } from './openapi/document.ts';
import type { DescribedRoute } from './operation.ts';
import { pageRoute } from './page-route.ts';
import { createPathHint } from './path-hints.ts';
import { PROBLEM_TYPES } from './problem-types.ts';
import { localHosts } from './settings/hosts.ts';
import { PROCESS_SETTINGS } from './settings/process-settings.ts';
import { ITEM_SETTINGS } from './settings/settings.ts';
import { Items, type Run, type SeedItems } from './store/items.ts';
import { memoryStore } from './store/memory-store.ts';
import type { OpenStore, Store } from './store/store.ts';
import { TestControl } from './test-double/control.ts';
import { Resets } from './test-double/reset.ts';
import { adminRoutes } from './test-double/routes.ts';
import { bearer, tokenOf } from './test-double/token.ts';
import { rulesOf } from './todo/all-variants.ts';
import { ItemEvents } from './todo/item-events.ts';
import { ItemResource } from './todo/item-resource.ts';
import { pageItems } from './todo/page-items.ts';
import { eventsRoute } from './todo/routes/events-route.ts';
import { itemRoutes } from './todo/routes/item-routes.ts';
import { listRoutes } from './todo/routes/list-routes.ts';
import { SeedFile } from './todo/seed-file.ts';
import type { Variant } from './todo/variant.ts';
import { VERSION } from './version.ts';

/** The options of a service. */
export interface AppOptions {
  readonly config?: Config;
  /** Options of the table and of the server, which override settings; for tests. */
  readonly table?: TableOptions;
  readonly http?: Partial<HttpSettings>;
  readonly historyBytes?: number;
  /** Opens the store; by default, items are in memory. */
  readonly openStore?: OpenStore;
  /** The items to start with and to reset to. */
  readonly seed?: SeedItems;
  /** The file of these items, which each reset reads again. */
  readonly seedFile?: SeedFile;
  /** Receives log entries, such as unexpected errors, and requests if settings say so. */
  readonly log?: Log;
  /** Whether the program that runs the service in its process uses its `control`. */
  readonly isInProcess?: boolean;
}

/** The service: its parts put together. */
export class App {
  readonly control: TestControl;
  readonly #server: HttpServer;
  readonly #store: Store;
  readonly #events: ItemEvents;

  /** @throws TableFullError if the seed does not fit the limits, InvalidInputError of `FAULTS` */
  constructor(variant: Variant, options: AppOptions = {}) {
    const { config = new Config(), log, isInProcess = false } = options;
    const { cacheBytes, maxClientBytes } = HEAP_BUDGET;
    const { historyBytes = HEAP_BUDGET.historyBytes } = options;
    const settings = config.of({ ...PROCESS_SETTINGS, ...ITEM_SETTINGS, ...CORS_SETTINGS });
    const { basePath, maxEventStreams, strict, corsOrigins, faults } = settings;
    const limits = { maxRows: settings.maxRows, maxBytes: settings.maxBytes, ...options.table };
    const token = tokenOf(config);

    // The server, which also runs long work of the other parts.
    const server = new HttpServer({
      settings: {
        maxClientBytes,
        maxHeaderBytes: settings.maxHeaderBytes,
        keepAliveTimeout: settings.keepAliveTimeoutMs,
        ...options.http,
      },
      problemTypes: PROBLEM_TYPES,
      localHosts: localHosts(settings.allowedHosts, log),
      vary: varyOf(corsOrigins),
      onUnexpectedError: (error, { method, target, id: requestId, traceId }) => {
        const logFields = { method, target, requestId, traceId, ...describeError(error) };
        log?.('error', 'request failed', logFields);
      },
    });
    const run: Run = (steps) => server.scheduler.run(steps);

    // The items, their resets, and the events of their changes.
    const items = new Items(variant.fields, limits, options.seed);
    const store = (options.openStore ?? memoryStore)(items, run);
    limitSnapshots(items.table, limits.maxBytes, server.clients);
    const lastRequestNumber = () => server.lastRequestNumber;
    const { seedFile } = options;
    const resets = new Resets(store, rulesOf(variant, strict), { seedFile, lastRequestNumber });
    const resource = new ItemResource(variant, store, resets, cacheBytes, strict);
    const streams = { maxStreams: maxEventStreams, maxHistoryBytes: historyBytes };
    const events = new ItemEvents(resource, streams);

    // The routes of the items. Control, page and document hold this list. Others are added to it.
    const eventRoute = eventsRoute(resource, events);
    const routes: DescribedRoute[] = [
      ...listRoutes(resource),
      ...(maxEventStreams > 0 ? [eventRoute] : []),
      ...itemRoutes(resource),
    ];
    const collectionRoutes = routes.filter(({ path }) => path === variant.api.collection);

    // The control for test suites, which need the token, or run the service in their process.
    const control = new TestControl({
      basePath,
      collection: variant.api.collection,
      routes,
      resets,
      eventsPath: eventRoute.path,
      cutStreams: () => events.hub.endOpen(),
    });
    const access = token === null ? undefined : bearer(token);
    const hasControl = isInProcess || access !== undefined;

    // The metrics, and all other routes.
    const http = settings.metrics ? new HttpMetrics() : undefined;
    const readServiceMetrics = () => serviceMetrics(variant.name, resource, events, server);
    const title = `Todo service, variant ${variant.name.toUpperCase()}`;
    const eventsPath = maxEventStreams > 0 ? eventRoute.path : undefined;
    const info = { title, version: VERSION };
    routes.push(
      ...healthRoutes(() => server.draining, store.sharing),
      pageRoute(info, () => pageItems(variant, eventsPath), routes),
      openApiRoute(info, routes),
      ...(http ? [metricsRoute(() => [...http.read(), ...readServiceMetrics()])] : []),
      ...(access ? adminRoutes(control).map(access.guard) : []),
    );

    const crossOrigin = corsOrigins && cors(corsOrigins, allowedMethods(collectionRoutes), log);

    // Requests pass in this order, responses in reverse. The server makes a response of each error.
    const middleware = [
      ...(log && settings.accessLog ? [accessLog((line) => log('info', 'request', line))] : []),
      ...(http ? [http.middleware] : []),
      ...(crossOrigin ? [crossOrigin.share] : []),
      ...(access ? [access.middleware] : []),
      ...(hasControl || faults.length > 0 ? control.middleware(hasControl) : []),
      ...(crossOrigin ? [crossOrigin.grantUnknownPaths] : []),
    ];
    const routeSet = server.routeSet({
      routes,
      middleware,
      pathHint: createPathHint(variant.api.collection, token !== null),
      isServed: (request) => control.faults.mayHit(request),
    });
    const base = new Site(basePath, routeSet);
    server.serve(() => base);
    if (faults.length > 0) control.startWith(faults, config.nameOf('faults'));

    this.control = control;
    this.#server = server;
    this.#store = store;
    this.#events = events;
  }

  /**
   * Starts listening; `*` means all interfaces, `localhost` both loopback addresses. Rejected with
   * Node's system error.
   */
  listen(port: number, host: string): Promise<AddressInfo> {
    return this.#server.listen(port, host === '*' ? undefined : host);
  }

  /**
   * Stops: serves for `delayMs` more, so that a balancer notices that it is not ready. Then
   * finishes the requests in flight. @returns whether all finished within `deadlineMs`
   */
  async stop(deadlineMs: number, delayMs = 0): Promise<boolean> {
    this.#server.startDraining();
    if (delayMs > 0) await sleep(delayMs);
    this.#events.hub.end();
    this.control.stop();
    const inTime = await this.#server.drain(deadlineMs);
    this.#store.sharing?.close();
    return inTime;
  }
}

/**
 * Makes the service that the settings describe. The options cover what settings cannot express.
 * @returns a promise, rejected with an InvalidInputError if the seed file or FAULTS cannot be used,
 * with a ConfigError if settings do not fit together, with a TableFullError if a seed does not fit
 */
export async function configuredApp(
  config: Config,
  options: Omit<AppOptions, 'config'> = {},
): Promise<App> {
  const { variant, maxBytes, strict, seedFile: path } = config.of(ITEM_SETTINGS);
  const fileName = config.formatValue('seedFile');
  const seedFile = path === null ? undefined : new SeedFile({ path, fileName, maxBytes });
  const { seed = seedFile?.read(rulesOf(variant, strict)) ?? [] } = options;
  try {
    return new App(variant, { ...options, config, seed, ...(seedFile && { seedFile }) });
  } catch (error) {
    throw seedFile?.tooLarge(error) ?? error;
  }
}
