import { nextTurn } from '../../clock.ts';
import { didYouMean } from '../../nearest.ts';
import { type Awaitable, inOneStep } from '../../steps.ts';
import { ClientGoneError } from '../admission/scheduler.ts';
import { Problem } from '../messages/problem.ts';
import type { Request } from '../messages/request.ts';
import { NO_RESPONSE, NO_STORE, type Response, withHeaders } from '../messages/response.ts';
import { checkTarget } from '../messages/target.ts';
import {
  checkAccept,
  checkContentLength,
  checkContentType,
  checkFraming,
  contentTooLarge,
  MAX_CONTENT_BYTES,
} from '../request/header-section.ts';
import { createHostCheck, type LocalHosts } from '../request/host.ts';
import { checkIfMatch, isReadMethod, withReadPreconditions } from '../request/preconditions.ts';
import { NO_SITE } from '../routing/router.ts';
import type { Arrival } from './arrival.ts';
import type { Exchange } from './exchange.ts';
import type { ReasonCounter } from './reason-counter.ts';
import type { Sender } from './sender.ts';
import type { RequestHooks, Service } from './service.ts';

/** The longest path that `detail` repeats, in UTF-16 units. `instance` contains any path. */
const MAX_SHOWN_PATH = 200;

/** Options of a server for the requests that it serves. */
export interface PipelineOptions {
  /** The prefix of the URIs of problem types. */
  readonly problemTypes?: string | undefined;
  /** Returns the problem of an error that parts of the service throw; undefined for any other. */
  readonly problemOf?: (error: unknown) => Problem | undefined;
  readonly onUnexpectedError: (error: unknown, request: Request) => void;
  /** The allowed `Host` names, if only loopback addresses are bound. By default, any. */
  readonly localHosts?: LocalHosts | undefined;
}

/** The way of a request to its response, from the moment when it is due. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #sender: Sender;
  readonly #refusals: ReasonCounter;
  #service: Service = { siteOf: () => NO_SITE };
  #hooks = byHook([]);
  #checkHost = createHostCheck();
  /** Fulfilled when the server goes on; undefined if it is not paused. */
  #pause: Promise<void> | undefined;

  constructor(options: PipelineOptions, sender: Sender, refusals: ReasonCounter) {
    this.#options = options;
    this.#sender = sender;
    this.#refusals = refusals;
  }

  setService(service: Service): void {
    this.#service = service;
    this.#hooks = byHook(service.hooks ?? []);
  }

  /** From now on, requests must have a local `Host`. @param serverHost the host that it listens on */
  requireLocalHost(serverHost: string | undefined): void {
    this.#checkHost = createHostCheck(this.#options.localHosts, serverHost);
  }

  /** Calls no handlers for the time being. @returns a function that goes on */
  pause(): () => void {
    let resume = () => {};
    this.#pause = new Promise((resolve) => {
      resume = resolve;
    });
    return () => {
      this.#pause = undefined;
      resume();
    };
  }

  /** Serves a request that is due. A refused request goes the same way. */
  readonly serve = async (exchange: Exchange): Promise<void> => {
    const { arrival, connection } = exchange;
    try {
      exchange.enter(this.#service.siteOf(exchange));
      this.#check(exchange, this.#checkHead);
      if (exchange.hasLongTarget) await this.#waitToParse(exchange);
      else this.#check(exchange, this.#checkRoute);
      if (arrival !== undefined) await this.#receiveContent(exchange, arrival);
      if (this.#pause !== undefined) await this.#pause;
      if (connection.isClosed) return;

      let response: Response;
      try {
        // The handler parses the content.
        const made = exchange.isSlowToParse
          ? this.#respondAsLongWork(exchange)
          : this.#respond(exchange);
        // A promise for each request would cost a GET a twentieth of its time.
        response = withReadPreconditions(made instanceof Promise ? await made : made, exchange);
      } catch (error) {
        response = this.#responseOf(error, exchange);
      }
      response = withOwnFields(this.#transformed(response, exchange), exchange);
      exchange.beginSending(response);
      const sending = this.#sender.send(exchange, response);
      if (sending !== undefined) await sending;
    } catch (error) {
      if (!(error instanceof ClientGoneError)) this.#options.onUnexpectedError(error, exchange);
      connection.disconnect();
    }
  };

  /** Runs a check, which throws, unless the request is refused already. */
  #check(exchange: Exchange, check: (exchange: Exchange) => void): void {
    if (exchange.refusal !== undefined) return;
    try {
      check(exchange);
    } catch (error) {
      exchange.refuse(this.#problemFor(error, exchange));
    }
  }

  /** Checks the header section, before anything is parsed. @throws Problem */
  readonly #checkHead = (exchange: Exchange): void => {
    const { message, arrival, route } = exchange;
    const misdirected = this.#checkHost(message);
    // A malformed request is malformed for any host.
    checkFraming(message);
    if (misdirected !== undefined) throw misdirected;
    for (const authorize of this.#hooks.authorize) authorize(exchange);
    checkIfMatch(exchange);
    if (arrival !== undefined) checkContentLength(message, route?.content?.maxBytes);
    checkTarget(exchange.target, exchange.path);
  };

  /** Checks the query string, and whether there is a route for the request. @throws Problem */
  readonly #checkRoute = (exchange: Exchange): void => {
    // Throws if it is malformed, because it is parsed here.
    void exchange.query;
    const { message, arrival, route } = exchange;
    if (route === undefined) {
      // A fault may respond. Otherwise the route that is missing is reported after the content.
      const mayIntercept = () => this.#hooks.mayIntercept.some((may) => may(exchange));
      if (arrival !== undefined && mayIntercept()) return;
      throw this.#problemWithoutRoute(exchange);
    }
    const { content, produces, checkBeforeContent } = route;
    checkAccept(message, produces);
    checkBeforeContent?.(exchange);
    const mayBeEmpty = content?.isOptional && (arrival === undefined || arrival.mayBeEmpty);
    if (content && !mayBeEmpty) checkContentType(message, content.mediaTypes);
  };

  /** Waits for a permit, and for a turn with time to parse the target, and checks it. */
  async #waitToParse(exchange: Exchange): Promise<void> {
    const { ticket, route } = exchange;
    try {
      if (!route?.isOneByOne) await ticket.takePermits();
      await ticket.run(inOneStep(() => this.#check(exchange, this.#checkRoute)));
    } catch (error) {
      this.#refuseFor(error, exchange);
    }
  }

  /** Waits for content, or refuses its request. */
  async #receiveContent(exchange: Exchange, arrival: Arrival): Promise<void> {
    // In the next turn, content of the same segment has arrived, and can be skipped.
    if (exchange.refusal !== undefined) return nextTurn();
    const maxBytes = exchange.route?.content?.maxBytes ?? MAX_CONTENT_BYTES;
    try {
      const content = await arrival.waitForAll(maxBytes);
      if (content === undefined) exchange.refuse(contentTooLarge(maxBytes));
      else exchange.content = content;
    } catch (error) {
      this.#refuseFor(error, exchange);
    }
  }

  /** Refuses a request for an error of admission. @throws ClientGoneError */
  #refuseFor(error: unknown, exchange: Exchange): void {
    if (error instanceof ClientGoneError) throw error;
    exchange.refuse(this.#problemFor(error, exchange));
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
        ? this.#service.pathHint?.(exchange)
        : didYouMean(site.basePath + suggestion);
    return new Problem('unknown-path', `No resource has the path ${path}${hint ?? ''}`);
  }

  /** Responds as long work, because parsing the content takes long. A pause may have begun meanwhile. */
  async #respondAsLongWork(exchange: Exchange): Promise<Response> {
    const handle = () => this.#respond(exchange);
    return exchange.run(inOneStep(() => this.#pause?.then(handle) ?? handle()));
  }

  /** Shows a request to all features, and responds by one that intercepts it, or by its route. */
  #respond(exchange: Exchange): Awaitable<Response> {
    exchange.stage = 'handling';
    for (const observe of this.#hooks.observe) observe(exchange);
    for (const intercept of this.#hooks.intercept) {
      const respond = intercept(exchange);
      if (respond !== undefined) return respond(() => this.#routeResponseOrProblem(exchange));
    }
    return this.#respondByRoute(exchange);
  }

  /** The response that an interceptor would replace: that of the route, or of its error. */
  async #routeResponseOrProblem(exchange: Exchange): Promise<Response> {
    try {
      return withReadPreconditions(await this.#respondByRoute(exchange), exchange);
    } catch (error) {
      return this.#responseOf(error, exchange);
    }
  }

  #respondByRoute(exchange: Exchange): Awaitable<Response> {
    const { refusal, route } = exchange;
    if (refusal !== undefined)
      return this.#granted(exchange) ?? this.#responseOf(refusal, exchange);
    if (route === undefined) throw this.#problemWithoutRoute(exchange);
    const { content } = route;
    // Optional content without a declared length needs a type only if it was not empty.
    if (content?.isOptional && exchange.content.length > 0) {
      checkContentType(exchange, content.mediaTypes);
    }
    return route.handle(exchange);
  }

  /** The response to a refused preflight that a feature grants; undefined for any other request. */
  #granted(exchange: Exchange): Response | undefined {
    for (const grantPreflight of this.#hooks.grantPreflight) {
      const response = grantPreflight(exchange);
      if (response !== undefined) return response;
    }
    return undefined;
  }

  /** The response after all features. An error of one of them becomes the response. */
  #transformed(response: Response, exchange: Exchange): Response {
    let transformed = response;
    for (const transform of this.#hooks.transformResponse) {
      try {
        transformed = transform(transformed, exchange);
      } catch (error) {
        transformed = this.#responseOf(error, exchange);
      }
    }
    return transformed;
  }

  /** An error that has no problem is unexpected, and is reported. */
  #problemFor(error: unknown, request: Request): Problem {
    const problem = error instanceof Problem ? error : this.#options.problemOf?.(error);
    if (problem !== undefined) return problem;
    this.#options.onUnexpectedError(error, request);
    return new Problem('internal-error', 'The service failed to respond; its log says why');
  }

  #responseOf(error: unknown, exchange: Exchange): Response {
    if (error instanceof ClientGoneError) return NO_RESPONSE;
    const problem = this.#problemFor(error, exchange);
    if (problem.shortage !== undefined) this.#refusals.add(problem.shortage);
    return problem.toResponse(exchange.path, this.#options.problemTypes);
  }
}

/** The functions of all features by hook. A request calls only those that exist. */
function byHook(hooks: readonly RequestHooks[]) {
  return {
    authorize: hooks.flatMap(({ authorize = [] }) => authorize),
    observe: hooks.flatMap(({ observe = [] }) => observe),
    intercept: hooks.flatMap(({ intercept = [] }) => intercept),
    mayIntercept: hooks.flatMap(({ mayIntercept = [] }) => mayIntercept),
    grantPreflight: hooks.flatMap(({ grantPreflight = [] }) => grantPreflight),
    transformResponse: hooks.flatMap(({ transformResponse = [] }) => transformResponse).reverse(),
  };
}

/** The response with the fields of this server. */
function withOwnFields(response: Response, request: Request): Response {
  const { knownId } = request;
  const { status } = response;
  const needsNoStore = status >= 400 && isReadMethod(request) && !hasCacheControl(response);
  const checked = needsNoStore ? withHeaders(response, NO_STORE) : response;
  // The id is the client's, or was made because something was logged.
  return knownId === undefined ? checked : withHeaders(checked, { 'X-Request-Id': knownId });
}

function hasCacheControl({ headers, extraHeaders = {} }: Response): boolean {
  if (headers?.['Cache-Control'] !== undefined) return true;
  return Object.keys(extraHeaders).some((name) => name.toLowerCase() === 'cache-control');
}
