import { clock } from '../../clock.ts';
import { didYouMean } from '../../nearest.ts';
import type { Awaitable } from '../../steps.ts';
import { Problem } from '../messages/problem.ts';
import type { Interceptor, Request, UnsitedRequest } from '../messages/request.ts';
import { NO_RESPONSE, NO_STORE, type Response, withHeaders } from '../messages/response.ts';
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
import { NO_SITE, type Site } from '../routing/router.ts';
import type { Connection } from './connection.ts';
import type { Exchange } from './exchange.ts';
import type { ReasonCounter } from './reason-counter.ts';
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

/** The sites of a server, and the callbacks around their routes. */
export interface ServerHooks {
  /** Returns the site of a request whose turn has come. */
  readonly siteOf: (request: UnsitedRequest) => Site;
  /** Called in this order with each request that is handled, also if it is refused. */
  readonly onRequest?: readonly ((request: Request) => void)[];
  /** Called next, with a function that calls the handler, whose errors become responses. */
  readonly intercept?: Interceptor | undefined;
  /** Returns the response to a refused request; undefined to respond with the refusal. */
  readonly grant?: ((request: Request) => Awaitable<Response> | undefined) | undefined;
  /**
   * Whether a request is for `/admin`, and has its token. The contents of these requests have a pool
   * of their own, also while they wait for their turn.
   */
  readonly isOfAdmin?: ((request: UnsitedRequest) => boolean) | undefined;
  /** Checks every request, also for an unknown path, before its content is read. @throws Problem */
  readonly checkAccess?: ((request: Request) => void) | undefined;
  /**
   * Returns the end of the error sentence for an unknown path without a similar route.
   * @throws Problem to respond with instead
   */
  readonly pathHint?: ((request: Request) => string) | undefined;
  /** Whether the interceptor may respond to a request without a route. Its content is then read. */
  readonly mayBeIntercepted?: ((request: Request) => boolean) | undefined;
}

/** Checks each request after its header section, calls its handler, and sends the response. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #sender: Sender;
  readonly #refusals: ReasonCounter;
  #hooks: ServerHooks = { siteOf: () => NO_SITE };
  #checkHost = createHostCheck();
  /** Requests that wait for their handler while the server is paused; undefined if it is not. */
  #paused: Map<Exchange, Connection> | undefined;

  constructor(options: DispatcherOptions, sender: Sender, refusals: ReasonCounter) {
    this.#options = options;
    this.#sender = sender;
    this.#refusals = refusals;
  }

  setHooks(hooks: ServerHooks): void {
    this.#hooks = hooks;
  }

  /** From now on, requests must have a local `Host`. @param serverHost the host that it listens on */
  requireLocalHost(serverHost: string | undefined): void {
    this.#checkHost = createHostCheck(this.#options.localHosts, serverHost);
  }

  /** Queues requests. @returns a function that handles them and stops queueing */
  pause(): () => void {
    const paused = new Map<Exchange, Connection>();
    this.#paused = paused;
    return () => {
      this.#paused = undefined;
      for (const [exchange, connection] of paused) this.respond(exchange, connection);
    };
  }

  /** Calls a handler. @returns its response, or that of the error that it throws */
  #callHandler(
    handler: (exchange: Exchange) => Awaitable<Response>,
    exchange: Exchange,
  ): Awaitable<Response> {
    try {
      const response = handler(exchange);
      return response instanceof Promise
        ? response.catch((error) => this.#responseOf(error, exchange))
        : response;
    } catch (error) {
      return this.#responseOf(error, exchange);
    }
  }

  #responseOf(error: unknown, exchange: Exchange): Response {
    if (error instanceof ClientGoneError) return NO_RESPONSE;
    const problem = this.#problemFor(error, exchange);
    if (problem.refusal !== undefined) this.#refusals.add(problem.refusal);
    return problem.toResponse(exchange.path, this.#options.problemTypes);
  }

  /** Serves a request whose turn has come: checks it, reads its content, and responds. */
  readonly serve = (exchange: Exchange, connection: Connection): void => {
    exchange.setSite(this.#hooks.siteOf(exchange));
    const problem = exchange.refusal ?? this.#check(exchange) ?? exchange.shortage;
    if (problem !== undefined) exchange.refuse(problem);
    if (!exchange.hasContent) this.#respondInTurn(exchange, connection);
    // Respond in the next turn of the event loop, when content of the same segment has arrived and
    // can be skipped.
    else if (problem !== undefined) clock.setImmediate(() => this.respond(exchange, connection));
    else this.#receiveContent(exchange, connection);
  };

  #receiveContent(exchange: Exchange, connection: Connection): void {
    const maxBytes = exchange.route?.content?.maxBytes ?? MAX_CONTENT_BYTES;
    exchange.readContent(maxBytes, (isTooLong) => {
      const problem = isTooLong ? contentTooLarge(maxBytes) : exchange.shortage;
      if (problem !== undefined) exchange.refuse(problem);
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
      this.#hooks.checkAccess?.(exchange);
      checkIfMatch(exchange);
      if (hasContent) checkContentLength(message, route?.content?.maxBytes);
      exchange.query = queryOf(exchange.target, exchange.path);
      if (route === undefined) {
        if (hasContent && this.#hooks.mayBeIntercepted?.(exchange)) return undefined;
        throw this.#problemWithoutRoute(exchange);
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

  #problemWithoutRoute(exchange: Exchange): Problem {
    const { method, path, localPath, pathRoutes, site } = exchange;
    if (pathRoutes !== undefined) return pathRoutes.methodNotAllowed(method);
    if (path.length > MAX_SHOWN_PATH) {
      return new Problem('unknown-path', 'No resource has this path');
    }
    const suggestion = site.router.suggestPath(localPath);
    const hint =
      suggestion === undefined
        ? this.#hooks.pathHint?.(exchange)
        : didYouMean(site.basePath + suggestion);
    return new Problem('unknown-path', `No resource has the path ${path}${hint ?? ''}`);
  }

  /** Shows a request to all `onRequest`, and returns the response of the interceptor or the route. */
  readonly #handle = (exchange: Exchange): Awaitable<Response> => {
    const { onRequest = [], intercept } = this.#hooks;
    for (const each of onRequest) each(exchange);
    const handle = () => this.#callHandler(this.#handleByRoute, exchange);
    return intercept === undefined ? handle() : intercept(exchange, handle);
  };

  readonly #handleByRoute = (exchange: Exchange): Awaitable<Response> => {
    const { refusal, route } = exchange;
    if (refusal !== undefined) {
      const granted = this.#hooks.grant?.(exchange);
      if (granted !== undefined) return granted;
      throw refusal;
    }
    if (route === undefined) throw this.#problemWithoutRoute(exchange);
    const { content } = route;
    // Optional content without a declared length needs a type only if it was not empty.
    if (content?.isOptional && exchange.content.length > 0) {
      checkContentType(exchange, content.mediaTypes);
    }
    const response = route.handle(exchange);
    // A write to an item checks its preconditions in its transaction.
    return response instanceof Promise
      ? response.then((each) => checkedIfRead(each, exchange))
      : checkedIfRead(response, exchange);
  };

  /** Calls the handler of a request that has arrived or is refused, and sends its response. */
  readonly respond = (exchange: Exchange, connection: Connection): void => {
    if (connection.isClosed || exchange.isHandled) return;
    if (this.#paused !== undefined) {
      this.#paused.set(exchange, connection);
      return;
    }
    exchange.isHandled = true;
    const response = this.#callHandler(this.#handle, exchange);
    if (response instanceof Promise) {
      exchange.isDeferred = true;
      // Not awaited, because it is never rejected.
      void response.then((each) => this.#send(exchange, connection, each));
    } else this.#send(exchange, connection, response);
  };

  #send(exchange: Exchange, connection: Connection, made: Response): void {
    const response = withOwnFields(this.#mapped(made, exchange), exchange);
    exchange.endHandling();
    try {
      const sent = this.#sender.send(exchange, connection, response);
      sent?.catch((error) => this.#abort(exchange, connection, error));
    } catch (error) {
      this.#abort(exchange, connection, error);
    }
  }

  /** Shows a response to all `onResponse`, the last one first. An error of one becomes the response. */
  #mapped(made: Response, exchange: Exchange): Response {
    let response = made;
    for (const map of exchange.takeResponseMaps()) {
      try {
        response = map(response);
      } catch (error) {
        response = this.#responseOf(error, exchange);
      }
    }
    return response;
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

/** The response with the fields of this server. */
function withOwnFields(response: Response, request: Request): Response {
  const { knownId } = request;
  const { status, headers, extraHeaders } = response;
  const hasCacheControl =
    headers?.['Cache-Control'] !== undefined ||
    Object.keys(extraHeaders ?? {}).some((name) => name.toLowerCase() === 'cache-control');
  const needsNoStore = status >= 400 && isReadMethod(request) && !hasCacheControl;
  const checked = needsNoStore ? withHeaders(response, NO_STORE) : response;
  // The id is the client's, or was made because something was logged.
  return knownId === undefined ? checked : withHeaders(checked, { 'X-Request-Id': knownId });
}
