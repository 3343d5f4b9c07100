import type { BasePath, Handler, Middleware, Request, Route } from '../messages/request.ts';
import { NO_RESPONSE } from '../messages/response.ts';
import { Router } from './router.ts';

/** Routes, and what is around them. */
export interface RouteSetOptions<R extends Route = Route> {
  readonly routes: readonly R[];
  /** The outermost first. It wraps refusals, too. */
  readonly middleware?: readonly Middleware[];
  /** Checks every request, also for an unknown path, before its content is read. @throws Problem */
  readonly checkFirst?: ((request: Request) => void) | undefined;
  /**
   * Returns the end of the error sentence for an unknown path without a similar route.
   * @throws Problem to respond with instead
   */
  readonly pathHint?: ((request: Request) => string) | undefined;
  /**
   * Whether middleware, such as an injected fault, may respond to a request without a route. Its
   * content is then read.
   */
  readonly mayBeServed?: ((request: Request) => boolean) | undefined;
}

/** A set of routes that any number of sites share. `HttpServer.routeSet` makes it. */
export interface RouteSet<R extends Route = Route> extends RouteSetOptions<R> {
  readonly router: Router;
  /** The middleware around the handlers of the routes. */
  readonly handler: Handler;
}

/**
 * A path prefix with the routes below it. A request belongs to the site that its path has when it is
 * taken up: when its header section has arrived and the previous response of its connection has
 * been sent. A subclass can hold what its requests read and write.
 */
export class Site implements BasePath {
  readonly basePath: string;
  readonly routeSet: RouteSet;
  /** The number of requests taken up that have not ended. */
  requests = 0;

  constructor(basePath: string, routeSet: RouteSet) {
    this.basePath = basePath;
    this.routeSet = routeSet;
  }

  /** The memory that only its requests hold, in bytes. */
  get heldBytes(): number {
    return 0;
  }

  /** The part of `heldBytes` that counts as memory of one of its requests. */
  get heldBytesPerRequest(): number {
    return this.requests > 0 ? this.heldBytes / this.requests : 0;
  }

  /** Event: it has taken up a request. */
  enter(): void {
    this.requests++;
  }

  /** Event: a request has ended. */
  leave(): void {
    this.requests--;
  }
}

/** The site of requests that have not been taken up. */
export const NO_SITE = new Site('', {
  routes: [],
  router: new Router([]),
  handler: () => NO_RESPONSE,
});
