import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { clock, nextTurn, sleep, type Timer } from '../../clock.ts';
import { overloaded } from '../messages/problem.ts';
import type { UnsitedRequest } from '../messages/request.ts';
import { MAX_HEADER_FIELDS } from '../request/header-section.ts';
import type { Held } from '../routing/router.ts';
import { Connection } from './connection.ts';
import { Dispatcher, type DispatcherOptions, type ServerHooks } from './dispatcher.ts';
import { MAX_ADMIN_BYTES } from './exchange.ts';
import { DEFAULT_SETTINGS, type HttpSettings, maxHeadBytes } from './http-settings.ts';
import { LongJobs } from './long-jobs.ts';
import { BACKLOG, isLoopback, listenOnLoopback } from './loopback.ts';
import type { ParserError } from './parser-error.ts';
import { Pool } from './pool.ts';
import { ReasonCounter, type ReportReason } from './reason-counter.ts';
import { canReleaseResponses } from './release-trial.ts';
import { Scheduler } from './scheduler.ts';
import { Sender } from './sender.ts';

/** The interval of checks while the server stops, in milliseconds. */
const STOP_CHECK_MS = 100;

/** The response to a connection for which there is no room. */
const TOO_MANY_CONNECTIONS =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Options of a server. */
export interface HttpServerOptions extends DispatcherOptions {
  /** Settings that differ from {@link DEFAULT_SETTINGS}. */
  readonly settings?: Partial<HttpSettings>;
  /** The request field on which any response may depend (RFC 9110, section 12.5.5). */
  readonly vary?: string | undefined;
  /** Report requests that are refused, and connections that are cut, once a minute by reason. */
  readonly onRefusals?: ReportReason | undefined;
  readonly onCuts?: ReportReason | undefined;
}

/** An HTTP/1.1 server that can be drained. */
export class HttpServer {
  /** Schedules long work. */
  readonly scheduler: Scheduler;
  /** Requests that were refused because something is used up, by reason. */
  readonly refusals: ReasonCounter;
  /** Connections that were closed without the whole response, by reason. */
  readonly cuts: ReasonCounter;
  readonly #settings: HttpSettings;
  readonly #server: Server;
  readonly #dispatcher: Dispatcher;
  readonly #context;
  readonly #connections = new Map<Socket, Connection>();
  /** Accepts connections to the second loopback address. */
  #second: NetServer | undefined;
  #checks: Timer | undefined;
  /** Set while the next check comes sooner, because something is short. */
  #soonCheck: Timer | undefined;
  /** Called when a connection has closed, and at each check. */
  #onProgress = () => {};
  /** The number of connections accepted so far. */
  #accepted = 0;

  /** Creates a server that serves nothing yet. */
  constructor(options: HttpServerOptions) {
    this.#settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const { keepAliveTimeout, maxContentBytes, maxWaitingBytes, maxResultBytes, maxWaitingJobs } =
      this.#settings;
    this.refusals = new ReasonCounter(options.onRefusals);
    this.cuts = new ReasonCounter(options.onCuts);
    this.scheduler = new Scheduler();
    const results = new Pool(maxResultBytes);
    // A second less, so that usually the client closes first.
    const keepAliveSeconds = Math.max(1, Math.floor(keepAliveTimeout / 1000) - 1);
    const sender = new Sender(keepAliveSeconds, canReleaseResponses(), options.vary);
    const { scheduler, refusals, cuts } = this;
    const capacity = {
      ...{ scheduler, refusals, cuts, results },
      longJobs: new LongJobs(scheduler, results, maxWaitingJobs),
      contents: new Pool(maxContentBytes),
      adminContents: new Pool(MAX_ADMIN_BYTES),
      waiting: new Pool(maxWaitingBytes),
      isOfAdmin: (_: UnsitedRequest): boolean => false,
    };
    this.#dispatcher = new Dispatcher(options, sender, refusals);
    const { serve, respond } = this.#dispatcher;
    const stop = { isStopping: false, stopsSince: Number.POSITIVE_INFINITY };
    this.#context = { settings: this.#settings, ...capacity, serve, respond, ...stop };
    this.#server = createNodeServer(this.#settings)
      .on('connection', (socket) => this.#connect(socket))
      .on('request', this.#acceptRequest)
      .on('checkContinue', this.#acceptRequest)
      .on('checkExpectation', this.#acceptRequest)
      .on('connect', (message: IncomingMessage) =>
        this.#connections.get(message.socket)?.acceptConnect(message),
      )
      .on('clientError', (error: ParserError, socket: Socket) =>
        this.#connections.get(socket)?.fail(error),
      );
  }

  /** Whether the server stops. */
  get draining(): boolean {
    return this.#context.isStopping;
  }

  /** The number of open connections. */
  get openConnections(): number {
    return this.#connections.size;
  }

  /** Sets the sites, and the callbacks around their routes. Before, there are no routes. */
  serve(hooks: ServerHooks): void {
    this.#dispatcher.setHooks(hooks);
    this.#context.isOfAdmin = hooks.isOfAdmin ?? (() => false);
  }

  /** The memory that clients take, in bytes. */
  get clientBytes(): number {
    const { contents, adminContents, waiting, results } = this.#context;
    const pools = [contents, adminContents, waiting, results];
    return pools.reduce((sum, { used }) => sum + used, this.#unreadBytes);
  }

  /** The states that requests hold while they are served, with the number of these requests. */
  get held(): ReadonlyMap<Held, number> {
    const all = new Map<Held, number>();
    for (const { held } of this.#connections.values()) {
      if (held !== undefined) all.set(held, (all.get(held) ?? 0) + 1);
    }
    return all;
  }

  /**
   * Ends requests that hold a state. A request that has changed nothing gets 503, unless its
   * response has begun. A begun response is cut if its client has not read for a second.
   */
  endRequestsOf(held: Held): void {
    const problem = overloaded('results', 'The list was reset, and its memory is needed');
    for (const connection of this.#connections.values()) {
      if (connection.held === held) connection.cancelServed(problem);
    }
    this.cutUnread(held);
  }

  /** Cuts responses of requests that hold a state, if their clients have not read for a second. */
  cutUnread(held: Held): void {
    for (const connection of this.#connections.values()) {
      const isStalled = connection.unreadFor > this.#settings.stallTimeout;
      if (isStalled && connection.held === held) connection.cut('unread');
    }
  }

  /**
   * Starts listening: on all interfaces unless a host is given, for `localhost` on both loopback
   * addresses. Rejects with Node's own error.
   */
  async listen(port: number, host?: string): Promise<AddressInfo> {
    this.#checkEvery(this.#settings.connectionsCheckingInterval);
    if (host === 'localhost') this.#second = await listenOnLoopback(this.#server, port);
    else await once(this.#server.listen({ port, host, backlog: BACKLOG }), 'listening');
    // It listens, and not on a pipe, so it has such an address.
    const bound = this.#server.address() as AddressInfo;
    if (isLoopback(bound.address)) this.#dispatcher.requireLocalHost(host);
    return bound;
  }

  #checkEvery(ms: number): void {
    clock.clear(this.#checks);
    this.#checks = clock.setInterval(() => this.#checkAfterReading(), ms).unref();
  }

  /** Bytes that have arrived are read first: a client that has sent them is neither silent nor idle. */
  #checkAfterReading(): void {
    clock.setImmediate(this.#checkConnections);
  }

  readonly #checkConnections = (): void => {
    const now = clock.now();
    for (const connection of this.#connections.values()) connection.poll(now);
    this.#context.longJobs.check(now);
    this.#cutUnreadIfShort();
    const { contents, adminContents } = this.#context;
    for (const pool of [contents, adminContents]) pool.isWanted = false;
    this.#onProgress();
  };

  /** Cuts unread responses, the longest unread first, while other requests need their memory. */
  #cutUnreadIfShort(): void {
    const { longJobs, contents } = this.#context;
    const { maxUnreadBytes, stallTimeout, shortageCheckInterval } = this.#settings;
    let excess = Math.max(longJobs.lackingBytes, this.#unreadBytes - maxUnreadBytes);
    if (excess > 0) {
      const stalled = [...this.#connections.values()]
        .filter(({ unreadFor }) => unreadFor > stallTimeout)
        .sort((one, other) => other.unreadFor - one.unreadFor);
      for (const connection of stalled) {
        if (excess <= 0) break;
        excess -= Math.max(connection.unreadBytes, connection.served?.resultBytes ?? 0);
        connection.cut('unread');
      }
    }
    if (excess <= 0 && !contents.isWanted) return;
    this.#soonCheck ??= clock
      .setTimeout(() => {
        this.#soonCheck = undefined;
        this.#checkAfterReading();
      }, shortageCheckInterval)
      .unref();
  }

  get #unreadBytes(): number {
    let bytes = 0;
    for (const { unreadBytes } of this.#connections.values()) bytes += unreadBytes;
    return bytes;
  }

  /** From now on, responses close their connection, and `draining` is true. */
  startDraining(): void {
    this.#context.isStopping = true;
  }

  /**
   * Stops gracefully: responds to every request whose header section has arrived, unless its client
   * sends nothing more of its content, and closes all other connections.
   * At the deadline, disconnects the rest. @returns whether all responses were sent in time
   */
  async drain(deadlineMs: number): Promise<boolean> {
    this.startDraining();
    this.#context.stopsSince = clock.now();
    this.#checkEvery(STOP_CHECK_MS);
    const deadline = clock.now() + deadlineMs;
    // Requests wait until arrivals stop, because clients may reconnect after a response.
    const resume = this.#dispatcher.pause();
    await this.#acceptArrivals(Math.min(this.#settings.stopArrivalTimeout, deadlineMs));
    const listeners = this.#second === undefined ? [this.#server] : [this.#server, this.#second];
    // Not `close` of `node:http`, which would disconnect clients that read a last response.
    for (const each of listeners) NetServer.prototype.close.call(each);
    resume();
    const all = () => [...this.#connections.values()];
    for (const connection of all()) connection.end();
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, Math.max(0, deadline - clock.now()));
      this.#onProgress = () => {
        // A client that sends on after its last response does not hold up the stop.
        if (all().some(({ isDropping }) => !isDropping)) return;
        clock.clear(timer);
        resolve();
      };
      this.#onProgress();
    });
    const inTime = all().every(({ owesResponses }) => !owesResponses);
    clock.clear(this.#checks);
    for (const connection of all()) connection.disconnect();
    // Stops the timers of `node:http`.
    this.#server.close();
    return inTime;
  }

  /**
   * Waits `ms` milliseconds, then until no connection is accepted in a turn of the event loop.
   * Otherwise, connections in the backlog of the system would be reset. Node accepts one per turn.
   */
  async #acceptArrivals(ms: number): Promise<void> {
    const start = clock.now();
    // Without a sleep, a turn more: this one may have read its sockets before the last bytes came.
    await (ms > 0 ? sleep(ms) : nextTurn());
    let before: number;
    do {
      before = this.#accepted;
      await nextTurn();
    } while (this.#accepted !== before && clock.now() - start < 2 * ms);
  }

  #connect(socket: Socket): void {
    this.#accepted++;
    this.scheduler.recordConnection();
    // Not `maxConnections` of Node, which would count each loopback address by itself.
    if (this.#connections.size >= this.#settings.maxConnections) {
      const silent = [...this.#connections.values()].find(({ isSilent }) => isSilent);
      if (silent === undefined) {
        this.#refuseConnection(socket);
        return;
      }
      silent.cut('connections');
    }
    this.#connections.set(socket, new Connection(socket, this.#context));
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#onProgress();
    });
  }

  /** Responds before there is a request, because each would take memory. */
  #refuseConnection(socket: Socket): void {
    this.refusals.add('connections');
    socket.on('error', () => {});
    socket.end(TOO_MANY_CONNECTIONS);
    // Not at once, because a reset could overtake the response.
    const timer = clock.setTimeout(() => socket.destroy(), this.#settings.lingerTimeout);
    socket.once('close', () => clock.clear(timer));
  }

  readonly #acceptRequest = (message: IncomingMessage, output: ServerResponse): void => {
    this.#connections.get(message.socket)?.accept(message, output);
  };
}

function createNodeServer(settings: HttpSettings): Server {
  const newer = {
    /** Requests without content skip the stream's life cycle (Node 24 and later). */
    optimizeEmptyRequests: true,
  };
  const server = createServer({
    ...newer,
    requestTimeout: settings.requestTimeout,
    headersTimeout: settings.headersTimeout,
    connectionsCheckingInterval: settings.connectionsCheckingInterval,
    /** `Connection` closes idle connections by polling, which saves two timers per request. */
    keepAliveTimeout: 0,
    maxHeaderSize: maxHeadBytes(settings),
    /** Overrides `NODE_OPTIONS`. */
    insecureHTTPParser: false,
    /** `createHostCheck` reports a missing Host as a problem, like every other error. */
    requireHostHeader: false,
    /** Detects peers that have vanished. */
    keepAlive: true,
    /** Sends small responses at once instead of waiting for an acknowledgement. */
    noDelay: true,
  });
  return Object.assign(server, {
    /** One more than allowed: `node:http` drops the rest, and `checkFraming` sees the excess. */
    maxHeadersCount: MAX_HEADER_FIELDS + 1,
    /** A client that closes its side after its request still gets the response. */
    httpAllowHalfOpen: true,
  });
}
