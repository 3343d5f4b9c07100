import { clock } from '../../clock.ts';
import { didYouMean } from '../../nearest.ts';
import type { Awaitable } from '../../steps.ts';
import { overloaded, Problem } from '../messages/problem.ts';
import type { Handler, Request, Route } from '../messages/request.ts';
import {
  mapResponse,
  NO_RESPONSE,
  NO_STORE,
  type Response,
  withHeaders,
} from '../messages/response.ts';
import { queryOf } from '../messages/target.ts';
import {
  checkAccept,
  checkContentLength,
  checkContentType,
  checkFraming,
  contentTooLarge,
  MAX_CONTENT_BYTES,
} from '../request/header-section.ts';
import { createHostCheck, type LocalHosts } from '../request/host.ts';
import { checkedIfRead, checkIfMatch, isReadMethod } from '../request/preconditions.ts';
import { BASE_ROUTE, Router } from '../routing/router.ts';
import { NO_SITE, type RouteSet, type RouteSetOptions, type Site } from '../routing/site.ts';
import type { Connection } from './connection.ts';
import type { Capacity, Exchange } from './exchange.ts';
import { ClientGoneError } from './scheduler.ts';
import type { Sender } from './sender.ts';

/** Content up to this size, and a query, are parsed in a fifth of a millisecond at most. */
const SHORT_BYTES = 4 * 1024;
const SHORT_TARGET = 1024;

/** The longest path that `detail` repeats, in UTF-16 units. `instance` contains any path. */
const MAX_SHOWN_PATH = 200;

/** Options of a server for the requests that it serves. */
export interface DispatcherOptions {
  /** The prefix of the URIs of problem types. */
  readonly problemTypes?: string | undefined;
  /** Returns the problem of an error that parts of the service throw; undefined for any other. */
  readonly problemOf?: (error: unknown) => Problem | undefined;
  readonly onUnexpectedError: (error: unknown, request: Request) => void;
  /** The allowed `Host` names, if only loopback addresses are bound. By default, any. */
  readonly localHosts?: LocalHosts | undefined;
}

/** The paths of a set of routes, and the hint on other paths. */
type Paths = Pick<RouteSet, 'router' | 'pathHint'>;

/** Checks each request after its header section, calls its handler, and sends the response. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #sender: Sender;
  readonly #capacity: Capacity;
  /** Returns the site of a path. */
  siteOf: (path: string) => Site = () => NO_SITE;
  #checkHost = createHostCheck();
  /** Requests that wait for their handler. */
  #held: Map<Exchange, Connection> | undefined;

  constructor(options: DispatcherOptions, sender: Sender, capacity: Capacity) {
    this.#options = options;
    this.#sender = sender;
    this.#capacity = capacity;
  }

  /** Creates a set of routes. Its sites redirect their base path to the base with a slash. */
  routeSet<R extends Route>(options: RouteSetOptions<R>): RouteSet<R> {
    const { routes, middleware = [], pathHint } = options;
    const router = new Router([...routes, BASE_ROUTE]);
    const innermost = this.#guard((request) => this.#handleByRoute(request, { router, pathHint }));
    const handler = middleware.reduceRight((next, wrap) => this.#guard(wrap(next)), innermost);
    return { ...options, router, handler };
  }

  /** From now on, requests must have a local `Host`. @param serverHost the host that it listens on */
  requireLocalHost(serverHost: string | undefined): void {
    this.#checkHost = createHostCheck(this.#options.localHosts, serverHost);
  }

  /** Queues requests. @returns a function that handles them and stops queueing */
  hold(): () => void {
    const held = new Map<Exchange, Connection>();
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const [exchange, connection] of held) this.respond(exchange, connection);
    };
  }

  /** Makes a handler respond with the problem that it throws, so that middleware sees it. */
  #guard(handler: Handler): Handler {
    const onError = (error: unknown, request: Request) =>
      error instanceof ClientGoneError
        ? NO_RESPONSE
        : this.#problemFor(error, request).toResponse(request.path, this.#options.problemTypes);
    return (request) => {
      try {
        const response = handler(request);
        return response instanceof Promise
          ? response.catch((error) => onError(error, request))
          : response;
      } catch (error) {
        return onError(error, request);
      }
    };
  }

  /** Serves a request whose turn has come: checks it, reads its content, and responds. */
  readonly serve = (exchange: Exchange, connection: Connection): void => {
    exchange.takeUp(this.siteOf(exchange.path));
    const problem = exchange.refusal ?? this.#check(exchange);
    if (problem !== undefined) exchange.refuse(problem);
    if (!exchange.hasContent) this.#respondInTurn(exchange, connection);
    // A turn later. If the content is in the same segment, it has arrived then, and can be skipped.
    else if (problem !== undefined) clock.setImmediate(() => this.respond(exchange, connection));
    else this.#receiveContent(exchange, connection);
  };

  #receiveContent(exchange: Exchange, connection: Connection): void {
    const maxBytes = exchange.route?.content?.maxBytes ?? MAX_CONTENT_BYTES;
    exchange.readContent(maxBytes, (isTooLong) => {
      if (isTooLong) exchange.refuse(contentTooLarge(maxBytes));
      else if (exchange.content.length > SHORT_BYTES && this.#capacity.clients.isExceeded) {
        exchange.refuse(overloaded('Too many clients send long content'));
      }
      this.#respondInTurn(exchange, connection);
    });
  }

  /** Responds now, or in the queue of long work if there is much to parse. */
  #respondInTurn(exchange: Exchange, connection: Connection): void {
    const { content, target, refusal } = exchange;
    const isShort = content.length <= SHORT_BYTES && target.length <= SHORT_TARGET;
    if (isShort || refusal !== undefined) this.respond(exchange, connection);
    else exchange.callInTurn(() => this.respond(exchange, connection));
  }

  /** Checks the header section. @returns the problem with which to refuse the request, if any */
  #check(exchange: Exchange): Problem | undefined {
    const { message, hasContent, route } = exchange;
    try {
      const misdirected = this.#checkHost(message);
      // A malformed request is malformed for any host.
      checkFraming(message);
      if (misdirected !== undefined) throw misdirected;
      exchange.site.routeSet.checkFirst?.(exchange);
      checkIfMatch(exchange);
      if (hasContent) checkContentLength(message, route?.content?.maxBytes);
      exchange.query = queryOf(exchange.target, exchange.path);
      if (route === undefined) {
        if (hasContent && exchange.site.routeSet.mayBeServed?.(exchange)) return undefined;
        throw this.#problemWithoutRoute(exchange, exchange.site.routeSet);
      }
      const { content, produces, checkBeforeContent } = route;
      checkAccept(message, produces);
      checkBeforeContent?.(exchange);
      const needsType = content && !(content.isOptional && exchange.mayBeEmpty);
      if (needsType) checkContentType(message, content.mediaTypes);
      return undefined;
    } catch (error) {
      return this.#problemFor(error, exchange);
    }
  }

  #problemWithoutRoute(request: Request, { router, pathHint }: Paths): Problem {
    const { method, path, localPath, site } = request;
    const pathRoutes = router.find(method, localPath);
    if (pathRoutes !== undefined) return pathRoutes.methodNotAllowed(method);
    if (path.length > MAX_SHOWN_PATH) {
      return new Problem('unknown-path', 'No resource has this path');
    }
    const suggestion = router.suggestPath(localPath);
    const hint =
      suggestion === undefined ? pathHint?.(request) : didYouMean(site.basePath + suggestion);
    return new Problem('unknown-path', `No resource has the path ${path}${hint ?? ''}`);
  }

  #handleByRoute(request: Request, paths: Paths): Awaitable<Response> {
    const { refusal, route } = request;
    if (refusal !== undefined) throw refusal;
    if (route === undefined) throw this.#problemWithoutRoute(request, paths);
    const { content } = route;
    // Optional content without a declared length needs a type only if it was not empty.
    if (content?.isOptional && request.content.length > 0) {
      checkContentType(request, content.mediaTypes);
    }
    // A write to an item checks its preconditions in its transaction.
    return mapResponse(route.handle(request), request, checkedIfRead);
  }

  /** Calls the handler of a request that has arrived or is refused, and sends its response. */
  readonly respond = (exchange: Exchange, connection: Connection): void => {
    if (connection.isClosed || exchange.isHandled) return;
    if (this.#held !== undefined) {
      this.#held.set(exchange, connection);
      return;
    }
    exchange.isHandled = true;
    const response = exchange.site.routeSet.handler(exchange);
    if (response instanceof Promise) {
      exchange.isDeferred = true;
      // Not awaited, because a guarded handler never rejects.
      void response.then((each) => this.#send(exchange, connection, each));
    } else this.#send(exchange, connection, response);
  };

  #send(exchange: Exchange, connection: Connection, response: Response): void {
    connection.endHandling(exchange);
    const { knownId } = exchange;
    const { status, headers, extraHeaders } = response;
    let complete = response;
    // Only responses of faults have extra fields, and each of them has `Cache-Control` somewhere.
    const hasCacheControl = headers?.['Cache-Control'] !== undefined || extraHeaders !== undefined;
    if (status >= 400 && isReadMethod(exchange) && !hasCacheControl) {
      complete = withHeaders(complete, NO_STORE);
    }
    // The id is the client's, or was made because something was logged.
    if (knownId !== undefined) complete = withHeaders(complete, { 'X-Request-Id': knownId });
    try {
      const sent = this.#sender.send(exchange, connection, complete);
      sent?.catch((error) => this.#abort(exchange, connection, error));
    } catch (error) {
      this.#abort(exchange, connection, error);
    }
  }

  /** An error that has no problem is unexpected, and is reported. */
  #problemFor(error: unknown, request: Request): Problem {
    const problem = error instanceof Problem ? error : this.#options.problemOf?.(error);
    if (problem !== undefined) return problem;
    this.#options.onUnexpectedError(error, request);
    return new Problem('internal-error', 'The service failed to respond; its log says why');
  }

  #abort(exchange: Exchange, connection: Connection, error: unknown): void {
    if (!(error instanceof ClientGoneError)) this.#options.onUnexpectedError(error, exchange);
    connection.disconnect();
  }
}
