import type { HttpServer } from '../lib/http/index.ts';
import { byteString, concatBytes } from '../lib/json/index.ts';
import { ListSite } from '../service/items/item-list.ts';
import type { DescribedRoute } from '../service/operation.ts';
import { serviceProblem } from '../service/problem-types.ts';
import { ADMIN, METRICS, READYZ } from '../service/reserved-paths.ts';
import { replicaMetrics } from './metrics.ts';
import type { ReplicaStore } from './replica-store.ts';

const NOT_SUPPORTED = serviceProblem(
  'not-supported',
  'With STORE=etcd there is one list, at the base path',
);

/**
 * Returns a function that adapts each route of a service to a list that replicas share: reads wait
 * for all acknowledged writes, lists cannot have names, and health and metrics cover the store.
 * @param itemsTag the tag of the routes of items
 */
export function sharedRoutes(
  store: ReplicaStore,
  server: Pick<HttpServer, 'draining'>,
  itemsTag: string,
) {
  return (route: DescribedRoute): DescribedRoute => {
    const { method, path, operation } = route;
    if (path.startsWith(`${ADMIN}/lists`)) return refused(route);
    if (path === READYZ) return readiness(route, store);
    if (path === METRICS) return metrics(route, store, server);
    if (operation.tag.name !== itemsTag) return route;
    return method === 'GET' ? read(route, store) : write(route);
  };
}

function refused(route: DescribedRoute): DescribedRoute {
  const refuse = () => {
    throw NOT_SUPPORTED;
  };
  return { ...route, operation: { ...route.operation, errors: [409] }, handle: refuse };
}

function readiness(route: DescribedRoute, store: ReplicaStore): DescribedRoute {
  return {
    ...route,
    handle: (request) => {
      const response = route.handle(request);
      const { problem } = store;
      if (problem !== undefined) throw problem;
      return response;
    },
  };
}

function metrics(
  route: DescribedRoute,
  store: ReplicaStore,
  server: Pick<HttpServer, 'draining'>,
): DescribedRoute {
  return {
    ...route,
    handle: async (request) => {
      const response = await route.handle(request);
      const { content } = response;
      if (typeof content !== 'string') return response;
      const isReady = !server.draining && store.problem === undefined;
      const lines = replicaMetrics(store.stats, isReady).join('');
      return { ...response, content: concatBytes(content, byteString(lines)) };
    },
  };
}

function read(route: DescribedRoute, store: ReplicaStore): DescribedRoute {
  return {
    ...route,
    handle: async (request) => {
      const site = ListSite.of(request);
      const isStream = site.held === undefined;
      try {
        await store.catchUp();
      } catch (error) {
        // Browsers do not connect again after a 503, and a stream gets its events when etcd is back.
        if (!isStream || !store.isLoaded) throw error;
      }
      // The items may have been loaded again meanwhile, which has mounted another list.
      if (!isStream) site.held = site.mount.list;
      return route.handle(request);
    },
  };
}

function write(route: DescribedRoute): DescribedRoute {
  return {
    ...route,
    handle: (request) => {
      // Its commit may be made to the items of a later list, so it needs none.
      ListSite.of(request).held = undefined;
      return route.handle(request);
    },
  };
}
