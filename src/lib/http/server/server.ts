import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { clock, nextTurn } from '../../clock.ts';
import type { Middleware, Route } from '../core/request.ts';
import { MAX_HEADER_FIELDS } from '../request/header-section.ts';
import { ClientMemory } from './connection/client-memory.ts';
import { Connection } from './connection/connection.ts';
import { Scheduler } from './connection/scheduler.ts';
import { Dispatcher, type DispatcherOptions } from './dispatcher.ts';
import { isLoopback, listenOnLoopback } from './loopback.ts';
import { checkInternals, IncomingRequest } from './receive/node-internals.ts';
import type { ParserError } from './receive/parser-error.ts';
import { Sender } from './sender.ts';
import { DEFAULT_SETTINGS, type HttpSettings, maxHeadBytes } from './settings.ts';

/** How long a stopping server accepts what had arrived, and how long nothing must have, in ms. */
const ARRIVALS_MS = 250;
const QUIET_MS = 20;

const HEADS_ELSEWHERE = 'this version of Node keeps heads elsewhere: responses take longer';

/** What a server is made of. */
export interface HttpServerOptions extends DispatcherOptions {
  /** Settings that differ from {@link DEFAULT_SETTINGS}. */
  readonly settings?: Partial<HttpSettings>;
  /** Called with a line about what does not work as it should. */
  readonly onWarning?: (message: string) => void;
}

/** An HTTP/1.1 server that can be drained. */
export class HttpServer {
  /** Runs what takes long, and knows what clients make the server hold. */
  readonly scheduler: Scheduler;
  readonly #options: HttpServerOptions;
  readonly #settings: HttpSettings;
  readonly #server: Server;
  readonly #sender: Sender;
  readonly #dispatcher: Dispatcher;
  readonly #connections = new Map<Socket, Connection>();
  /** Accepts connections to the second loopback address. */
  #second: NetServer | undefined;
  /** How many connections and requests have arrived. */
  #arrivals = 0;
  draining = false;

  /** Makes a server that has no routes yet. */
  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const { maxClientBytes, maxHeaderBytes, keepAliveTimeout } = this.#settings;
    this.scheduler = new Scheduler(this.#settings, new ClientMemory(maxClientBytes));
    // A second less, so that the client is likely to be the first to give the connection up.
    this.#sender = new Sender(Math.max(1, Math.floor(keepAliveTimeout / 1000) - 1));
    this.#dispatcher = new Dispatcher(options, maxHeaderBytes, this.#sender);
    this.#server = nodeServer(this.#settings)
      .on('connection', (socket) => this.#connect(socket))
      .on('request', this.#acceptRequest)
      .on('checkContinue', this.#acceptRequest)
      .on('checkExpectation', this.#acceptRequest)
      .on('connect', ({ socket }) => {
        this.#connections.get(socket)?.core.end();
        // Where `node:http` reads no more, or nobody would notice that the client has gone.
        socket.resume();
      })
      .on('clientError', (error: ParserError, socket: Socket) =>
        this.#connections.get(socket)?.refuse(error),
      );
  }

  /** The number of the request that was taken up last; 0 before the first. */
  get lastRequestNumber(): number {
    return this.#dispatcher.lastNumber;
  }

  /** Sets the routes, and the middleware around them and around refusals, the first outermost. */
  setRoutes(routes: readonly Route[], middleware: readonly Middleware[] = []): void {
    this.#dispatcher.setRoutes(routes, middleware);
  }

  /**
   * Starts listening: on all interfaces unless a host is given, for `localhost` on both loopback
   * addresses. Rejects with Node's own error.
   */
  async listen(port: number, host?: string): Promise<AddressInfo> {
    this.#sender.setsHeads = checkInternals();
    if (!this.#sender.setsHeads) this.#options.onWarning?.(HEADS_ELSEWHERE);
    // What has arrived is read first: it may be a request on an idle connection.
    const check = () => clock.setImmediate(this.#checkConnections);
    const timer = clock.setInterval(check, this.#settings.connectionsCheckingInterval).unref();
    this.#server.once('close', () => clock.clear(timer));
    if (host === 'localhost') this.#second = await listenOnLoopback(this.#server, port);
    else await once(this.#server.listen({ port, host }), 'listening');
    const bound = this.#server.address() as AddressInfo;
    if (isLoopback(bound.address)) this.#dispatcher.checkHost(host);
    return bound;
  }

  readonly #checkConnections = (): void => {
    for (const connection of this.#connections.values()) connection.tick();
    this.scheduler.memory.look();
  };

  /** From now on, responses close their connection, and `draining` is true. */
  startDraining(): void {
    this.draining = true;
    for (const connection of this.#connections.values()) connection.core.stop();
  }

  /**
   * Stops gracefully: responds to every request that has arrived, and closes all other connections.
   * At the deadline, disconnects the rest. @returns whether all responses were sent in time
   */
  async drain(deadlineMs: number): Promise<boolean> {
    this.startDraining();
    // A client may reconnect once it has a response, and connections that the system has accepted
    // but this process has not are reset: so nobody is served until none is left to accept.
    const serveHeld = this.#dispatcher.hold();
    const listeners = this.#second === undefined ? [this.#server] : [this.#server, this.#second];
    const closed = Promise.all(
      listeners.map((each) => new Promise<void>((resolve) => each.once('close', resolve))),
    );
    await this.#untilNobodyComes(QUIET_MS, ARRIVALS_MS, closed);
    // That of `node:http` would close connections whose clients may be reading a last response.
    for (const each of listeners) NetServer.prototype.close.call(each);
    const deadline = clock.now() + deadlineMs;
    serveHeld();
    // A client that does not know of the stop may be sending a request on an idle connection.
    await this.#untilNobodyComes(this.#settings.stopArrivalTimeout, deadlineMs / 2, closed);
    for (const connection of this.#connections.values()) connection.core.end();
    await waitFor(closed, deadline - clock.now());
    const inTime = [...this.#connections.values()].every(({ core }) => !core.owesResponses());
    for (const connection of this.#connections.values()) connection.core.disconnect();
    // Ends what `node:http` does for open connections.
    this.#server.close();
    return inTime;
  }

  /**
   * Lets the event loop accept and read until nothing has come for `quietMs`, nor in its last turn.
   * Then hardly anything can come before something is closed, which would reset its connection:
   * clients wait for their responses first.
   * @param maxMs how long to wait for that; then a turn of the loop is enough
   * @param closed fulfilled when nobody can come any more
   */
  async #untilNobodyComes(quietMs: number, maxMs: number, closed: Promise<unknown>): Promise<void> {
    const start = clock.now();
    let before: number;
    do {
      before = this.#arrivals;
      if (clock.now() - start < maxMs) await waitFor(closed, Math.min(quietMs, maxMs));
      // Newer Node accepts one connection in a turn.
      await nextTurn();
    } while (this.#arrivals !== before && clock.now() - start < 2 * maxMs);
  }

  #connect(socket: Socket): void {
    this.#arrivals++;
    const { serve } = this.#dispatcher;
    const connection = new Connection(socket, this.#settings, this.scheduler, serve);
    if (this.draining) connection.core.stop();
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
  }

  readonly #acceptRequest = (message: IncomingRequest, output: ServerResponse): void => {
    this.#arrivals++;
    this.#connections.get(message.socket)?.acceptRequest(message, output);
  };
}

function waitFor(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, Math.max(0, ms));
    // It is fulfilled or goes on for ever; then the timer tells.
    void promise.then(() => {
      clock.clear(timer);
      resolve();
    });
  });
}

function nodeServer(settings: HttpSettings): Server<typeof IncomingRequest> {
  const newer = {
    /** Requests without content skip the stream's life cycle (Node 24 and later). */
    optimizeEmptyRequests: true,
  };
  const server = createServer({
    ...newer,
    IncomingMessage: IncomingRequest,
    requestTimeout: settings.requestTimeout,
    headersTimeout: settings.headersTimeout,
    connectionsCheckingInterval: settings.connectionsCheckingInterval,
    /** `Connection` closes idle connections by polling, which saves two timers per request. */
    keepAliveTimeout: 0,
    maxHeaderSize: maxHeadBytes(settings),
    /** Whatever `NODE_OPTIONS` says. */
    insecureHTTPParser: false,
    /** `checkFraming` reports a missing Host as a problem, like every other error. */
    requireHostHeader: false,
    /** Detects peers that have vanished. */
    keepAlive: true,
    /** Sends small responses at once instead of waiting for an acknowledgement. */
    noDelay: true,
  });
  return Object.assign(server, {
    /** One more than allowed: `node:http` drops the rest, and `checkFraming` sees the excess. */
    maxHeadersCount: MAX_HEADER_FIELDS + 1,
    maxConnections: settings.maxConnections,
    /** A client that closes its side after its request still gets the response. */
    httpAllowHalfOpen: true,
  });
}
