import type { Feature } from './features/feature.ts';
import type { EventHub } from './http/events/event-hub.ts';
import { healthRoutes } from './http/routing/health.ts';
import type { DescribedRoute } from './http/routing/operation.ts';
import type { HttpServer } from './http/server/server.ts';
import { openApiRoutes } from './openapi/route.ts';
import { storeProblem } from './todo/problems.ts';
import { eventsRoute } from './todo/routes/events-route.ts';
import type { ItemResource } from './todo/routes/item-resource.ts';
import { itemRoutes } from './todo/routes/item-routes.ts';
import { listRoutes } from './todo/routes/list-routes.ts';
import type { Variant } from './todo/variant.ts';
import { VERSION } from './version.ts';
import { pageRoute } from './web-page/route.ts';

/** What the routes of the service are made from. */
interface RouteParts {
  readonly variant: Variant;
  readonly resource: ItemResource;
  /** Whether unknown query parameters are refused. */
  readonly isStrict: boolean;
  /** Undefined if there are no event streams. */
  readonly events: EventHub | undefined;
  readonly features: readonly Feature[];
  readonly server: () => HttpServer;
}

/** All routes of the service: items, health, features, the page, and their document. */
export function serviceRoutes(parts: RouteParts): readonly DescribedRoute[] {
  const { variant, resource, events, features } = parts;
  const { api } = variant;
  const { store } = resource;
  const info = {
    title: `Todo service, variant ${variant.name.toUpperCase()}`,
    version: VERSION,
    problemsOf: (route: DescribedRoute) =>
      features.flatMap(({ problemsOf }) => problemsOf?.(route) ?? []),
  };
  const unready = () => {
    const { notReadyReason } = store;
    return notReadyReason === undefined
      ? undefined
      : storeProblem('store-unavailable', notReadyReason);
  };
  const described: readonly DescribedRoute[] = [
    ...replacing(api.routes?.(resource) ?? [], [
      ...listRoutes(resource, parts.isStrict),
      ...(events ? [eventsRoute(resource, events)] : []),
      ...itemRoutes(resource),
    ]),
    ...healthRoutes(() => parts.server().draining, unready, store.problems.ofReads),
    ...features.flatMap(({ routes = [] }) => routes),
    ...(api.hasPage === false ? [] : [pageRoute(info, () => all)]),
  ];
  const all = [...described, ...openApiRoutes(info, described)];
  return all;
}

/** Adds routes to others: each takes the place of the one with its method and path. */
function replacing(added: readonly DescribedRoute[], routes: readonly DescribedRoute[]) {
  const all = new Map<string, DescribedRoute>();
  for (const route of [...routes, ...added]) all.set(`${route.method} ${route.path}`, route);
  return all.values();
}
