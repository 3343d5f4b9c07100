import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Answer, send, sendProblem } from './answer.ts';
import { Aborted, checkJsonBody, readBody } from './body.ts';
import { type ClientError, problemOf, responseOf, unknownMethod } from './client-error.ts';
import { Connection, type Exchange } from './connection.ts';
import { checkFraming } from './framing.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { acceptsJson } from './media-type.ts';
import { Problem } from './problem.ts';
import type { Query } from './query.ts';
import { type Pattern, Router } from './router.ts';
import { HTTP_OPTIONS, SERVER_SETTINGS } from './settings.ts';
import { parseTarget } from './target.ts';

/** A request as an operation sees it: checked, routed and, where the route takes one, with its body parsed. */
export interface Request {
  /** What stood in place of the path's parameters, in order, exactly as it was sent. */
  readonly params: readonly string[];
  readonly query: Query;
  /** The JSON object that was sent; empty where the route takes no body. */
  readonly body: JsonObject;
}

/** One operation: where it is reached, whether it takes a JSON body, and what it does. */
export interface Route extends Pattern {
  readonly takesBody?: boolean;
  /** @throws Problem to answer with an error; anything else that is thrown is a fault, answered with 500. */
  readonly handle: (request: Request) => Answer;
}

/** What the server is made of. */
export interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** Told of everything that is answered with 500, with the request it happened in. */
  readonly onFault: (error: unknown, request: { method: string; target: string }) => void;
}

/** An HTTP/1.1 server of JSON operations that can be drained. */
export class HttpServer {
  readonly #server: Server;
  readonly #router: Router<Route>;
  readonly #onFault: HttpServerOptions['onFault'];
  readonly #connections = new Map<Socket, Connection>();
  #draining = false;

  constructor({ routes, onFault }: HttpServerOptions) {
    this.#router = new Router(routes);
    this.#onFault = onFault;
    this.#server = Object.assign(createServer(HTTP_OPTIONS), SERVER_SETTINGS)
      .on('connection', (socket) => this.#connect(socket))
      .on('request', (request, response) => this.#serve(request, response))
      .on('checkContinue', (request, response) => this.#serve(request, response, true))
      .on('checkExpectation', (request, response) => this.#serve(request, response))
      .on('clientError', (error: ClientError, socket: Socket) =>
        this.#onClientError(error, socket),
      );
  }

  /** No new work is wanted: {@link drain} was called. */
  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Starts to listen.
   * @param host the address to listen on; undefined means all interfaces.
   * @returns a promise of the address, rejected with Node's system error where it cannot be had.
   */
  listen(port: number, host?: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port, host }, () => {
        this.#server.off('error', reject);
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /**
   * Stops in good order: every request that has arrived is answered, every other connection ends.
   * @param deadlineMs how long answers may take; then the rest is cut.
   * @returns whether all answers were sent in time.
   */
  async drain(deadlineMs: number): Promise<boolean> {
    this.#draining = true;
    for (const connection of this.#connections.values()) connection.endAfterAnswers();
    await receiveWhatHasArrived();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections.values()) connection.end();
    const inTime = await Promise.race([closed.then(() => true), after(deadlineMs, false)]);
    for (const connection of this.#connections.values()) connection.destroy();
    return inTime;
  }

  #connect(socket: Socket): void {
    const connection = new Connection(socket);
    if (this.#draining) connection.endAfterAnswers();
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** The way of a request. Whatever goes wrong on it ends in {@link HttpServer.#fail}. */
  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue = false,
  ): Promise<void> {
    const exchange = this.#connections
      .get(request.socket)
      ?.begin(request, response, awaitsContinue);
    if (exchange === undefined) return;
    try {
      checkFraming(request);
      checkExpectation(request);
      const { path, query } = parseTarget(request.url ?? '');
      const answer =
        request.method === 'OPTIONS'
          ? this.#options(path)
          : await this.#operate(exchange, path, query);
      await send(exchange, answer);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  async #operate(exchange: Exchange, path: string, query: Query): Promise<Answer> {
    const { request } = exchange;
    const { route, params } = this.#router.match(request.method ?? '', path);
    checkAccept(request);
    const body = route.takesBody ? await readJson(exchange) : {};
    exchange.accept();
    return route.handle({ params, query, body });
  }

  #options(path: string): Answer {
    return { status: 204, headers: { Allow: this.#router.allow(path) } };
  }

  #fail(exchange: Exchange, error: unknown): void {
    if (error instanceof Aborted) return;
    if (error instanceof Problem) {
      sendProblem(exchange, error);
      return;
    }
    const { method = '', url: target = '' } = exchange.request;
    this.#onFault(error, { method, target });
    sendProblem(
      exchange,
      new Problem('internal-error', 'The service failed to answer; it has logged why'),
    );
  }

  /** Bytes that are no request, or a request that took too long. The answer goes to whom it concerns, or to nobody. */
  #onClientError(error: ClientError, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.closed || !socket.writable) return;
    if (error.code === 'ECONNRESET') connection.destroy();
    else if (connection.arriving) sendProblem(connection.arriving, problemOf(error));
    else if (connection.owesAnswers) connection.endAfterAnswers();
    else connection.endWith(responseOf(this.#unknownMethodProblem(error) ?? problemOf(error)));
  }

  #unknownMethodProblem(error: ClientError): Problem | undefined {
    const request = unknownMethod(error);
    if (request === undefined) return undefined;
    try {
      this.#router.match(request.method, parseTarget(request.target).path);
    } catch (problem) {
      if (problem instanceof Problem) return problem;
    }
    return undefined;
  }
}

async function readJson(exchange: Exchange): Promise<JsonObject> {
  checkJsonBody(exchange.request);
  if (exchange.awaitsContinue) exchange.sendContinue();
  return parseJsonObject(await readBody(exchange.request));
}

function checkAccept({ headers, method }: IncomingMessage): void {
  if (method === 'DELETE' || acceptsJson(headers.accept)) return;
  throw new Problem(
    'not-acceptable',
    'Answers are application/json; the Accept field must allow it',
  );
}

function checkExpectation({ headers, httpVersion }: IncomingMessage): void {
  const expectation = headers.expect;
  if (expectation === undefined || httpVersion === '1.0') return;
  if (expectation.toLowerCase() === '100-continue') return;
  const detail = 'The only expectation understood is 100-continue';
  throw new Problem('expectation-failed', detail, { close: true });
}

/**
 * Lets the event loop read what clients had sent before the server was told to stop: one turn to accept a
 * connection, one to read from it, one for what was under way.
 */
async function receiveWhatHasArrived(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}
