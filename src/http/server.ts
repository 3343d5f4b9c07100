import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sendProblem } from './answer.ts';
import { type ClientError, problemOf, responseOf, unknownMethod } from './client-error.ts';
import { Connection } from './connection.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import type { Problem } from './problem.ts';
import {
  DEFAULT_SETTINGS,
  type HttpSettings,
  serverOptions,
  serverProperties,
} from './settings.ts';

/** How long a server that stops may take, at most, to accept what had arrived before. */
const ARRIVALS_MS = 250;

/** What the server is made of. */
export interface HttpServerOptions extends DispatcherOptions {
  /** Those that are to differ from {@link DEFAULT_SETTINGS}. */
  readonly settings?: Partial<HttpSettings>;
}

/** An HTTP/1.1 server of JSON operations that can be drained. */
export class HttpServer {
  readonly #settings: HttpSettings;
  readonly #server: Server;
  readonly #dispatcher: Dispatcher;
  readonly #connections = new Map<Socket, Connection>();
  /** How many connections and requests there have been. */
  #arrivals = 0;
  #draining = false;

  constructor({ settings, ...operations }: HttpServerOptions) {
    this.#settings = { ...DEFAULT_SETTINGS, ...settings };
    this.#dispatcher = new Dispatcher(operations, this.#settings);
    this.#server = createServer(serverOptions(this.#settings))
      .on('connection', (socket) => this.#connect(socket))
      .on('request', (request, response) => this.#begin(request, response, false))
      .on('checkContinue', (request, response) => this.#begin(request, response, true))
      .on('checkExpectation', (request, response) => this.#begin(request, response, false))
      .on('clientError', (error: ClientError, socket: Socket) =>
        this.#onClientError(error, socket),
      );
    Object.assign(this.#server, serverProperties(this.#settings));
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
    const check = () => {
      for (const connection of this.#connections.values()) connection.cutUnlessTaking();
    };
    const timer = setInterval(check, this.#settings.connectionsCheckingInterval).unref();
    this.#server.once('close', () => clearInterval(timer));
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
    await this.#receiveWhatHasArrived();
    // What node:http would destroy here still waits for its client, and is ended below.
    this.#server.closeIdleConnections = () => {};
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const connection of this.#connections.values()) connection.end();
    const inTime = await Promise.race([closed.then(() => true), after(deadlineMs, false)]);
    for (const connection of this.#connections.values()) connection.destroy();
    return inTime;
  }

  /**
   * Lets the event loop read what clients had sent before the server was told to stop: until some turns in a row
   * bring nothing new, because one turn accepts a connection, one more reads from it.
   */
  async #receiveWhatHasArrived(): Promise<void> {
    const deadline = Date.now() + ARRIVALS_MS;
    for (let quietTurns = 0; quietTurns < 3 && Date.now() < deadline; ) {
      const before = this.#arrivals;
      await new Promise((resolve) => setImmediate(resolve));
      quietTurns = this.#arrivals === before ? quietTurns + 1 : 0;
    }
  }

  #connect(socket: Socket): void {
    this.#arrivals++;
    const connection = new Connection(socket, this.#settings, (exchange) =>
      this.#dispatcher.serve(exchange),
    );
    if (this.#draining) connection.endAfterAnswers();
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
  }

  #begin(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    this.#arrivals++;
    this.#connections.get(request.socket)?.begin(request, response, awaitsContinue);
  }

  /** Bytes that are no request, or a request that took too long. The answer goes to whom it concerns, or to nobody. */
  #onClientError(error: ClientError, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.closed || !socket.writable) return;
    const { current, arriving } = connection;
    if (error.code === 'ECONNRESET') connection.destroy();
    else if (current === undefined && arriving === undefined) {
      connection.endWith(responseOf(this.#unknownMethodProblem(error) ?? problemOf(error)));
    } else if (current === arriving && current?.response.headersSent === false) {
      sendProblem(current, problemOf(error));
    } else connection.end();
  }

  #unknownMethodProblem(error: ClientError): Problem | undefined {
    const request = unknownMethod(error);
    return request && this.#dispatcher.problemOf(request.method, request.target);
  }
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}
