import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { clock, nextTurn, sleep, type Timer } from '../../clock.ts';
import { Admission } from '../admission/admission.ts';
import { Scheduler } from '../admission/scheduler.ts';
import { overloaded } from '../messages/problem.ts';
import { MAX_HEADER_FIELDS } from '../request/header-section.ts';
import { Connection } from './connection.ts';
import { DEFAULT_SETTINGS, type HttpSettings, maxHeadBytes } from './http-settings.ts';
import { BACKLOG, isLoopback, listenOnLoopback } from './loopback.ts';
import { DirectMessage, tryNode } from './node-http.ts';
import type { ParserError } from './parser-error.ts';
import { Pipeline, type PipelineOptions } from './pipeline.ts';
import { Reading } from './reading.ts';
import { ReasonCounter, type ReportReason } from './reason-counter.ts';
import { Sender } from './sender.ts';
import type { Service } from './service.ts';

/** The interval of checks while the server stops, in milliseconds. */
const STOP_CHECK_MS = 100;

/** The response to a connection for which there is no room. */
const TOO_MANY_CONNECTIONS =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** Options of a server. */
export interface HttpServerOptions extends PipelineOptions {
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
  /** Bounds the memory of all requests. */
  readonly admission: Admission;
  /** Requests that were refused because something is used up, by reason. */
  readonly refusals: ReasonCounter;
  /** Connections that were closed without the whole response, by reason. */
  readonly cuts: ReasonCounter;
  readonly #settings: HttpSettings;
  readonly #server: Server;
  readonly #pipeline: Pipeline;
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
  /** Whether the last search for a connection that makes room for another one has found none. */
  #hasNoRoom = false;

  /** Creates a server that serves nothing yet. */
  constructor(options: HttpServerOptions) {
    this.#settings = { ...DEFAULT_SETTINGS, ...options.settings };
    const { keepAliveTimeout, permits, places } = this.#settings;
    this.refusals = new ReasonCounter(options.onRefusals);
    this.cuts = new ReasonCounter(options.onCuts);
    this.scheduler = new Scheduler();
    this.admission = new Admission(permits, places);
    const { canReceive, canRelease } = tryNode();
    // A second less, so that usually the client closes first.
    const keepAliveSeconds = Math.max(1, Math.floor(keepAliveTimeout / 1000) - 1);
    const sender = new Sender(keepAliveSeconds, canRelease, options.vary);
    this.#pipeline = new Pipeline(options, sender, this.refusals);
    this.#context = {
      settings: this.#settings,
      scheduler: this.scheduler,
      admission: this.admission,
      oneByOne: new Admission(1, 0),
      cuts: this.cuts,
      reading: new Reading(this.#connections),
      serve: this.#pipeline.serve,
      isStopping: false,
      stopsSince: Number.POSITIVE_INFINITY,
    };
    this.#server = createNodeServer(this.#settings, canReceive)
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

  /** Sets the service that responds to requests. Before, there are no routes. */
  serve(service: Service): void {
    this.#pipeline.setService(service);
  }

  /**
   * Ends the older half of what is under way, because the heap is nearly full. A request that has
   * changed nothing gets 503. A response is cut if its client has read nothing for a second, and a
   * connection without a request if it has been silent for a second. Event streams come last.
   */
  endOlderHalf(): void {
    const problem = overloaded('memory', 'The memory of the service is needed');
    const all = [...this.#connections.values()];
    const others = all.filter((each) => !each.served?.isStream && each.canEnd);
    const ended = others.length > 0 ? others : all.filter((each) => each.served?.isStream);
    ended.sort((one, other) => one.activeSince - other.activeSince);
    for (const each of ended.slice(0, Math.ceil(ended.length / 2))) each.endUnderWay(problem);
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
    if (isLoopback(bound.address)) this.#pipeline.requireLocalHost(host);
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
    this.#hasNoRoom = false;
    for (const connection of this.#connections.values()) connection.poll(now);
    for (const admission of [this.#context.admission, this.#context.oneByOne]) {
      admission.check(now);
      this.#freePermits(admission);
    }
    this.#onProgress();
  };

  /** While requests wait for permits, ends those whose clients have stalled, the longest first. */
  #freePermits(admission: Admission): void {
    let { lacking } = admission;
    if (lacking <= 0) return;
    const stalled = [...this.#connections.values()]
      .filter(({ stalledFor }) => stalledFor > this.#settings.stallTimeout)
      .filter(({ served }) => served?.ticket.isHolding(admission))
      .sort((one, other) => other.stalledFor - one.stalledFor);
    for (const connection of stalled) {
      if (lacking <= 0) return;
      lacking -= connection.served?.ticket.permits ?? 0;
      connection.endStall();
    }
    this.#soonCheck ??= clock
      .setTimeout(() => {
        this.#soonCheck = undefined;
        this.#checkAfterReading();
      }, this.#settings.shortageCheckInterval)
      .unref();
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
    const resume = this.#pipeline.pause();
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
    if (this.#connections.size >= this.#settings.maxConnections && !this.#makeRoom()) {
      this.#refuseConnection(socket);
      return;
    }
    this.#connections.set(socket, new Connection(socket, this.#context));
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#onProgress();
    });
  }

  /** Closes a connection whose client has stalled, if there is one. @returns whether it did */
  #makeRoom(): boolean {
    // Only a check finds that others have stalled meanwhile.
    if (this.#hasNoRoom) return false;
    const { stallTimeout } = this.#settings;
    const stalled = [...this.#connections.values()].filter(
      (each) => each.stalledFor > stallTimeout,
    );
    // A silent one gets a response first, so that its connection is free only later.
    const ended = stalled.find(({ stall }) => stall !== 'silent') ?? stalled[0];
    ended?.endStall();
    this.#hasNoRoom = ended === undefined;
    return ended?.isClosed === true;
  }

  /** Responds before there is a request, and reads none, because each would take memory. */
  #refuseConnection(socket: Socket): void {
    this.refusals.add('connections');
    this.#context.reading.accept();
    socket.on('error', () => {});
    // `node:http` has resumed it, which takes effect later in this turn of the event loop.
    socket.once('resume', () => socket.pause());
    socket.end(TOO_MANY_CONNECTIONS);
    // Not at once, because a reset could overtake the response.
    const timer = clock.setTimeout(() => socket.destroy(), this.#settings.lingerTimeout);
    socket.once('close', () => clock.clear(timer));
  }

  readonly #acceptRequest = (message: IncomingMessage, output: ServerResponse): void => {
    this.#connections.get(message.socket)?.accept(message, output);
  };
}

function createNodeServer(settings: HttpSettings, canReceive: boolean): Server {
  const newer = {
    /** Requests without content skip the stream's life cycle (Node 24 and later). */
    optimizeEmptyRequests: true,
  };
  const server = createServer({
    ...newer,
    ...(canReceive && { IncomingMessage: DirectMessage }),
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
