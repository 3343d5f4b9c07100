import type { AddressInfo } from 'node:net';
import { sleep } from '../lib/clock.ts';
import { Config, ConfigError, orConfigError } from '../lib/config/index.ts';
import {
  HttpServer,
  type HttpSettings,
  type Request,
  type RequestHooks,
} from '../lib/http/index.ts';
import { describeError, type Log } from '../lib/log.ts';
import { createMasks } from '../lib/masks.ts';
import { runToEnd } from '../lib/steps.ts';
import type { TableOptions } from '../lib/table/index.ts';
import type { KnownPaths } from './admin/request-matching.ts';
import { CORS_SETTINGS, cors } from './cors.ts';
import { ItemEvents } from './events/item-events.ts';
import type { Feature } from './feature.ts';
import { probes } from './health.ts';
import { watchHeap } from './heap-watch.ts';
import { ListSite, type Mount } from './items/item-list.ts';
import { ItemResource } from './items/item-resource.ts';
import { createRoutes } from './items/routes/create-routes.ts';
import { itemRoutes } from './items/routes/item-routes.ts';
import { listRoutes } from './items/routes/list-routes.ts';
import { SeedFile } from './items/seed-file.ts';
import { adminListRoutes } from './lists/admin-list-routes.ts';
import { Lists } from './lists/lists.ts';
import { Sites } from './lists/sites.ts';
import {
  HEAP_BUDGET,
  LONG_LIVED_BYTES,
  largestMaxBytes,
  maxStreamsOf,
  nearlyFullBytes,
} from './memory-plan.ts';
import { accessLog } from './observe/access-log.ts';
import { metrics } from './observe/metrics-route.ts';
import { apiDocument } from './openapi/document.ts';
import type { DescribedRoute } from './operation.ts';
import { page } from './page/page-route.ts';
import { createPathHint } from './path-hints.ts';
import { PROBLEM_TYPE_PREFIX } from './problem-types.ts';
import type { Definition } from './resource/definition.ts';
import { rulesOf } from './resource/definition.ts';
import { configuredDefinition } from './settings/configured-definition.ts';
import { localHosts } from './settings/hosts.ts';
import { PROCESS_SETTINGS } from './settings/process-settings.ts';
import { ITEM_SETTINGS } from './settings/service-settings.ts';
import { Items, type SeedItems } from './store/items.ts';
import { memoryStore } from './store/memory-store.ts';
import { storeFullProblem } from './store/store-full.ts';
import { type TestFeatureOptions, testFeatures } from './test-features.ts';
import { VERSION } from './version.ts';

/** The options of a service. */
export interface AppOptions extends TestFeatureOptions {
  readonly config?: Config;
  /** The definition of the items, if it is another one than the settings name. */
  readonly definition?: Definition | undefined;
  /** Overrides settings of the table, for tests. */
  readonly table?: TableOptions;
  /** Overrides settings of the server, for tests and the package. */
  readonly http?: Partial<HttpSettings>;
  /** Overrides the memory for events that streams can continue from, for tests. */
  readonly historyBytes?: number;
  /** Shares the list at the base path with other processes. Returns a function that adapts routes. */
  readonly share?:
    | ((lists: Lists, server: HttpServer) => (route: DescribedRoute) => DescribedRoute)
    | undefined;
  /** The items to start with and to reset to. */
  readonly seed?: SeedItems;
  /** The file of these items, which each reset reads again. */
  readonly seedFile?: SeedFile;
  /** Whether the heap is the service's own, so that requests end when it is nearly full. */
  readonly ownsHeap?: boolean;
  /** Receives log entries, such as unexpected errors, and requests if settings say so. */
  readonly log?: Log;
}

/** The parts of a service that test suites control. */
export interface TestControl {
  readonly lists: Lists;
  readonly server: HttpServer;
  /** For the shapes of faults and filters. */
  readonly paths: KnownPaths;
}

/** The maximum memory of the journal of the list at the base path, in bytes. */
const JOURNAL_BYTES = 1024 * 1024;

/** The name of the list of a request; undefined at the base path. */
function listNameOf(request: Request): string | undefined {
  return ListSite.of(request).mount.name || undefined;
}

/** The service: its parts put together. */
export class App {
  /** The mount of the list at the base path. */
  readonly base: Mount;
  readonly control: TestControl;
  readonly siteOf: Sites['siteOf'];
  readonly #server: HttpServer;

  /**
   * @throws TableFullError if the seed does not fit, InvalidInputError of `FAULTS`, ConfigError if the
   * token is invalid or the lists of `LISTS` do not fit
   */
  constructor(definition: Definition, options: AppOptions = {}) {
    const { config = new Config(), log, seed = [], seedFile } = options;
    const settings = config.of({ ...PROCESS_SETTINGS, ...ITEM_SETTINGS });
    const { basePath, maxEventStreams } = settings;
    const { collection } = definition.api;
    const limits = { maxRows: settings.maxRows, maxBytes: settings.maxBytes, ...options.table };

    // Pages of other origins may call the service.
    const crossOrigin = cors(config.of(CORS_SETTINGS), log);
    /** The request fields on which any response may depend. */
    const vary = [crossOrigin?.vary ?? [], settings.listsByHeader ? 'Baggage' : []].flat();

    const maxConnections = HEAP_BUDGET.maxConnections(settings.maxHeaderBytes);

    // The server, which also runs long work of the other parts.
    const server = new HttpServer({
      settings: {
        permits: HEAP_BUDGET.permits,
        places: HEAP_BUDGET.places,
        maxConnections,
        maxHeaderBytes: settings.maxHeaderBytes,
        keepAliveTimeout: settings.keepAliveTimeoutMs,
        ...options.http,
      },
      problemTypes: PROBLEM_TYPE_PREFIX,
      localHosts: localHosts(settings.allowedHosts, log),
      vary: vary.join(', ') || undefined,
      problemOf: (error) => storeFullProblem(error),
      onUnexpectedError: (error, { method, target, id: requestId, traceId }) => {
        const logFields = { method, target, requestId, traceId, ...describeError(error) };
        log?.('error', 'request failed', logFields);
      },
      onRefusals: (reason, count) => log?.('warn', 'requests refused', { reason, count }),
      onCuts: (reason, count) => log?.('warn', 'connections cut', { reason, count }),
    });

    // The items of the first list, and their routes.
    const { columns } = definition;
    const items = new Items(definition.fields, { ...limits, columns });
    runToEnd(items.fill(seed));
    const resource = new ItemResource(definition, settings.strict);
    const itemFeature = {
      routes: [...listRoutes(resource), ...createRoutes(resource), ...itemRoutes(resource)],
    };

    // Event streams, the page with the index at `/`, and the API document, which has all routes.
    const maxStreams = Math.min(maxEventStreams, maxStreamsOf(maxConnections));
    const events = maxStreams > 0 ? new ItemEvents(resource, maxStreams) : undefined;
    const info = { title: definition.title, version: VERSION };
    const needsList = settings.listsByHeader === 'required';
    const pageOptions = { basePath, maxSeedBytes: HEAP_BUDGET.maxSeedBytes, needsList };
    const pageFeature = page(info, definition, pageOptions, events?.path, () => lists.publicNames);
    const document = apiDocument(info);

    // The controls for test suites: faults and a journal of requests for these parts, and lists.
    const matchable = [itemFeature, events, pageFeature, document];
    const isPublic = ({ operation }: DescribedRoute) => !operation.needsToken;
    const routes = matchable.flatMap((part) => part?.routes ?? []).filter(isPublic);
    const paths = { basePath, collection, routes };
    const masks = createMasks(Object.keys(definition.fields));
    const forTests = testFeatures(config, paths, masks, options);
    const hasToken = forTests.access !== undefined;
    if (needsList && !hasToken && !options.isInProcess && settings.lists.length === 0) {
      const cure = 'set LISTS, or ADMIN_TOKEN for PUT /admin/lists/NAME';
      throw new ConfigError(`${config.nameOf('listsByHeader')} needs lists with names; ${cure}`);
    }
    const lists = new Lists(
      {
        server,
        resource,
        basePath,
        limits,
        budget: {
          items: limits.maxBytes,
          cache: HEAP_BUDGET.cacheBytes,
          history: options.historyBytes ?? HEAP_BUDGET.historyBytes,
          journal: JOURNAL_BYTES,
        },
        seed,
        seedFile,
        features: [forTests.journal, forTests.faults].flatMap((feature) => feature ?? []),
        streams: events,
      },
      memoryStore(items),
    );
    const adaptRoute = options.share?.(lists, server) ?? ((route: DescribedRoute) => route);
    const listControl = { routes: adminListRoutes(lists, resource) };

    // The parts for operators.
    const health = probes(() => server.draining);
    const measured = { variant: definition.name, server, events, lists };

    // Requests pass in this order, responses in reverse.
    const features: readonly Feature[] = [
      log && settings.accessLog
        ? accessLog((line) => log('info', 'request', line), listNameOf, masks)
        : undefined,
      settings.metrics ? metrics(measured) : undefined,
      crossOrigin,
      forTests.access,
      forTests.journal,
      forTests.faults,
      itemFeature,
      events,
      health,
      pageFeature,
      document,
      listControl,
    ].flatMap((feature) => feature ?? []);
    const sites = new Sites(lists, {
      routes: features
        .flatMap((feature) => feature.routes ?? [])
        .filter((route) => hasToken || isPublic(route))
        .map(adaptRoute),
      events: events?.path,
      hasToken,
      byHeader: settings.listsByHeader,
      itemsTag: definition.api.items,
    });
    const hintOn = createPathHint(collection, hasToken, basePath);
    const preflights: RequestHooks = {
      // A page has to get past a preflight to read its 404.
      grantPreflight: (request) =>
        crossOrigin?.grants(request) ? sites.optionsOf(request) : undefined,
    };
    server.serve({
      siteOf: sites.siteOf,
      hooks: [...features, preflights],
      pathHint: (request) => sites.pathHint(request) ?? hintOn(request),
    });
    const listsSubject = `${config.nameOf('lists')} does not fit`;
    orConfigError(listsSubject, () => lists.start(settings.lists));

    if (options.ownsHeap) {
      watchHeap(nearlyFullBytes(LONG_LIVED_BYTES, limits.maxBytes), () => server.endOlderHalf());
    }

    this.base = lists.base;
    this.siteOf = sites.siteOf;
    this.control = { lists, server, paths };
    this.#server = server;
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
    this.control.lists.stop();
    return this.#server.drain(deadlineMs);
  }
}

/**
 * Creates the service that the settings describe. The options cover what settings cannot express.
 * @returns a promise, rejected with an InvalidInputError if a resource, seed file or FAULTS cannot be used,
 * with a ConfigError if settings do not fit together, with a TableFullError if a seed does not fit
 */
export async function configuredApp(
  config: Config,
  options: Omit<AppOptions, 'config'> = {},
): Promise<App> {
  const { maxBytes: wanted, strict, seedFile: path } = config.of(ITEM_SETTINGS);
  const { definition = configuredDefinition(config) } = options;
  const maxBytes = options.ownsHeap ? Math.min(wanted, largestMaxBytes(LONG_LIVED_BYTES)) : wanted;
  if (maxBytes < wanted) {
    options.log?.('warn', 'MAX_BYTES is too large for the heap, and was lowered', { maxBytes });
  }
  const seedFile = path === null ? undefined : new SeedFile(path, maxBytes);
  const ofFile = () => seedFile && runToEnd(seedFile.read(rulesOf(definition, strict)));
  const { seed = ofFile() ?? [] } = options;
  try {
    const table = { maxBytes, ...options.table };
    return new App(definition, { ...options, config, table, seed, ...(seedFile && { seedFile }) });
  } catch (error) {
    throw seedFile?.tooLarge(error) ?? error;
  }
}
