import { healthRoutes } from './http/health.ts';
import { HttpServer } from './http/server.ts';
import type { HttpSettings } from './http/settings.ts';
import { describeError, log } from './log.ts';
import { openApiRoute } from './openapi/route.ts';
import type { TableOptions } from './table/table.ts';
import type { Variant } from './todo/fields.ts';
import { todoRoutes } from './todo/routes.ts';
import { TodoService } from './todo/service.ts';

/** Puts the parts of the service together. It listens once it is told to. */
export function createApp(
  variant: Variant,
  options: TableOptions = {},
  settings: Partial<HttpSettings> = {},
): HttpServer {
  const service = new TodoService(variant.fields, options);
  const server: HttpServer = new HttpServer({
    routes: [
      ...todoRoutes(variant.fields, service),
      ...healthRoutes(() => server.draining),
      openApiRoute(variant),
    ],
    settings,
    onFault: (error, request) =>
      log('error', 'request failed', { ...request, ...describeError(error) }),
  });
  return server;
}
