import { send, sendProblem } from './answer.ts';
import { checkJsonBody, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { checkFraming } from './framing.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { LongAnswers } from './long-answers.ts';
import { checkAccept, checkExpectation } from './negotiation.ts';
import { Problem } from './problem.ts';
import type { Query } from './query.ts';
import type { LongRoute, Request, Route } from './route.ts';
import { type Match, Router } from './router.ts';
import type { HttpSettings } from './settings.ts';
import { parseTarget } from './target.ts';

/** What requests are for. */
export interface DispatcherOptions {
  readonly routes: readonly Route[];
  /** Told of everything that is answered with 500, with the request it happened in. */
  readonly onFault: (error: unknown, request: { method: string; target: string }) => void;
}

const NO_BYTES = Buffer.alloc(0);
const NO_MEMBERS: JsonObject = {};

/** Takes each request to its operation, and sends what that answers. */
export class Dispatcher {
  readonly #router: Router<Route>;
  readonly #longAnswers: LongAnswers;
  readonly #onFault: DispatcherOptions['onFault'];

  constructor({ routes, onFault }: DispatcherOptions, settings: HttpSettings) {
    this.#router = new Router(routes);
    this.#longAnswers = new LongAnswers(settings);
    this.#onFault = onFault;
  }

  /** Serves a request. Whatever goes wrong on its way ends in {@link Dispatcher.#fail}. */
  serve(exchange: Exchange): void {
    this.#attempt(exchange, () => this.#answer(exchange));
  }

  /** The problem that a method and a target make by themselves, if they do. */
  problemOf(method: string, target: string): Problem | undefined {
    try {
      this.#router.match(method, parseTarget(target).path);
    } catch (error) {
      if (error instanceof Problem) return error;
    }
    return undefined;
  }

  /** The way of a request: checked, routed, read where there is something to read, carried out. */
  #answer(exchange: Exchange): void {
    const { request } = exchange;
    checkFraming(request);
    checkExpectation(request);
    const { path, query } = parseTarget(request.url ?? '');
    if (request.method === 'OPTIONS') {
      send(exchange, { status: 204, headers: { Allow: this.#router.allow(path) } });
      return;
    }
    const match = this.#router.match(request.method ?? '', path);
    checkAccept(request);
    if (match.route.takesBody) checkJsonBody(request);
    const operate = (bytes: Buffer) =>
      this.#attempt(exchange, () => this.#operate(exchange, match, query, bytes));
    if (exchange.hasBody) readBody(exchange, operate, (problem) => sendProblem(exchange, problem));
    else operate(NO_BYTES);
  }

  #operate(exchange: Exchange, { route, params }: Match<Route>, query: Query, bytes: Buffer): void {
    const body = route.takesBody ? parseJsonObject(bytes) : NO_MEMBERS;
    const request = { params, query, body };
    if (route.isLong) this.#operateLong(exchange, route, request);
    else send(exchange, route.handle(request));
  }

  #operateLong(exchange: Exchange, route: LongRoute, request: Request): void {
    const sending = this.#longAnswers.send(exchange, () => route.handle(request));
    sending?.catch((error) => this.#fail(exchange, error));
  }

  #attempt(exchange: Exchange, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Problem) {
      sendProblem(exchange, error);
      return;
    }
    const { method = '', url: target = '' } = exchange.request;
    this.#onFault(error, { method, target });
    const detail = 'The service failed to answer; it has logged why';
    sendProblem(exchange, new Problem('internal-error', detail));
  }
}
