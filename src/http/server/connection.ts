import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../core/problem.ts';
import type { Work } from '../core/work.ts';
import { Exchange, type ExchangeConnection } from './exchange.ts';
import type { HeldMemory, Holder } from './held-memory.ts';
import { onLastResponse, unparsedRequest } from './node-internals.ts';
import type { StartLine } from './parser-error.ts';
import type { Scheduler } from './scheduler.ts';
import type { HttpSettings } from './settings.ts';
import { StallWatch } from './stall-watch.ts';

/**
 * - `open`: requests are served.
 * - `draining`: they are served for as long as responses are owed; after the last one it ends.
 * - `lingering`: the last response was begun, and nothing that still arrives is served.
 * - `closed`.
 */
type State = 'open' | 'draining' | 'lingering' | 'closed';

const LINGER_CHECK_MS = 50;

/** Requests that wait on a connection from which no more is read until some are served. */
const MAX_PIPELINED = 8;

/** What a connection takes: socket, parser, and what belongs to them. */
const CONNECTION_BYTES = 8 * 1024;

/** What a request takes that waits, and what each string of its header section adds. */
const REQUEST_BYTES = 2 * 1024;
const HEADER_STRING_BYTES = 64;

/**
 * One connection of a client. Its requests are served one after the other, because only safe ones
 * could be served at the same time (RFC 9112, section 9.3.2); and it is ended in good order, for
 * which `node:http` knows too little: it forgets about keep-alive connections once its server stops
 * listening, and cannot tell a request that is owed a response from half a one.
 */
export class Connection implements Holder, ExchangeConnection {
  readonly #socket: Socket;
  readonly #settings: HttpSettings;
  readonly #memory: HeldMemory;
  readonly #scheduler: Scheduler;
  readonly #serve: (exchange: Exchange) => void;
  readonly #stallWatch: StallWatch;
  /** Those whose responses are not sent yet, in the order of the requests; the first is served. */
  readonly #exchanges: Exchange[] = [];
  #last: Exchange | undefined;
  #state: State = 'open';
  #lingerTimeout: number;
  #heldBytes = CONNECTION_BYTES;

  constructor(
    socket: Socket,
    settings: HttpSettings,
    memory: HeldMemory,
    scheduler: Scheduler,
    serve: (exchange: Exchange) => void,
  ) {
    this.#socket = socket;
    this.#settings = settings;
    this.#memory = memory;
    this.#scheduler = scheduler;
    this.#serve = serve;
    this.#stallWatch = new StallWatch(socket, settings);
    this.#lingerTimeout = settings.lingerTimeout;
    this.hold(0);
    onLastResponse(socket, () => this.#endAfterLastResponse());
    socket.once('close', () => {
      this.#state = 'closed';
      memory.remove(this);
    });
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** It waits for its client, unless it has a request to serve and the client takes responses. */
  get isWaiting(): boolean {
    return this.#socket.writableLength > 0 || !this.#owesResponses;
  }

  /** Takes a request whose header section has arrived, and serves it when it is its turn. */
  begin(message: IncomingMessage, output: ServerResponse, awaitsContinue: boolean): void {
    if (this.#isOver) return;
    const exchange = new Exchange(message, output, this, { awaitsContinue });
    this.#last = exchange;
    this.#enqueue(exchange);
  }

  /** Serves requests only for as long as responses are owed, because the server stops. */
  drain(): void {
    if (this.#state === 'open') this.#state = 'draining';
    this.#lingerTimeout = this.#settings.stopLingerTimeout;
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'draining';
    if (this.#isOver || this.#owesResponses) return;
    if (this.#socket.bytesWritten === 0) this.cut();
    else this.#endAfterLastResponse();
  }

  cut(): void {
    this.#state = 'closed';
    this.#socket.destroy();
  }

  /**
   * Ends the connection because of bytes that are no request. What is wrong with them is said in
   * response to the request that they belong to, or to one of their own; not to one that was
   * answered already, and not where they may just as well be the rest of a request that is served.
   * @param startLine what they ask for, if that can be told
   */
  refuse(problem: Problem, startLine: StartLine | undefined): void {
    if (this.#isOver || !this.#socket.writable) return;
    this.#state = 'draining';
    const arriving = this.#last?.message.complete === false ? this.#last : undefined;
    if (arriving === undefined) {
      if (startLine === undefined && this.#exchanges.length > 0) return;
      // What is wrong with a start line, the router knows better.
      const refusal = startLine === undefined ? problem : undefined;
      const { method = '', target = '' } = startLine ?? {};
      const { message, output } = unparsedRequest(this.#socket, method, target);
      this.#enqueue(new Exchange(message, output, this, { isUnparsed: true }), refusal);
    } else if (!this.#exchanges.includes(arriving) || arriving.output.headersSent) {
      this.end();
    } else {
      arriving.refusal = problem;
      if (this.#exchanges[0] === arriving) this.#serve(arriving);
    }
  }

  run<T>(work: Work<T>, exchange: Exchange): T | Promise<T> {
    return this.#scheduler.run(work, exchange);
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (!this.isClosed) this.#memory.progress(this, this.#heldBytes);
  }

  /** Called now and then: cuts a client that has taken nothing for too long. */
  check(): void {
    const seen = this.#stallWatch.look();
    if (seen === 'stalled') this.cut();
    else if (seen === 'progress') this.hold(0);
  }

  isLastResponse(exchange: Exchange, close: boolean): boolean {
    if (!close) {
      if (this.#state === 'open') return false;
      if (this.#exchanges.some((other) => other !== exchange && other.hasArrived)) return false;
    }
    if (!this.isClosed) this.#state = 'lingering';
    return true;
  }

  #enqueue(exchange: Exchange, refusal?: Problem): void {
    exchange.refusal = refusal;
    exchange.output.on('close', this.#finish);
    const waiting = this.#exchanges.push(exchange) - 1;
    if (waiting === 0) {
      this.#start(exchange);
      return;
    }
    this.hold(bytesOf(exchange));
    if (waiting >= MAX_PIPELINED) this.#socket.pause();
  }

  readonly #finish = (): void => {
    const finished = this.#exchanges.shift();
    finished?.end();
    if (this.#last === finished && finished?.message.complete) this.#last = undefined;
    if (this.#isOver) return;
    const [next] = this.#exchanges;
    if (next === undefined || (this.#state === 'draining' && !this.#owesResponses)) {
      if (this.#state === 'draining') this.#endAfterLastResponse();
      return;
    }
    this.hold(-bytesOf(next));
    if (this.#exchanges.length <= MAX_PIPELINED) this.#socket.resume();
    this.#start(next);
  };

  #start(exchange: Exchange): void {
    if (exchange.output.socket === null) exchange.output.assignSocket(this.#socket);
    this.#serve(exchange);
  }

  get #owesResponses(): boolean {
    return this.#exchanges.some((exchange) => exchange.hasArrived);
  }

  get #isOver(): boolean {
    return this.#state === 'lingering' || this.#state === 'closed';
  }

  /**
   * Ends this side and waits a little for the client to end its own (RFC 9112, section 9.6).
   * Closing while the client still sends would reset the connection, and the reset can overtake the
   * response. And where a container's network ends with this process, all is lost that the client
   * has not received by then, though it was written long before.
   */
  #endAfterLastResponse(): void {
    if (this.isClosed) return;
    this.#state = 'lingering';
    const socket = this.#socket;
    const { lingerBytes } = this.#settings;
    const start = socket.bytesRead;
    const deadline = Date.now() + this.#lingerTimeout;
    socket.resume();
    socket.end();
    const timer = setInterval(() => {
      if (socket.bytesRead - start > lingerBytes || Date.now() > deadline) socket.destroy();
    }, LINGER_CHECK_MS);
    socket.once('close', () => clearInterval(timer));
  }
}

function bytesOf({ message }: Exchange): number {
  return REQUEST_BYTES + message.rawHeaders.length * HEADER_STRING_BYTES;
}
