import { compose, type Handler, type Middleware, mapResponse } from '../core/handler.ts';
import { Problem } from '../core/problem.ts';
import type { Request } from '../core/request.ts';
import { isInSteps, NO_RESPONSE, type Response, withHeaders } from '../core/response.ts';
import { checkContentLength, checkContentType } from '../request/content.ts';
import { checkFraming } from '../request/framing.ts';
import { checkAccept, checkExpectation } from '../request/negotiation.ts';
import { checkIfMatch, withPreconditions } from '../request/preconditions.ts';
import { parseTarget } from '../request/target.ts';
import type { Route } from '../routing/route.ts';
import { Router } from '../routing/router.ts';
import { type Exchange, NO_CONTENT } from './connection/exchange.ts';
import { ClientGoneError, type Scheduler } from './connection/scheduler.ts';
import { bufferHead } from './send/buffer-head.ts';
import { send } from './send/send.ts';

/** Content up to this size is parsed in a fifth of a millisecond, whatever it is. */
const SHORT_BYTES = 4 * 1024;

/** What the dispatcher is made of. */
export interface DispatcherOptions {
  readonly routes: readonly Route[];
  /** Middleware around routes and refusals, the first outermost. */
  readonly middleware?: readonly Middleware[];
  /** Called with every unexpected error and the request in which it happened. */
  readonly onUnexpectedError: (error: unknown, request: Request) => void;
}

/** Takes each request from header section to handler, and sends the response. */
export class Dispatcher {
  readonly #router: Router;
  readonly #scheduler: Scheduler;
  readonly #handler: Handler;
  readonly #onUnexpectedError: DispatcherOptions['onUnexpectedError'];

  constructor(
    { routes, middleware = [], onUnexpectedError }: DispatcherOptions,
    scheduler: Scheduler,
  ) {
    this.#router = new Router(routes);
    this.#scheduler = scheduler;
    this.#onUnexpectedError = onUnexpectedError;
    this.#handler = compose(middleware, handleByRoute, (error, request) =>
      error instanceof ClientGoneError
        ? NO_RESPONSE
        : this.#problemFor(error, request).toResponse(request.path),
    );
  }

  /** Serves a request: at once, or once its content has arrived. */
  serve(exchange: Exchange): void {
    exchange.refusal ??= this.#check(exchange);
    if (exchange.refusal !== undefined) {
      exchange.incoming?.discard(() => exchange.connection.end());
      this.#respond(exchange);
    } else if (exchange.incoming !== undefined) {
      exchange.readContent(exchange.incoming, () => {
        if (exchange.content.length <= SHORT_BYTES) this.#respond(exchange);
        else this.#respondInTurn(exchange);
      });
    } else this.#respond(exchange);
  }

  /**
   * Responds to a request whose content may take long to parse: at once if this turn has time.
   * Otherwise, hundreds that arrive together would all be parsed in one turn. If the client goes
   * first, nothing happens.
   */
  #respondInTurn(exchange: Exchange): void {
    const { connection } = exchange;
    if (connection.isMemoryShort) {
      this.#respond(exchange);
      return;
    }
    let isWaiting = true;
    connection.hold(exchange.content.length);
    exchange.onEnd(() => {
      if (isWaiting) exchange.content = NO_CONTENT;
    });
    this.#scheduler.inTurn(() => {
      isWaiting = false;
      if (exchange.isGone) return;
      connection.hold(-exchange.content.length);
      this.#respond(exchange);
    });
  }

  /** The problem for which a request is refused by its header section, if any. */
  #check(exchange: Exchange): Problem | undefined {
    const { message } = exchange;
    try {
      // The parser reports nothing else about a request with an unknown method.
      if (!exchange.isUnparsed) {
        checkFraming(message);
        checkExpectation(message);
      }
      const { accepts, produces, isContentOptional } = this.#routeWithContent(exchange);
      checkAccept(message, produces);
      const isAbsent = isContentOptional && exchange.incoming === undefined;
      if (accepts !== undefined && !isAbsent) checkContentType(message, accepts);
      return undefined;
    } catch (error) {
      exchange.pathFields = this.#router.fieldsOf(exchange.path);
      return this.#problemFor(error, exchange);
    }
  }

  /** The route, for content that is not too long; that counts more than an unknown path. */
  #routeWithContent(exchange: Exchange): Route {
    const { message } = exchange;
    let route: Route;
    try {
      route = this.#route(exchange);
    } catch (error) {
      checkContentLength(message);
      throw error;
    }
    checkContentLength(message, route.maxContentBytes);
    return route;
  }

  /** @throws Problem */
  #route(exchange: Exchange): Route {
    const { path, query } = parseTarget(exchange.target);
    exchange.path = path;
    exchange.query = query;
    const { endpoint, params } = this.#router.match(exchange.method, path);
    exchange.template = endpoint.path;
    exchange.pathFields = endpoint.fields;
    exchange.params = params;
    exchange.route = endpoint.route(exchange.method);
    return exchange.route;
  }

  #respond(exchange: Exchange): void {
    try {
      const response = this.#handler(exchange);
      const sent =
        response instanceof Promise
          ? response.then((each) => this.#send(exchange, each))
          : this.#send(exchange, response);
      sent?.catch((error) => this.#abort(exchange, error));
    } catch (error) {
      this.#abort(exchange, error);
    }
  }

  #send(exchange: Exchange, response: Response): Promise<void> | undefined {
    const { pathFields } = exchange;
    const whole = pathFields === undefined ? response : withHeaders(response, pathFields);
    return send(exchange, whole, this.#scheduler);
  }

  /** Anything thrown that is not a Problem is unexpected, and is reported. */
  #problemFor(error: unknown, request: Request): Problem {
    if (error instanceof Problem) return error;
    this.#onUnexpectedError(error, request);
    return new Problem('internal-error', 'The service failed to respond; its log says why');
  }

  /** Aborts a response that can be neither finished nor replaced. */
  #abort(exchange: Exchange, error: unknown): void {
    if (!(error instanceof ClientGoneError)) this.#onUnexpectedError(error, exchange);
    exchange.output.destroy();
  }
}

const handleByRoute: Handler = (request) => {
  const { refusal, route } = request;
  checkIfMatch(request);
  if (refusal !== undefined) throw refusal;
  if (route === undefined) throw new TypeError('a request that is not refused has a route');
  return mapResponse(route.handle(request), request, begin);
};

/** Checks the preconditions of a read, and makes the beginning of content in steps. */
function begin(response: Response, request: Request): Response | Promise<Response> {
  const begun = withPreconditions(response, request);
  const { content } = begun;
  if (!isInSteps(content)) return begun;
  return mapResponse(request.run(bufferHead(begun, content)), request, closingRest);
}

/** Middleware may drop the response. */
function closingRest(response: Response, request: Request): Response {
  const { rest } = response;
  if (rest?.close) request.onEnd(() => rest.close?.());
  return response;
}
